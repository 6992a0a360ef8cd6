//go:build linux || darwin

package worktree

import (
	"fmt"
	"syscall"
)

// roomIn asks the file system of a folder. Some have no fixed number of files,
// and say zero.
func roomIn(dir string) (Room, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return Room{}, fmt.Errorf("ask for free space in '%s': %w", dir, err)
	}
	return Room{Bytes: s.Bavail * uint64(s.Bsize), Files: s.Ffree, AnyNumber: s.Files == 0}, nil
}
