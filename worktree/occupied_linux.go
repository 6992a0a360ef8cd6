package worktree

import (
	"os"
	"path/filepath"
	"strings"
)

// occupied reports whether a process, ours excepted, has its working directory
// below dir: a shell of a person who looks around, or something a worker left
// that could not be ended. Processes of other users are not seen.
func occupied(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, err := os.Readlink(link)
		if err == nil && (at == real || strings.HasPrefix(at, real+"/")) {
			return true
		}
	}
	return false
}
