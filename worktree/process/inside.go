package process

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// startedAt reads the marks of an environment.
func startedAt(env []string) []string {
	var folders []string
	for _, kv := range env {
		key, at, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(key, markPrefix) || at == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
		folders = append(folders, filepath.Clean(at))
	}
	return folders
}
