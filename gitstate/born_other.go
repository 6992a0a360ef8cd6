//go:build !linux

package gitstate

// bornAt cannot be told here.
func bornAt(int) (ticks string, alive bool) { return "", true }
