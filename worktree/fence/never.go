package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// Never is what a command must not leave behind in a folder that it may write to.
// No kernel can keep a name free there, so it is looked for when the command has
// ended. The zero value is nothing.
type Never struct {
	Dir   string   // absolute
	Names []string // files and folders, as slash-separated paths below Dir
	Aside string   // the folder below Dir that they are moved into
}

// SetAside moves what is there into a new folder, and returns for each what has
// become of it. Links that lead out of Dir are not followed. Where the error is not
// nil something may still be there.
func (n Never) SetAside() (told []string, err error) {
	if len(n.Names) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(n.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot look for what a command left in '%s': %w", n.Dir, err)
	}
	defer root.Close()
	for _, name := range n.Names {
		to, moveErr := n.move(root, name)
		if moveErr != nil {
			err = errors.Join(err, fmt.Errorf("cannot move '%s' aside, which must not be in '%s': %w", name, n.Dir, moveErr))
		} else if to != "" {
			told = append(told, moved(filepath.Join(n.Dir, filepath.FromSlash(name)), filepath.Join(n.Dir, filepath.FromSlash(to))))
		}
	}
	return told, err
}

// moved says what has become of a file.
func moved(from, to string) string {
	return fmt.Sprintf("'%s' was made meanwhile, which git would obey; it is in '%s' now", from, to)
}

// move returns where a name went, "" when it is not there.
func (n Never) move(root *os.Root, name string) (to string, err error) {
	if _, err := root.Lstat(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", err
	}
	if err := root.MkdirAll(n.Aside, 0o755); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		folder := path.Join(n.Aside, strconv.Itoa(i))
		err := root.Mkdir(folder, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		to = path.Join(folder, name)
		if err == nil {
			err = root.MkdirAll(path.Dir(to), 0o755)
		}
		if err == nil {
			err = root.Rename(name, to)
		}
		return to, err
	}
}

// Told lists what SetAside has moved, now and before, in the words it had for it.
func (n Never) Told() ([]string, error) {
	var told []string
	folders, err := os.ReadDir(filepath.Join(n.Dir, n.Aside))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, folder := range folders {
		for _, name := range n.Names {
			to := filepath.Join(n.Dir, n.Aside, folder.Name(), filepath.FromSlash(name))
			if _, err := os.Lstat(to); err == nil {
				told = append(told, moved(filepath.Join(n.Dir, filepath.FromSlash(name)), to))
			}
		}
	}
	return told, err
}
