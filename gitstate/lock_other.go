//go:build !windows && (!unix || solaris || illumos || aix)

package gitstate

import (
	"errors"
	"os"
)

func tryLock(*os.File) error {
	return errors.New("this system has no lock that ends with its process")
}

func unlock(*os.File) error { return nil }

// gone: there is no lock here, so it is not asked.
func gone(int) bool { return false }
