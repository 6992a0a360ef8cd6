//go:build unix

package main

import (
	"errors"
	"syscall"
)

// terminate asks a process to end.
func terminate(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }

// running reports whether there is a process of that number.
func running(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
