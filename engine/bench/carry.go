package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-flower/gitstate"
	"git-flower/guards"
)

// Limits of what records take along of the bench, in bytes. What is larger stays
// on this machine, and whoever watches is told once.
const (
	carriedFile = 64 << 10 // design 3.2: more is no document
	carriedAll  = 1 << 20
)

// carriedShelves are the folders of the bench that travel with the records:
// what can be made again from them, and spilled texts, stay.
var carriedShelves = [...]string{"scripts", "notes"}

// A Load is what one record takes along of the bench.
type Load struct {
	files map[string][]byte // of the record's tree; nil removes one
	kept  map[string]written
	left  []string // what stays, and why
}

// Load looks what has changed on the bench since the last record. A file is gone
// only when its shelf is still there: whoever deletes the whole bench has lost it
// and removed nothing.
func (b *Bench) Load() Load {
	l := Load{files: map[string][]byte{}, kept: map[string]written{}}
	if b == nil {
		return l
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return l // Refresh tells
	}
	defer root.Close()
	room := int64(carriedAll)
	for _, shelf := range carriedShelves {
		walkShelf(root, shelf, func(name string, info fs.FileInfo) {
			now := written{info.Size(), info.ModTime()}
			if room < now.size {
				l.leave(name, fmt.Sprintf("scripts and notes together are larger than %s", sized(carriedAll)))
				return
			}
			if b.carried[name] != now && !l.take(root, name, now) {
				return
			}
			room -= now.size
			l.kept[name] = now
		})
		b.gone(root, shelf, &l)
	}
	return l
}

// take reads a file that is new or has changed.
func (l *Load) take(root *os.Root, name string, now written) bool {
	if now.size > carriedFile {
		l.leave(name, fmt.Sprintf("it is larger than %s", sized(carriedFile)))
		return false
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return false
	}
	data, err := readSome(f, carriedFile)
	if errors.Join(err, f.Close()) != nil {
		return false // it comes with a later record
	}
	place := path.Join("bench", name)
	switch {
	case guards.Secret(name) || guards.HoldsCredential(string(data)):
		l.leave(name, "it looks like a credential")
		return false
	case gitstate.CheckFile(place, data) != nil:
		l.leave(name, "its name is not for every system")
		return false
	}
	l.files[place] = data
	return true
}

func (l *Load) leave(name, why string) {
	l.left = append(l.left, fmt.Sprintf("'%s' of the bench stays on this machine: %s", name, why))
}

// gone takes what was deleted from a shelf out of the record's tree.
func (b *Bench) gone(root *os.Root, shelf string, l *Load) {
	if info, err := root.Lstat(shelf); err != nil || !info.IsDir() {
		return
	}
	for place := range b.held {
		name := strings.TrimPrefix(place, "bench/")
		if _, there := l.kept[name]; there || !strings.HasPrefix(name, shelf+"/") {
			continue
		}
		if _, err := root.Lstat(filepath.FromSlash(name)); errors.Is(err, fs.ErrNotExist) {
			l.files[place] = nil
		}
	}
}

// Recorded is called once a record holds the load. It returns the words about what
// stays that nobody was told yet.
func (b *Bench) Recorded(l Load) (words []string) {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.carried = l.kept
	for place, data := range l.files {
		if b.held[place] = true; data == nil {
			delete(b.held, place)
		}
	}
	for _, w := range l.left {
		if !b.told[w] {
			b.told[w] = true
			words = append(words, w)
		}
	}
	return words
}

// With adds to a record's files what it takes along of the bench.
func (l Load) With(files map[string][]byte) map[string][]byte {
	if len(l.files) == 0 {
		return files
	}
	all := maps.Clone(l.files)
	maps.Copy(all, files)
	return all
}
