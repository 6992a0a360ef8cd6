package gitstate

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

const (
	lockExclusive   = 2
	lockImmediately = 1
	errLocked       = syscall.Errno(33) // ERROR_LOCK_VIOLATION

	// lockedByte lies far behind what is written: a locked range cannot be read
	// by others, and the holder's number must be.
	lockedByte = 1 << 30
)

func tryLock(f *os.File) error {
	at := syscall.Overlapped{Offset: lockedByte}
	call := syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")
	ok, _, err := call.Call(f.Fd(), lockExclusive|lockImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok != 0 {
		return nil
	}
	if errors.Is(err, errLocked) || errors.Is(err, syscall.ERROR_IO_PENDING) {
		return errHeld
	}
	return err
}

func unlock(f *os.File) error {
	at := syscall.Overlapped{Offset: lockedByte}
	call := syscall.NewLazyDLL("kernel32.dll").NewProc("UnlockFileEx")
	ok, _, err := call.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok != 0 {
		return nil
	}
	return err
}

// gone: nothing outlives its process here, so it is not asked.
func gone(int) bool { return false }
