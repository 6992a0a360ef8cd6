package messages

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A place is a file or directory as seen from the root it lies below. It is
// opened through that root, so that whatever takes the place of a directory on
// the way after it was found, nothing outside is reached.
type place struct {
	root string
	rel  string // local to root
	path string // both together
}

// find follows the links of a model's path and tells below which of the roots it
// ends up.
func find(path string, roots []string) (place, error) {
	led, err := resolved(path)
	if err != nil {
		return place{}, plain(err)
	}
	for _, root := range roots {
		if root, err = filepath.EvalSymlinks(root); err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, led); err == nil && filepath.IsLocal(rel) {
			return place{root: root, rel: rel, path: led}, nil
		}
	}
	if len(roots) == 0 {
		return place{}, fmt.Errorf("nothing is written here; '%s' stays as it is", path)
	}
	if led != path {
		return place{}, fmt.Errorf("'%s' leads out to '%s'; nothing was done. Stay below '%s'", path, led, strings.Join(roots, "', '"))
	}
	return place{}, fmt.Errorf("'%s' is outside; stay below '%s'", path, strings.Join(roots, "', '"))
}

// forReading and forWriting find a path where that may be done.
func (f *files) forReading(path string) (place, error) {
	path, err := f.path(path)
	if err != nil {
		return place{}, err
	}
	return find(path, append(f.roots[:len(f.roots):len(f.roots)], f.readable...))
}

func (f *files) forWriting(path string) (place, error) {
	path, err := f.path(path)
	if err != nil {
		return place{}, err
	}
	return find(path, f.roots)
}

// resolved follows the links in the part of a path that exists.
func resolved(path string) (string, error) {
	led, err := filepath.EvalSymlinks(path)
	if err == nil {
		return led, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if i, err := os.Lstat(path); err == nil && i.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("'%s' is a symbolic link to nothing", path)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return "", err
	}
	if parent, err = resolved(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// folder opens the directory that the place lies in; with make, it is made.
func (p place) folder(make bool) (*os.Root, error) {
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, plain(err)
	}
	defer root.Close()
	dir := filepath.Dir(p.rel)
	if make {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return nil, at(p.path, err)
		}
	}
	folder, err := root.OpenRoot(dir)
	return folder, at(p.path, err)
}

// regular opens an existing file that can be read to its end.
func (p place) regular() (*os.File, fs.FileInfo, error) {
	folder, err := p.folder(false)
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	return regular(folder, filepath.Base(p.rel), p.path)
}

// regular opens a file in a folder. It neither waits for the other end of a pipe
// nor touches a device, also when one takes the file's place meanwhile.
func regular(folder *os.Root, name, path string) (*os.File, fs.FileInfo, error) {
	info, err := folder.Stat(name)
	if err != nil {
		return nil, nil, at(path, err)
	}
	if err := sound(info, path); err != nil {
		return nil, nil, err
	}
	file, err := folder.OpenFile(name, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, nil, at(path, err)
	}
	info, err = file.Stat()
	if err == nil {
		err = sound(info, path)
	}
	if err != nil {
		file.Close()
		return nil, nil, at(path, err)
	}
	return file, info, nil
}

func sound(info fs.FileInfo, path string) error {
	if info.IsDir() {
		return fmt.Errorf("'%s' is a directory; list it with Glob", path)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("'%s' is not a regular file", path)
	}
	return nil
}

// whole reads a file of at most maxFile bytes.
func whole(folder *os.Root, name, path string) ([]byte, fs.FileInfo, error) {
	file, info, err := regular(folder, name, path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, nil, at(path, err)
	}
	if len(data) > maxFile {
		return nil, nil, fmt.Errorf("'%s' is larger than %d MiB", path, maxFile>>20)
	}
	return data, info, nil
}

// at words an error about a file that was opened by a part of its path.
func at(path string, err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	return plain(&fs.PathError{Op: p.Op, Path: path, Err: p.Err})
}

// plain words a file error for a model.
func plain(err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("'%s' does not exist", p.Path)
	}
	return fmt.Errorf("'%s': %w", p.Path, p.Err)
}
