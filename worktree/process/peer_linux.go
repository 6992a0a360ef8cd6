package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

// diesWithUs has the kernel ask cmd to end when the thread that starts it dies.
func diesWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM }

// keepThread keeps the calling goroutine on a thread of its own until the
// function it returns is called.
func keepThread() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
