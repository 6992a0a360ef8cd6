//go:build !unix

package engine

import "io/fs"

// nameCount is how many names a file has: one, as far as can be told cheaply. Files
// are replaced here and never written into, so that its other names keep what
// they have.
func nameCount(fs.FileInfo) uint64 { return 1 }

// openAtOnce is nothing here: there are no pipes among files.
const openAtOnce = 0

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(interface{ Sync() error }) error { return nil }
