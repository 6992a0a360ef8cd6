//go:build !unix

package bench

// openAtOnce is nothing here: there are no pipes among files.
const openAtOnce = 0

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(interface{ Sync() error }) error { return nil }
