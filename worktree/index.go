package worktree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Our own index of a tree is never written in place: git works on a copy, which
// then takes the old one's place. So a killed process leaves a whole index, and
// a copy that the next holder of the slot removes.
const indexCopy = "index."

// copyIndex makes a copy to work on. A fresh one is empty: what git then puts
// into it has no memory of sizes and times, and every file is read.
func (s *slot) copyIndex(fresh bool) (string, error) {
	f, err := os.CreateTemp(s.dir, indexCopy+"*")
	if err != nil {
		return "", err
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return "", err
	}
	if fresh {
		return name, os.Remove(name) // git takes an empty file for a broken index
	}
	err = copyFile(s.index(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, os.Remove(name)
	}
	return name, err
}

// keepIndex makes a copy the slot's own index.
func (s *slot) keepIndex(copied string) error { return os.Rename(copied, s.index()) }

// copyFile copies from to to, with its time: git trusts an entry of an index
// only when the index is younger than the file.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// dropCopies removes what a killed process left on its way.
func (p *Pool) dropCopies(s *slot) error {
	if err := errors.Join(p.discard(s.drafts()), p.discard(s.incoming())); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), indexCopy) || strings.HasPrefix(e.Name(), ".new-") {
			if err := removeIfThere(filepath.Join(s.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeIndex removes a copy that is no longer wanted, if it is still there.
func removeIndex(index string) error {
	return errors.Join(removeIfThere(index), removeIfThere(index+".lock"))
}
