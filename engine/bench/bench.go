package bench

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of what is looked at and told of the bench. Workers write there, so a
// folder may hold anything.
const (
	shelfFiles = 500  // of one shelf that are indexed
	shelfDepth = 4    // folders below a shelf
	toldFirst  = 40   // of one shelf in a session's first message
	toldNew    = 10   // in one announcement
	describing = 4096 // bytes at a file's beginning in which it describes itself
)

// shelves are the folders of the bench that are indexed.
var shelves = [...]string{"scripts", "artifacts", "notes"}

// A Bench is the run's shared folder. A nil one is none: it takes nothing along. What is on it was written by workers: names
// and descriptions are data, and no path there is followed out of it.
type Bench struct {
	dir string

	mu    sync.Mutex
	known map[string]File
	clock map[string]written

	carried map[string]written // what is on it just as the newest record holds it, as far as this wake knows
	held    map[string]bool    // paths in the newest record's tree, likewise
	told    map[string]bool    // why files stay on this machine
}

// A File is one entry of the index.
type File struct {
	Path        string // below the bench, with slashes
	description string // cleaned; empty for none
	size        int64
}

// written tells whether a file has changed since it was described.
type written struct {
	size int64
	time time.Time
}

// New returns the bench in a folder that is there; nil when dir is empty.
func New(dir string) *Bench {
	if dir == "" {
		return nil
	}
	return &Bench{dir: dir, known: map[string]File{}, clock: map[string]written{}, held: map[string]bool{}, told: map[string]bool{}}
}

// Refresh looks at the shelves, writes the index when something has changed, and
// returns what is there, in order.
func (b *Bench) Refresh() ([]File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return nil, fmt.Errorf("open the bench: %w", err)
	}
	defer root.Close()
	known, clock, changed := map[string]File{}, map[string]written{}, false
	for _, shelf := range shelves {
		walkShelf(root, shelf, func(name string, info fs.FileInfo) {
			now := written{info.Size(), info.ModTime()}
			file, ok := b.known[name]
			if !ok || b.clock[name] != now {
				file, changed = File{name, describe(root, name), info.Size()}, true
			}
			known[name], clock[name] = file, now
		})
	}
	changed = changed || len(known) != len(b.known)
	b.known, b.clock = known, clock
	files := inOrder(known)
	if !changed {
		return files, nil
	}
	if err := replaceIn(root, ".", "INDEX.md", []byte(index(files))); err != nil {
		return files, fmt.Errorf("write the index of the bench: %w", err)
	}
	return files, nil
}

func inOrder(known map[string]File) []File {
	files := make([]File, 0, len(known))
	for _, f := range known {
		files = append(files, f)
	}
	slices.SortFunc(files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	return files
}

// walkShelf visits the regular files of a shelf, shelfFiles at most. Hidden
// files, links, and names that no tool takes are left out, and so is what
// cannot be read.
func walkShelf(root *os.Root, shelf string, visit func(name string, info fs.FileInfo)) {
	left := shelfFiles
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		d, err := root.Open(dir)
		if err != nil {
			return
		}
		entries, _ := d.ReadDir(4 * shelfFiles) // an error: what came before it counts
		d.Close()
		slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case left == 0:
				return
			case strings.HasPrefix(e.Name(), ".") || cleaned(e.Name()) != e.Name() || strings.Contains(e.Name(), "`"):
			case e.IsDir() && depth < shelfDepth:
				walk(name, depth+1)
			case e.Type().IsRegular():
				if info, err := root.Lstat(name); err == nil {
					left--
					visit(name, info)
				}
			}
		}
	}
	if info, err := root.Lstat(shelf); err == nil && info.IsDir() {
		walk(shelf, 0)
	}
}

// describe is what a file says of itself within its first eight lines: after
// "desc:" in a comment, else in its first comment of more than three characters.
func describe(root *os.Root, name string) string {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	begin, err := readSome(f, describing)
	if err != nil || bytes.IndexByte(begin, 0) >= 0 {
		return ""
	}
	return selfDescription(string(begin))
}
