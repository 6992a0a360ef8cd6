package fence

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grace is what the rest of a command's processes get between SIGTERM and the
// end of their namespace, as in worktree/process.
const grace = 2 * time.Second

// supervise runs the command as the first process of its namespace, which takes
// everything with it when it ends. Signals are for the command, which gets them
// itself; the first process outlives it to report how it ended.
func supervise(argv, env []string, status *os.File) (int, error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals) // caught, not ignored: what is ignored would be inherited
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env: env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, fmt.Errorf("run '%s': %w", argv[0], err)
	}
	status.Close()
	code := reapUntil(pid)
	endRest()
	return code, nil
}

// reapUntil waits for all children until one has ended, and returns its code.
func reapUntil(pid int) int {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR) || err == nil && got != pid:
			continue
		case err != nil:
			return 126
		case ws.Signaled():
			return 128 + int(ws.Signal())
		}
		return ws.ExitStatus()
	}
}

// endRest asks what the command left behind to end, and waits for it.
func endRest() {
	if unix.Kill(-1, unix.SIGTERM) != nil {
		return // nobody is left
	}
	unix.Kill(-1, unix.SIGCONT)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			_, err := syscall.Wait4(-1, nil, 0, nil)
			if err != nil && !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
	}
}
