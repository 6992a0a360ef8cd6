package process

import (
	"os/exec"
	"path/filepath"
)

// Lookup finds a program: on the PATH, or by its path. The answer is absolute. A
// program is not taken from a directory that the PATH names in relation to the
// working directory: others may have written there.
func Lookup(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
