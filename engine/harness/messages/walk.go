package messages

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxWalked is how many entries a search looks at before it gives up.
const maxWalked = 2_000_000

var errTooMany = errors.New("too many files; search in a smaller directory")

// walk calls visit for each regular file below root, or for root itself, with
// its path relative to root in slashes. Git directories are skipped and
// symbolic links are not followed. What cannot be read is left out.
func walk(ctx context.Context, root string, visit func(rel, full string, d fs.DirEntry) error) error {
	n := 0
	return filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if n++; n > maxWalked {
			return errTooMany
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && full == root:
			return plain(err)
		case err != nil:
			return skip(d)
		case d.Name() == ".git" && full != root:
			return skip(d)
		case !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		if rel == "." {
			rel = d.Name()
		}
		return visit(filepath.ToSlash(rel), full, d)
	})
}

func skip(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// matches says whether a file fits a glob. A pattern without a slash is about
// the file's name, at any depth.
func matches(pattern, rel string) bool {
	if !strings.Contains(pattern, "/") {
		rel = path.Base(rel)
	}
	ok, err := doublestar.Match(pattern, rel)
	return ok && err == nil
}

// searchRoot is the directory or file a search begins at.
func (f *files) searchRoot(p string) (string, error) {
	if p == "" {
		p = "."
	}
	root, err := f.path(p)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(root); err != nil {
		return "", plain(err)
	}
	// WalkDir does not follow a root that is a link.
	return filepath.EvalSymlinks(root)
}
