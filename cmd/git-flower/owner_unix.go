//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// ownedByUser returns an error unless the file belongs to the user who runs us.
func ownedByUser(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != uint32(os.Geteuid()) {
		return errors.New("it belongs to another user")
	}
	return nil
}
