package messages

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// maxFile is how large a file may be that a tool takes in whole.
const maxFile = 32 << 20

type digest [sha256.Size]byte

// files are the file tools of one session. They remember what the model has
// seen of each file, so that it never overwrites what it does not know.
type files struct {
	dir string

	mu     sync.Mutex
	seen   map[string]digest
	unkept map[string]digest // seen, but not yet in the transcript
}

func newFiles(dir string) *files {
	return &files{dir: dir, seen: map[string]digest{}, unkept: map[string]digest{}}
}

// news returns what was seen since the last call as a JSON object, nil for nothing.
func (f *files) news() json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.unkept) == 0 {
		return nil
	}
	hexed := map[string]string{}
	for path, d := range f.unkept {
		hexed[path] = hex.EncodeToString(d[:])
	}
	clear(f.unkept)
	raw, err := json.Marshal(hexed)
	if err != nil {
		return nil // a path that is no text: the file is read again when it matters
	}
	return raw
}

// recall takes over what an earlier process has seen. What does not parse is
// not known, and is read again.
func (f *files) recall(seen map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for path, hexed := range seen {
		var d digest
		if raw, err := hex.DecodeString(hexed); err == nil && len(raw) == len(d) {
			copy(d[:], raw)
			f.seen[path] = d
		}
	}
}

// path makes a model's path absolute.
func (f *files) path(p string) (string, error) {
	switch {
	case p == "":
		return "", errors.New("the path is empty")
	case strings.IndexByte(p, 0) >= 0:
		return "", errors.New("the path holds a NUL byte")
	case !filepath.IsAbs(p):
		p = filepath.Join(f.dir, p)
	}
	return filepath.Clean(p), nil
}

// target is where a write to a path ends up once symbolic links are followed.
// A link in the session's directory that leads out of it, or to nothing, is
// refused: the guards have judged the path as it was written.
func (f *files) target(path string) (string, error) {
	real, err := resolved(path)
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(f.dir)
	if err != nil {
		return "", fmt.Errorf("directory '%s' is gone: %w", f.dir, err)
	}
	if (within(f.dir, path) || within(root, path)) && !within(root, real) {
		return "", fmt.Errorf("'%s' is a symbolic link that leads out to '%s'; nothing was written", path, real)
	}
	return real, nil
}

// resolved follows the links in the part of a path that exists.
func resolved(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
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

// within says whether path is root or below it.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// regular opens an existing file that can be read to its end.
func regular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path) // before opening: opening a pipe would wait for a writer
	if err != nil {
		return nil, nil, plain(err)
	}
	if info.IsDir() {
		return nil, nil, fmt.Errorf("'%s' is a directory; list it with Glob", path)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("'%s' is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, plain(err)
	}
	return file, info, nil
}

// whole reads a file of at most maxFile bytes.
func whole(path string) ([]byte, fs.FileInfo, error) {
	file, info, err := regular(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, nil, plain(err)
	}
	if len(data) > maxFile {
		return nil, nil, fmt.Errorf("'%s' is larger than %d MiB", path, maxFile>>20)
	}
	return data, info, nil
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

func (f *files) saw(path string, d digest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[path] = d
	f.unkept[path] = d
}

// known checks that the model has seen a file as it is now.
func (f *files) known(path string, now digest) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.seen[path]
	switch {
	case !ok:
		return fmt.Errorf("'%s' exists and was not read in this session; Read it first", path)
	case d != now:
		return fmt.Errorf("'%s' has changed since it was read; Read it again, then repeat the change on what is there now", path)
	}
	return nil
}

// replace puts data in place of a file in one step: whoever reads it sees the
// old or the new content. An existing file keeps its mode.
func (f *files) replace(path string, data []byte, mode fs.FileMode) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".flower-*")
	if err != nil {
		return plain(err)
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	if _, err = temp.Write(data); err != nil {
		return plain(err)
	}
	if err = temp.Chmod(mode.Perm()); err != nil {
		return plain(err)
	}
	if err = temp.Close(); err != nil {
		return plain(err)
	}
	if err = os.Rename(temp.Name(), path); err != nil {
		return plain(err)
	}
	f.saw(path, sha256.Sum256(data))
	return nil
}
