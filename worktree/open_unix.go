//go:build unix

package worktree

import (
	"os"
	"syscall"
)

// openQuickly opens a file for reading, not through a link, and does not wait
// for anybody at the other end.
func openQuickly(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
