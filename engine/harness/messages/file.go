package messages

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"git-flower/engine/harness"
)

// maxFile is how large a file may be that a tool takes in whole.
const maxFile = 32 << 20

type digest [sha256.Size]byte

// files are the file tools of one session. They remember what the model has
// seen of each file, so that it never overwrites what it does not know.
type files struct {
	dir      string
	roots    []string // below which files are written and read
	readable []string // below which they are read besides
	closed   func(path string) bool

	mu     sync.Mutex
	seen   map[string]digest
	unkept map[string]digest // seen, but not yet in the transcript
}

func newFiles(o harness.Options) *files {
	f := &files{dir: o.Dir, roots: o.Roots, readable: o.Readable, closed: o.Closed, seen: map[string]digest{}, unkept: map[string]digest{}}
	if len(f.roots)+len(f.readable) == 0 {
		f.roots = []string{o.Dir}
	}
	if f.closed == nil {
		f.closed = func(string) bool { return false }
	}
	return f
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
// old or the new content, and its other names, if it has any, keep the old one.
func (f *files) replace(folder *os.Root, name, path string, data []byte, mode fs.FileMode) error {
	temp := ".flower-" + rand.Text()
	file, err := folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return at(path, err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Chmod(mode.Perm()), file.Close()); err == nil {
		err = folder.Rename(temp, name)
	}
	if err != nil {
		_ = folder.Remove(temp)
		return at(path, err)
	}
	f.saw(path, sha256.Sum256(data))
	return nil
}
