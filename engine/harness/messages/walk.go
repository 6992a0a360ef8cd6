package messages

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxWalked is how many entries a search looks at before it gives up.
const maxWalked = 2_000_000

var errTooMany = errors.New("too many files; search in a smaller directory")

// A walked file is one that a search comes to.
type walked struct {
	folder *os.Root // open while the file is visited
	name   string   // in folder
	rel    string   // from where the search began, in slashes
	path   string
}

// A walk visits each regular file below a place, or the place itself. Git
// directories are skipped and symbolic links are not followed, also when one
// takes the place of a directory meanwhile. What cannot be read is left out.
type walk struct {
	ctx   context.Context
	visit func(walked) error
	n     int
}

func (w *walk) from(p place) error {
	folder, err := p.folder(false)
	if err != nil {
		return err
	}
	defer folder.Close()
	name := filepath.Base(p.rel)
	info, err := folder.Stat(name)
	if err != nil {
		return at(p.path, err)
	}
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return nil
		}
		return w.visit(walked{folder, name, name, p.path})
	}
	dir, err := folder.OpenRoot(name)
	if err != nil {
		return at(p.path, err)
	}
	defer dir.Close()
	return w.through(dir, "", p.path)
}

// through visits what is in a directory, in the order of the names.
func (w *walk) through(dir *os.Root, rel, full string) error {
	d, err := dir.Open(".")
	if err != nil {
		return nil
	}
	entries, _ := d.ReadDir(-1) // what came before an error counts
	d.Close()
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	for _, e := range entries {
		if w.n++; w.n > maxWalked {
			return errTooMany
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := w.entry(dir, e, path.Join(rel, e.Name()), filepath.Join(full, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(dir *os.Root, e fs.DirEntry, rel, full string) error {
	switch {
	case e.Name() == ".git":
		return nil
	case e.Type().IsRegular():
		return w.visit(walked{dir, e.Name(), rel, full})
	case !e.IsDir():
		return nil
	}
	sub, err := dir.OpenRoot(e.Name())
	if err != nil {
		return nil
	}
	defer sub.Close()
	return w.through(sub, rel, full)
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

// searchPlace is the directory or file a search begins at.
func (f *files) searchPlace(p string) (place, error) {
	if p == "" {
		p = "."
	}
	begin, err := f.forReading(p)
	if err != nil {
		return place{}, err
	}
	if _, err := os.Stat(begin.path); err != nil {
		return place{}, plain(err)
	}
	return begin, nil
}
