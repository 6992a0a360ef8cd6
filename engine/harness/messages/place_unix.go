//go:build unix

package messages

import "syscall"

// openAtOnce keeps the opening of a pipe from waiting for its other end.
const openAtOnce = syscall.O_NONBLOCK
