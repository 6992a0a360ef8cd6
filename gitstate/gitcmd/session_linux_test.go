package gitcmd

import (
	"syscall"
	"testing"
)

// A git that wants a password must not stop at a terminal that it may not read:
// it has a session of its own, and so no terminal.
func TestChildrenHaveASessionOfTheirOwn(t *testing.T) {
	scrub(t)
	p, err := New(repository(t)).Start(t.Context(), "cat-file", "--batch")
	must(t, err)
	pid := uintptr(p.cmd.Process.Pid)
	session, _, failed := syscall.Syscall(syscall.SYS_GETSID, pid, 0, 0)
	if failed != 0 || session != pid {
		t.Errorf("process %d is in session %d: %v", pid, session, failed)
	}
	must(t, p.Close())
}
