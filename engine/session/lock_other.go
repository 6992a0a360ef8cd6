//go:build !unix

package session

// A fileLock is not needed where an open file cannot be renamed.
type fileLock struct{}

func openLock(string) (*fileLock, error) { return &fileLock{}, nil }

func (*fileLock) share() (bool, error) { return true, nil }
func (*fileLock) alone() (bool, error) { return true, nil }
func (*fileLock) close() error         { return nil }

func syncDir(string) error { return nil }
