//go:build unix

package scripts

import (
	"os/exec"
	"syscall"
)

// together lets a script that takes too long be ended with all that it started.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
