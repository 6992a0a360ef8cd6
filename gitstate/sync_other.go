//go:build !unix

package gitstate

// syncFolder: without unix a folder cannot be synced, its file system journals
// the names.
func syncFolder(string) error { return nil }
