package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"git-flower/guards"
)

// places looks on the disk where paths lead. What it says may be false a moment
// later; who acts on it has to hold to it by other means.
type places struct{}

func (places) Place(path string) (guards.Place, error) {
	led, err := filepath.EvalSymlinks(path)
	if err == nil {
		info, err := os.Lstat(led)
		if err != nil {
			return guards.Place{}, err
		}
		kind := kindOf(info.Mode())
		return guards.Place{Path: led, Kind: kind, Shared: kind == guards.File && nameCount(info) > 1}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return guards.Place{}, err
	}
	kind := guards.Missing
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		kind = guards.Dangling
	}
	parent := filepath.Dir(path)
	if parent == path {
		return guards.Place{}, err
	}
	above, err := places{}.Place(parent)
	if above.Kind == guards.Dangling {
		kind = guards.Dangling
	}
	return guards.Place{Path: filepath.Join(above.Path, filepath.Base(path)), Kind: kind}, err
}

func kindOf(m fs.FileMode) guards.Kind {
	switch {
	case m.IsDir():
		return guards.Folder
	case m.IsRegular():
		return guards.File
	}
	return guards.Special
}
