package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

// nativeWriter writes loose objects without a process. go-git encodes them.
// Its own storage has no sync and would place them without their folders being
// on disk, so the files are placed here.
type nativeWriter struct {
	dir    string // the objects folder
	noSync bool
}

// write puts every object into a temporary file beside its final place, syncs
// all of them, and only then gives them their names and syncs the folders: a
// power cut leaves a whole object or none.
func (w nativeWriter) write(ctx context.Context, objects []object) error {
	temps := make([]string, len(objects))
	defer func() {
		for _, temp := range temps {
			if temp != "" {
				_ = os.Remove(temp) // the cause is in the error already
			}
		}
	}()
	err := each(len(objects), w.noSync, func(i int) (err error) {
		temps[i], err = w.encode(objects[i])
		return err
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	folders := []string{w.dir}
	for i, o := range objects {
		if temps[i] != "" {
			if err := os.Rename(temps[i], w.path(o.id)); err != nil {
				return err
			}
			temps[i] = ""
		}
		folders = append(folders, filepath.Dir(w.path(o.id)))
	}
	if w.noSync {
		return nil
	}
	return syncFolders(folders)
}

func (w nativeWriter) path(id ObjectID) string {
	return filepath.Join(w.dir, string(id[:2]), string(id[2:]))
}

// encode writes the object's temporary file and returns its name, "" when the
// object is there already.
func (w nativeWriter) encode(o object) (temp string, err error) {
	path := w.path(o.id)
	if _, err := os.Lstat(path); err == nil {
		return "", w.sync(path)
	}
	folder := filepath.Dir(path)
	if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	f, err := os.CreateTemp(folder, "tmp_obj_*")
	if err != nil {
		return "", err
	}
	err = errors.Join(w.fill(f, o), f.Close())
	if err != nil {
		return f.Name(), fmt.Errorf("write object '%s': %w", o.id, err)
	}
	return f.Name(), nil
}

func (w nativeWriter) fill(f *os.File, o object) error {
	kind, err := plumbing.ParseObjectType(o.kind)
	if err != nil {
		return err
	}
	enc := objfile.NewWriter(f)
	if err := enc.WriteHeader(kind, int64(len(o.data))); err != nil {
		return errors.Join(err, enc.Close())
	}
	_, err = enc.Write(o.data)
	if err = errors.Join(err, enc.Close()); err != nil {
		return err
	}
	if got := enc.Hash().String(); got != string(o.id) {
		return fmt.Errorf("encoded as '%s'", got)
	}
	if err := f.Chmod(0o444); err != nil {
		return err
	}
	if w.noSync {
		return nil
	}
	return f.Sync()
}

// sync makes an object durable that somebody else wrote, perhaps a moment ago.
func (w nativeWriter) sync(path string) error {
	if w.noSync {
		return nil
	}
	return syncFile(path)
}

// each runs f for 0 … n-1 and waits for all. Syncs overlap, so that the file
// system can commit them together; without them one after the other is faster.
func each(n int, serial bool, f func(int) error) error {
	errs := make([]error, n)
	if serial || n == 1 {
		for i := range n {
			if errs[i] = f(i); errs[i] != nil {
				break
			}
		}
		return errors.Join(errs...)
	}
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = f(i) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// syncFolders syncs each of the folders once.
func syncFolders(folders []string) error {
	slices.Sort(folders)
	folders = slices.Compact(folders)
	return each(len(folders), false, func(i int) error { return syncFolder(folders[i]) })
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
