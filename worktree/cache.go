package worktree

import (
	"path"
	"slices"
	"strings"
)

// caches are names of folders and files that tools make again by themselves.
var caches = []string{
	"node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".venv", "venv",
	".gradle", ".next", ".nuxt", ".turbo", ".parcel-cache", ".cache", ".eggs", ".coverage", "target", ".DS_Store",
	"*.pyc", "*.pyo", "*.o", "*.class", "*.egg-info",
}

// isCache reports whether a path that was left out is a known cache.
func isCache(name string) bool {
	base := path.Base(strings.TrimSuffix(name, "/"))
	return slices.ContainsFunc(caches, func(pattern string) bool {
		ok, _ := path.Match(pattern, base)
		return ok
	})
}
