package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"git-flower/gitstate/gitcmd"
)

// An aside holds copies of files of the user's checkout, and of its index, while
// a landing replaces them:
//
//	<git dir>/flower/landing.lock   held by the kernel for whoever lands
//	<git dir>/flower/landing/index  the user's index
//	                         0, 1…  the files
//	                         note   what they are; written last, so that copies
//	                                without it are of a landing that had not begun
type aside struct {
	git  gitcmd.Git // the user's, at the top of the checkout
	dir  string
	lock *os.File
	note asideNote
}

// An asideNote says what is aside and when it has to be put back: as long as
// HEAD is what it was.
type asideNote struct {
	Head  string
	Join  string
	Tree  string // what the merge makes
	Files []asideFile
}

// An asideFile is a file as it was.
type asideFile struct {
	Name string
	Gone bool // there was none
}

// An InterruptedError is a landing that was cut off and after which the checkout
// was changed, so that the copies it had made cannot be put back unasked.
type InterruptedError struct{ Dir string }

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("an earlier landing was cut off, and the files it had put aside are still in '%s'", e.Dir)
}

func (p *Pool) asideIn() string { return filepath.Join(p.c.GitDir, "flower", "landing") }

// lockAside takes the lock of landings in this checkout.
func (p *Pool) lockAside(ctx context.Context) (*aside, error) {
	dir := p.asideIn()
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	lock, err := lockFile(dir + ".lock")
	if errors.Is(err, errLocked) {
		err = errors.New("another landing is on its way in this checkout")
	}
	if err != nil {
		return nil, err
	}
	a := &aside{git: p.c.Git, dir: dir, lock: lock}
	top, err := a.git.Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, errors.Join(ErrBare, unlockFile(lock))
	}
	a.git = a.git.In(top).With("core.hooksPath=/dev/null")
	return a, nil
}

// openAside makes copies of files; the caller closes it.
func (p *Pool) openAside(ctx context.Context, note asideNote, names []string) (*aside, error) {
	a, err := p.lockAside(ctx)
	if err != nil {
		return nil, err
	}
	err = os.Mkdir(a.dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = &InterruptedError{Dir: a.dir}
	} else if err == nil {
		a.note = note
		if err = a.copy(ctx, names); err != nil {
			err = errors.Join(err, a.drop())
		}
	}
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *aside) close() error { return unlockFile(a.lock) }

func (a *aside) drop() error { return os.RemoveAll(a.dir) }

func (a *aside) copyOf(i int) string { return filepath.Join(a.dir, strconv.Itoa(i)) }

func (a *aside) at(name string) string {
	return filepath.Join(a.git.Dir(), filepath.FromSlash(name))
}

func (a *aside) copy(ctx context.Context, names []string) error {
	index, err := a.index(ctx)
	if err != nil {
		return err
	}
	if err := copyExactly(index, filepath.Join(a.dir, "index")); err != nil {
		return err
	}
	for i, name := range names {
		err := copyExactly(a.at(name), a.copyOf(i))
		f := asideFile{Name: name, Gone: missing(err) || errors.Is(err, errFolder)}
		if err != nil && !f.Gone {
			return err
		}
		a.note.Files = append(a.note.Files, f)
	}
	text, err := json.Marshal(a.note)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(a.dir, "note"), text)
}

func (a *aside) index(ctx context.Context) (string, error) {
	return a.git.Line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
}

// missing reports whether an error says that there is no such file, also because
// a file stands where its folder was.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

var errFolder = errors.New("it is a folder")

// copyExactly copies a file or a link with mode and time, to where nothing is.
func copyExactly(from, to string) error {
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errFolder
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err == nil {
			err = os.Symlink(target, to)
		}
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("'%s' is neither a file nor a link", from)
	}
	if err := copyFile(from, to); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm())
}

// putBack makes files and index what they were. It can be repeated.
func (a *aside) putBack(ctx context.Context) error {
	index, err := a.index(ctx)
	if err != nil {
		return err
	}
	lock, err := os.OpenFile(index+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = errors.Join(lock.Close(), a.files())
	if err == nil {
		err = os.Remove(index + ".lock")
	}
	if err == nil {
		err = copyExactly(filepath.Join(a.dir, "index"), index+".lock")
	}
	if err == nil {
		err = os.Rename(index+".lock", index)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(index+".lock"))
	}
	return a.drop()
}

// files puts the files back, after those are gone that were not there.
func (a *aside) files() error {
	l := landing{git: a.git}
	for _, f := range a.note.Files {
		if err := l.remove(f.Name); err != nil {
			return err
		}
	}
	for i, f := range a.note.Files {
		if f.Gone {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(a.at(f.Name)), 0o777); err != nil {
			return err
		}
		if err := copyExactly(a.copyOf(i), a.at(f.Name)); err != nil {
			return err
		}
	}
	return nil
}

// content is that of a file, of a link its target.
func content(path string) ([]byte, error) {
	if target, err := os.Readlink(path); err == nil {
		return []byte(target), nil
	}
	return os.ReadFile(path)
}
