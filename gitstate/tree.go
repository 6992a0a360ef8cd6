package gitstate

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// File modes of git that the trees of records use.
const (
	modeFile   = "100644"
	modeScript = "100755"
	modeFolder = "40000"
)

// An item is an entry of a tree.
type item struct {
	name string
	mode string
	id   ObjectID
	sub  *folder // of a folder, when its content is known
}

func (i item) isFolder() bool { return i.mode == modeFolder }

// A folder is the content of a tree object. It never changes: set and remove
// return another one that shares what did not change, so that an append which
// fails leaves the old one as it was.
type folder struct{ items []item } // sorted by name, bytewise

func byName(i item, name string) int { return strings.Compare(i.name, name) }

func (f *folder) find(name string) (item, bool) {
	at, ok := slices.BinarySearchFunc(f.items, name, byName)
	if !ok {
		return item{}, false
	}
	return f.items[at], true
}

// with returns the folder with one entry replaced or added.
func (f *folder) with(it item) *folder {
	at, ok := slices.BinarySearchFunc(f.items, it.name, byName)
	if ok {
		items := slices.Clone(f.items)
		items[at] = it
		return &folder{items}
	}
	items := make([]item, 0, len(f.items)+1)
	items = append(append(append(items, f.items[:at]...), it), f.items[at:]...)
	return &folder{items}
}

// without returns the folder without one entry.
func (f *folder) without(name string) *folder {
	items := slices.Clone(f.items)
	return &folder{slices.DeleteFunc(items, func(i item) bool { return i.name == name })}
}

// print returns the tree object's content. Git sorts folders as if their names
// ended with '/'.
func (f *folder) print() ([]byte, error) {
	items := slices.Clone(f.items)
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(sortKey(a), sortKey(b)) })
	var b bytes.Buffer
	for _, i := range items {
		raw, err := hex.DecodeString(string(i.id))
		if err != nil {
			return nil, fmt.Errorf("object id '%s' of '%s': %w", i.id, i.name, err)
		}
		b.WriteString(i.mode + " " + i.name + "\x00")
		b.Write(raw)
	}
	return b.Bytes(), nil
}

func sortKey(i item) string {
	if i.isFolder() {
		return i.name + "/"
	}
	return i.name
}

// parseTree reads a tree object whose ids have size bytes.
func parseTree(raw []byte, size int) (*folder, error) {
	f := &folder{}
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ok || !spaced || name == "" || len(rest) < size {
			return nil, fmt.Errorf("tree entry '%.80q' is cut short", head)
		}
		f.items = append(f.items, item{name: name, mode: mode, id: ObjectID(hex.EncodeToString(rest[:size]))})
		raw = rest[size:]
	}
	slices.SortFunc(f.items, func(a, b item) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(f.items); i++ {
		if f.items[i].name == f.items[i-1].name {
			return nil, fmt.Errorf("tree entry '%.80q' is there twice", f.items[i].name)
		}
	}
	return f, nil
}
