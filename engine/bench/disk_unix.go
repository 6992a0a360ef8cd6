//go:build unix

package bench

import "syscall"

// openAtOnce keeps the opening of a pipe from waiting for its other end.
const openAtOnce = syscall.O_NONBLOCK

// syncFolder makes the names in a folder last.
func syncFolder(f interface{ Sync() error }) error { return f.Sync() }
