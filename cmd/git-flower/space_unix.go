//go:build linux || darwin

package main

import "syscall"

const (
	errNoSpace = syscall.ENOSPC
	errQuota   = syscall.EDQUOT
)

// spaceLeft is how many bytes we may still write where path is.
func spaceLeft(path string) (uint64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
