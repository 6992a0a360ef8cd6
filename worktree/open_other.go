//go:build !unix

package worktree

import (
	"fmt"
	"os"
	"path/filepath"
)

// openQuickly opens a file for reading, if it is one.
func openQuickly(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("'%s' is not a file", filepath.Base(path))
	}
	return os.Open(path)
}
