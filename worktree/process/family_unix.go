//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownSession: without a terminal nothing can ask for a password, and the
// session's number says later who belonged to the command.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}
