package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// errStorage is that of a storage in which nothing can be kept.
var errStorage = errors.New("cannot keep a content for git-lfs")

// A storage is a folder in which git-lfs keeps contents:
//
//	<dir>/objects/<oid 0-1>/<oid 2-3>/<oid>
type storage struct {
	dir   string
	keep  bool // whether take keeps anything
	modes bool // whether the file system tells which files can be run
}

func (l *storage) path(oid string) string {
	return filepath.Join(l.dir, "objects", oid[:2], oid[2:4], oid)
}

func (l *storage) has(oid string) bool {
	info, err := os.Stat(l.path(oid))
	return err == nil && info.Mode().IsRegular()
}

// take keeps a file's content, if it has not got it, and returns the pointer to
// it; none for an empty file and for one that is a pointer.
func (l *storage) take(ctx context.Context, path string) (pointer, fs.FileMode, error) {
	in, err := openPlain(path)
	if err != nil {
		return pointer{}, 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return pointer{}, 0, err
	}
	head := make([]byte, maxPointer)
	n, err := io.ReadFull(in, head)
	if head = head[:n]; n == 0 || isPointer(head) {
		return pointer{}, 0, nil
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return pointer{}, 0, err
	}
	to, err := copyHashed(ctx, io.Discard, io.MultiReader(bytes.NewReader(head), in))
	if err != nil || !l.keep || l.has(to.oid) {
		return to, info.Mode(), err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return pointer{}, 0, err
	}
	return to, info.Mode(), l.put(ctx, in, to)
}

// put writes a content under its name, if it still is what it was.
func (l *storage) put(ctx context.Context, in io.Reader, want pointer) error {
	tmp := filepath.Join(l.dir, "tmp")
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		return fmt.Errorf("%w: %w", errStorage, err)
	}
	out, err := os.CreateTemp(tmp, "flower-")
	if err != nil {
		return fmt.Errorf("%w: %w", errStorage, err)
	}
	defer removeIfThere(out.Name())
	got, err := copyHashed(ctx, out, in)
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", errStorage, err), out.Close())
	}
	if got != want {
		return errors.Join(errTouched, out.Close())
	}
	at := l.path(want.oid)
	err = errors.Join(out.Chmod(0o444), out.Sync(), out.Close(), os.MkdirAll(filepath.Dir(at), 0o777))
	if err == nil {
		err = os.Rename(out.Name(), at)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errStorage, err)
	}
	return nil
}

// copyHashed copies until the end, or until nobody waits any more.
func copyHashed(ctx context.Context, to io.Writer, from io.Reader) (pointer, error) {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, to), waited{ctx, from})
	return pointer{oid: hex.EncodeToString(sum.Sum(nil)), size: n}, err
}

// waited is a reader that ends with its context.
type waited struct {
	ctx context.Context
	r   io.Reader
}

func (w waited) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(b)
}
