//go:build unix

package engine

import (
	"io/fs"
	"syscall"
)

// nameCount is how many names a file has.
func nameCount(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}
