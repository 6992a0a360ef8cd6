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
	carriedFile     = 64 << 10 // design 3.2: more is no document
	carriedArtifact = 16 << 10 // reports point at them; HT001 made 22 of 15K in ten hours
	carriedAll      = 1 << 20
)

// carriedShelves are the folders of the bench that travel with the records, in
// the order in which they have room. Spilled texts stay.
var carriedShelves = [...]string{"scripts", "notes", artifacts}

const artifacts = "artifacts"

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
				l.leave(name, fmt.Sprintf("together they are larger than %s", sized(carriedAll)))
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
	most := int64(carriedFile)
	if isArtifact(name) {
		most = carriedArtifact
	}
	if now.size > most {
		l.leave(name, fmt.Sprintf("it is larger than %s", sized(most)))
		return false
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return false
	}
	data, err := readSome(f, most+1)
	if errors.Join(err, f.Close()) != nil || int64(len(data)) > most {
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

func isArtifact(name string) bool { return strings.HasPrefix(name, artifacts+"/") }

// leave notes why a file stays, for whoever watches. Of artifacts nobody expects
// that they travel.
func (l *Load) leave(name, why string) {
	if isArtifact(name) {
		return
	}
	l.left = append(l.left, fmt.Sprintf("'%s' of the bench stays on this machine: %s", name, why))
}

// gone takes what was deleted from a shelf out of the record's tree, and artifacts
// that have outgrown it: an older one would mislead.
func (b *Bench) gone(root *os.Root, shelf string, l *Load) {
	if info, err := root.Lstat(shelf); err != nil || !info.IsDir() {
		return
	}
	for place := range b.held {
		name := strings.TrimPrefix(place, "bench/")
		if _, there := l.kept[name]; there || !strings.HasPrefix(name, shelf+"/") {
			continue
		}
		if _, err := root.Lstat(filepath.FromSlash(name)); errors.Is(err, fs.ErrNotExist) || shelf == artifacts {
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
