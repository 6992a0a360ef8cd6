//go:build unix

package gitstate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// A process that was killed and that nobody has waited for drives nothing, and
// neither does one that got the number of another.
func TestDriver(t *testing.T) {
	s := open(t, newRepo(t), Config{NoSync: true})
	dir := s.Layout().RunDir("x")
	if got := s.Driver("x"); got != 0 {
		t.Errorf("nobody, but %d drives", got)
	}
	lock, err := s.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Driver("x"); got != os.Getpid() {
		t.Errorf("%d drives, not this process", got)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if got := s.Driver("x"); got != 0 {
		t.Errorf("%d drives, which let the lock go", got)
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	sign := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "lock"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sign(fmt.Sprintf("%d\n%s\n1\n", os.Getpid(), s.Machine()))
	if got := s.Driver("x"); got != 0 {
		t.Errorf("%d drives, whose number another had", got)
	}
	sign(fmt.Sprintf("%d\n%s\n", os.Getpid(), s.Machine()))
	if got := s.Driver("x"); got != os.Getpid() {
		t.Errorf("an older version drives, but %d is told", got)
	}
	zombie := exec.Command("sh", "-c", "exec true")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	zombie.Stdout = w
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	_, _ = r.Read(make([]byte, 1)) // its end closes the pipe
	r.Close()
	for !ended(zombie.Process.Pid) {
		runtime.Gosched()
	}
	sign(fmt.Sprintf("%d\n%s\n", zombie.Process.Pid, s.Machine()))
	if got := s.Driver("x"); got != 0 {
		t.Errorf("a zombie drives: %d", got)
	}
	_ = zombie.Wait()
}

func ended(pid int) bool { _, alive := bornAt(pid); return !alive }
