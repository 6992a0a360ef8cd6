//go:build !unix

package engine

import "io/fs"

// nameCount is how many names a file has: one, as far as can be told cheaply. Files
// are replaced here and never written into, so that its other names keep what
// they have.
func nameCount(fs.FileInfo) uint64 { return 1 }
