package bench

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// readSome is the beginning of a regular file, so many bytes at most. What lies on
// the bench may have become a pipe since it was listed.
func readSome(f *os.File, most int64) ([]byte, error) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.ErrUnsupported)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// replaceIn puts a file into a folder below root in one step. It lasts when the
// call returns.
func replaceIn(root *os.Root, dir, name string, data []byte) (err error) {
	folder, err := root.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	temp := "." + name + ".new"
	if err := folder.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, folder.Remove(temp))
	}
	if err := folder.Rename(temp, name); err != nil {
		return errors.Join(err, folder.Remove(temp))
	}
	d, err := folder.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(d), d.Close())
}
