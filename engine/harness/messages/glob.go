package messages

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"git-flower/engine/harness"
)

const (
	globFiles  = 100 // shown
	searchTime = 30 * time.Second
)

const globAbout = `Finds files by name, the newest first. Patterns know *, ?, [a-z], {a,b} and ** for any number of directories ("src/**/*.go").
A pattern without a slash is looked for at any depth. The git directory is left out. At most 100 files are shown.`

const globSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","description":"the glob"},` +
	`"path":{"type":"string","description":"the directory to search; the working directory if not given"}},` +
	`"required":["pattern"]}`

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

type found struct {
	path string
	time time.Time
}

func (f *files) glob(ctx context.Context, in globInput) (harness.Result, error) {
	root, err := f.searchPlace(in.Path)
	if err != nil {
		return harness.Result{}, err
	}
	pattern, err := globPattern(in.Pattern, root.path)
	if err != nil {
		return harness.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	var all []found
	w := &walk{ctx: ctx, visit: func(x walked) error {
		if !matches(pattern, x.rel) {
			return nil
		}
		if info, err := x.folder.Lstat(x.name); err == nil {
			all = append(all, found{x.path, info.ModTime()})
		}
		return nil
	}}
	err = w.from(root)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return harness.Result{}, err
	}
	return text(listed(all, err != nil))
}

// globPattern checks a pattern. An absolute one is taken relative to root.
func globPattern(pattern, root string) (string, error) {
	pattern = filepath.ToSlash(pattern)
	if rest, ok := strings.CutPrefix(pattern, strings.TrimSuffix(filepath.ToSlash(root), "/")+"/"); ok {
		pattern = rest
	}
	pattern = strings.TrimPrefix(pattern, "./")
	if pattern == "" || !doublestar.ValidatePattern(pattern) {
		return "", fmt.Errorf("'%s' is no pattern", pattern)
	}
	return pattern, nil
}

// listed is the newest files, one a line.
func listed(all []found, cut bool) string {
	if len(all) == 0 && !cut {
		return "(no files)"
	}
	slices.SortFunc(all, func(a, b found) int {
		if c := b.time.Compare(a.time); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	var b strings.Builder
	for _, x := range all[:min(len(all), globFiles)] {
		fmt.Fprintln(&b, x.path)
	}
	if rest := len(all) - globFiles; rest > 0 {
		fmt.Fprintf(&b, "(%d more; use a narrower pattern)\n", rest)
	}
	if cut {
		fmt.Fprintf(&b, "(stopped after %s; use a smaller directory)\n", searchTime)
	}
	return b.String()
}
