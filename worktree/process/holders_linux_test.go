package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// A child of ours has our files until its program begins; it works nowhere yet.
func TestHoldersAreNotChildrenThatBegin(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stop := make(chan struct{})
	var starting sync.WaitGroup
	for range 4 {
		starting.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := exec.CommandContext(t.Context(), "true").Run(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 300 {
		if found := Holders(dir); len(found) > 0 {
			t.Errorf("found %v", found)
			break
		}
	}
	close(stop)
	starting.Wait()

	left := exec.CommandContext(t.Context(), "sleep", "60")
	left.Dir = dir
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	if found := Holders(dir); len(found) != 1 || found[0].PID != left.Process.Pid {
		t.Errorf("a child that works there: %v", found)
	}
	_ = left.Process.Kill()
	_ = left.Wait()
}
