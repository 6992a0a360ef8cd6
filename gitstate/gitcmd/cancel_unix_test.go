//go:build unix

package gitcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A ref transaction is cut off while it holds its lock: git is asked to end, and
// takes the lock with it.
func TestCancelLeavesNoLock(t *testing.T) {
	scrub(t)
	dir := repository(t)
	write(t, filepath.Join(dir, "file"), "x", 0o644)
	blob := line(t, New(dir), "hash-object", "-w", "file")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, err := New(dir).Start(ctx, "update-ref", "--stdin")
	must(t, err)
	fmt.Fprintf(p.In, "start\ncreate refs/flower/x %s\nprepare\n", blob)
	for _, want := range []string{"start: ok\n", "prepare: ok\n"} {
		if got, err := p.Out.ReadString('\n'); got != want {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if got := locks(t, dir); len(got) != 1 {
		t.Fatalf("locks held: %q", got)
	}
	cancel()
	if rest, err := io.ReadAll(p.Out); err != nil || len(rest) != 0 { // until git has ended
		t.Errorf("%q, %v", rest, err)
	}
	err = p.Close()
	if !errors.Is(err, context.Canceled) || ExitCode(err) != -1 {
		t.Errorf("exit code %d: %v", ExitCode(err), err)
	}
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGTERM {
		t.Errorf("git ended by %v", status.Signal())
	}
	if got := locks(t, dir); len(got) != 0 {
		t.Errorf("locks left: %q", got)
	}
	must(t, New(dir).writes(t, "update-ref", "refs/flower/x", blob, ""))
}

func locks(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".lock") {
			found = append(found, path)
		}
		return err
	})
	must(t, err)
	return found
}

// What git started ends too. It holds git's output open, so Close would wait for
// it for ever.
func TestCancelEndsTheWholeGroup(t *testing.T) {
	scrub(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, err := New(repository(t)).With("alias.hang=!sleep 1000 & echo up; wait").Start(ctx, "hang")
	must(t, err)
	if got, err := p.Out.ReadString('\n'); got != "up\n" {
		t.Fatalf("%q, %v", got, err)
	}
	cancel()
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }()
	select {
	case err := <-closed:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-closed
		t.Error("a child of git outlived it")
	}
}

// The terminal's signals go to the foreground group: git must be in another.
func TestChildrenHaveAGroupOfTheirOwn(t *testing.T) {
	scrub(t)
	p, err := New(repository(t)).Start(t.Context(), "cat-file", "--batch")
	must(t, err)
	group, err := syscall.Getpgid(p.cmd.Process.Pid)
	must(t, err)
	if group != p.cmd.Process.Pid || group == syscall.Getpgrp() {
		t.Errorf("process %d is in group %d, we are in %d", p.cmd.Process.Pid, group, syscall.Getpgrp())
	}
	must(t, p.Close())
	if err := terminate(p.cmd.Process); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("ending what has ended: %v", err)
	}
}
