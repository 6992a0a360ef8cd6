//go:build unix

package gitstate

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder makes the names in a folder durable. Some file systems cannot do
// that for folders and say EINVAL; they order names and content themselves.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
