package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// findings are what git does not list in a tree; paths are relative to it, with
// slashes.
type findings struct {
	nested []string // ".git" entries below the top
	odd    []string // sockets, pipes, devices, folders that cannot be read
	files  int      // regular files and links, outside ".git" entries
}

// survey walks a tree. It does not go into what skip holds, nor into ".git"
// entries, and follows no links.
func survey(root string, skip []string) (findings, error) {
	var f findings
	skipped := func(name string) bool {
		_, found := slices.BinarySearch(skip, name)
		return found
	}
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, at)
		name := filepath.ToSlash(rel)
		switch {
		case name == ".":
			return err
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Join(err, relErr) != nil:
			f.odd = append(f.odd, name)
			return skipDir(d)
		}
		return f.see(name, d, skipped)
	})
	return f, err
}

func (f *findings) see(name string, d fs.DirEntry, skipped func(string) bool) error {
	switch {
	case name == ".git":
		return skipDir(d)
	case strings.EqualFold(path.Base(name), ".git"):
		f.nested = append(f.nested, name)
		return skipDir(d)
	case d.IsDir():
		if skipped(name) {
			return fs.SkipDir
		}
	case d.Type().IsRegular() || d.Type()&os.ModeSymlink != 0:
		f.files++
	default:
		f.odd = append(f.odd, name)
	}
	return nil
}

func skipDir(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
