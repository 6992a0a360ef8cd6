package process

import (
	"os"
	"path/filepath"
	"slices"
)

// Inside are the folders in which the commands of ours were started that this
// process is part of, symbolic links resolved: by the marks in its environment
// and, on Linux, in those of its ancestors. Nothing keeps a program from leaving
// its environment and its ancestors behind; only a fence does.
func Inside() []string {
	folders := startedAt(os.Environ())
	for _, pid := range ancestors() {
		folders = append(folders, startedAt(environ(pid))...)
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// startedAt are the folders that the marks of an environment name.
func startedAt(env []string) []string {
	var folders []string
	for _, at := range marks(env) {
		if at == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
		folders = append(folders, filepath.Clean(at))
	}
	return folders
}
