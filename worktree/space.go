package worktree

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A Room is what a file system has free for this user.
type Room struct {
	Bytes     uint64
	Files     uint64
	AnyNumber bool // Files does not count: the file system makes room for them as it goes
}

// A SpaceError is a file system that has no room for a tree.
type SpaceError struct {
	Dir   string // where the trees are kept
	Need  Room   // what the tree takes, roughly, with something to spare for all else
	Found Room
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("not enough room in '%s': it takes about %s and %d files, and %s and %s are free",
		e.Dir, size(e.Need.Bytes), e.Need.Files, size(e.Found.Bytes), e.Found.filesText())
}

func (r Room) filesText() string {
	if r.AnyNumber {
		return "any number"
	}
	return strconv.FormatUint(r.Files, 10) + " files"
}

// size writes a number of bytes for people.
func size(bytes uint64) string {
	if bytes < 10<<20 {
		return strconv.FormatUint(bytes>>10, 10) + " KiB"
	}
	return strconv.FormatUint(bytes>>20, 10) + " MiB"
}

// What a tree takes besides the contents of its files.
const (
	block       = 4096 // files and folders take whole ones on most file systems
	indexEntry  = 256  // in our index and the worker's
	gitDirFiles = 64
	spareBytes  = 4 << 20 // for records, transcripts and the worker's first steps
)

// room makes sure that there is room for so many times a tree object's files.
// A file system that does not tell is believed to have it.
func (p *Pool) room(ctx context.Context, tree string, times uint64) error {
	need, err := p.takes(ctx, tree)
	if err != nil {
		return err
	}
	found, err := p.free()
	if err != nil {
		return nil
	}
	need.Bytes, need.Files = times*need.Bytes+spareBytes, times*need.Files+gitDirFiles
	if found.Bytes < need.Bytes || !found.AnyNumber && found.Files < need.Files {
		return &SpaceError{Dir: p.treesDir(), Need: need, Found: found}
	}
	return nil
}

// free is what the file system of the trees has free.
func (p *Pool) free() (Room, error) {
	if p.c.Room != nil {
		return p.c.Room(p.treesDir())
	}
	return roomIn(p.treesDir())
}

// takes estimates what the files of a tree object take, from their sizes as
// objects. In a partial clone those are unknown for what is not there yet, and
// the least is taken: a block for each.
func (p *Pool) takes(ctx context.Context, tree string) (Room, error) {
	p.mu.Lock()
	known, ok := p.sizes[tree]
	p.mu.Unlock()
	if ok {
		return known, nil
	}
	f, err := p.facts(ctx)
	if err != nil {
		return Room{}, err
	}
	args := []string{"ls-tree", "-r", "-t", "-z", "--full-tree"}
	if !f.partial() {
		args = append(args, "-l")
	}
	out, err := p.objects().Read(ctx, append(args, tree)...)
	if err != nil {
		return Room{}, err
	}
	need := sumOf(out)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sizes[tree] = need
	return need, nil
}

// sumOf adds up what 'ls-tree -z' lists, with sizes or without.
func sumOf(listing []byte) Room {
	var r Room
	for line := range strings.SplitSeq(string(listing), "\x00") {
		what, _, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		bytes := uint64(1)
		if fields := strings.Fields(what); len(fields) == 4 && fields[3] != "-" {
			bytes, _ = strconv.ParseUint(fields[3], 10, 64)
		}
		r.Files++
		r.Bytes += (bytes+block-1)/block*block + indexEntry
	}
	return r
}

// partial reports whether objects may be missing until they are asked for.
func (f *facts) partial() bool {
	if f.config["extensions.partialclone"] != "" {
		return true
	}
	for key := range f.config {
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") {
			return true
		}
	}
	return false
}
