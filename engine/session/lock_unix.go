//go:build unix

package session

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// A fileLock is held by the kernel for this process and goes with it.
type fileLock struct{ file *os.File }

func openLock(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &fileLock{f}, nil
}

// share holds the lock together with others, alone without them; each replaces
// what was held before. They report false when another process is in the way,
// and then nothing is held.
func (l *fileLock) share() (bool, error) { return l.take(syscall.LOCK_SH) }
func (l *fileLock) alone() (bool, error) { return l.take(syscall.LOCK_EX) }

func (l *fileLock) take(how int) (bool, error) {
	err := syscall.Flock(int(l.file.Fd()), how|syscall.LOCK_NB)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
		return true, nil // a file system without locks: SQLite's own are all there is
	}
	return false, fmt.Errorf("lock '%s': %w", l.file.Name(), err)
}

func (l *fileLock) close() error {
	err := l.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil // a file system that does not sync directories
	}
	return errors.Join(err, d.Close())
}
