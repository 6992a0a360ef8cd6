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

// writeTries is how often objects are written whose files or folders go away
// meanwhile: the user's gc takes empty folders, temporary files, and objects that
// are in a pack.
const writeTries = 100

// write stores objects. What goes away while it does is written again.
func (w nativeWriter) write(ctx context.Context, objects []object) error {
	var err error
	for range writeTries {
		if err = w.writeOnce(ctx, objects); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if _, gone := os.Stat(w.dir); gone != nil {
			break
		}
	}
	return err
}

// writeOnce puts every object into a temporary file beside its final place, syncs
// all of them, and only then gives them their names and syncs the folders: a
// power cut leaves a whole object or none.
func (w nativeWriter) writeOnce(ctx context.Context, objects []object) error {
	temps := make([]string, len(objects))
	defer func() {
		for _, temp := range temps {
			if temp != "" {
				_ = os.Remove(temp) // the cause is in the error already
			}
		}
	}()
	err := each(len(objects), func(i int) (err error) {
		temps[i], err = w.encode(objects[i])
		return err
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.place(temps, objects)
}

// place gives the temporary files their names and makes those durable. Where
// somebody else was faster, the object is the same.
func (w nativeWriter) place(temps []string, objects []object) error {
	folders := []string{w.dir}
	for i, o := range objects {
		path := w.path(o.id)
		folders = append(folders, filepath.Dir(path))
		if temps[i] == "" {
			continue
		}
		err := os.Rename(temps[i], path)
		if err != nil && !whole(path) {
			return err
		}
		if err == nil {
			temps[i] = ""
		}
	}
	if w.noSync {
		return nil
	}
	return syncFolders(folders)
}

// whole says whether an object is there. A power cut can leave an empty file of
// a git that does not sync, and that one is written again.
func whole(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Size() > 0
}

func (w nativeWriter) path(id ObjectID) string {
	return filepath.Join(w.dir, string(id[:2]), string(id[2:]))
}

// encode writes the object's temporary file and returns its name, "" when the
// object is there already.
func (w nativeWriter) encode(o object) (temp string, err error) {
	path := w.path(o.id)
	if whole(path) {
		return "", w.sync(path)
	}
	f, err := newTemp(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	err = errors.Join(w.fill(f, o), f.Close())
	if err != nil {
		return f.Name(), fmt.Errorf("write object '%s': %w", o.id, err)
	}
	return f.Name(), nil
}

// newTemp creates a file that 'git prune' would clear away, with the mode that
// git gives its objects.
func newTemp(folder string) (*os.File, error) {
	path := filepath.Join(folder, "tmp_obj_"+randomID())
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
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

// each runs f for 0 … n-1 side by side and waits for all. A record has less than
// ten objects; making their files costs more than anything in them, and syncs
// that overlap are committed together by the file system.
func each(n int, f func(int) error) error {
	errs := make([]error, n)
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
	return each(len(folders), func(i int) error { return syncFolder(folders[i]) })
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
