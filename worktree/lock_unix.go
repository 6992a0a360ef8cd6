//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package worktree

import (
	"errors"
	"os"
	"syscall"
)

var errLocked = errors.New("locked")

// lockFile opens path and locks it until it is closed or the process ends. The
// file is never unlinked: a lock on a file that has no name protects nothing.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errLocked
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unlockFile lets go of a lock. Closing the file would not always: a child that is
// about to start has it too, until its program begins.
func unlockFile(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// alive reports whether there is a process of that number.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
