package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A slot is a numbered place for a tree:
//
//	<State>/tree/<slot>/lock    held by the kernel for whoever uses the slot
//	                    owner   whose it is and how far it got
//	                    tree/   the working tree
//	                    git/    its git directory
//	                    setup   what the user's setup has made there
//	                    cone/   what is in a tree that is sparse
//	                    index   our own index of tree/, never the worker's
//	                    drafts/ objects made of tree/ and not imported yet
//	                    incoming/ objects on their way to the user
//	                    temp/   temporary files of commands
//	                    cache/  caches of commands in a throw-away tree
//
// Only tree/, git/, temp/ and cache/ are for commands.
type slot struct {
	name  string
	dir   string
	lock  *os.File
	busy  sync.Mutex // one of our operations at a time
	owner owner
	setup setup
	cone  cone // which files of a commit the tree holds

	written string // under which conversions; see conversions

	proven  bool // it was proven to be at its base since we have the lock
	holding bool // what is brought from it is kept from gc, see hold.go

	// Of the last snapshot that looked at everything, if there was one.
	looked  bool
	leftOut []string
	merging []string
}

func (s *slot) tree() string     { return filepath.Join(s.dir, "tree") }
func (s *slot) git() string      { return filepath.Join(s.dir, "git") }
func (s *slot) index() string    { return filepath.Join(s.dir, "index") }
func (s *slot) drafts() string   { return filepath.Join(s.dir, "drafts") }
func (s *slot) incoming() string { return filepath.Join(s.dir, "incoming") }
func (s *slot) temp() string     { return filepath.Join(s.dir, "temp") }

func (p *Pool) asTree(s *slot) *Tree {
	return &Tree{
		Path: s.tree(), GitDir: s.git(), Slot: s.name, Base: s.owner.Base, SetupFailed: s.setup.Failed,
		Fence: p.fenced(s, s.owner.State == stateScratch),
	}
}

// set changes what the owner file says, on disk first.
func (s *slot) set(change func(*owner)) error {
	next := s.owner
	next.Notes = slices.Clone(next.Notes)
	change(&next)
	next.Cone, next.ConeFolders, next.Written = s.cone.name(), s.cone.folders, s.written
	if err := next.write(s.dir); err != nil {
		return err
	}
	s.owner = next
	return nil
}

// A BusyError is a slot that another process uses.
type BusyError struct {
	Slot string
	PID  int // 0 when unknown
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("tree '%s' is in use by process %d", e.Slot, e.PID)
}

// lockSlot takes the lock of a slot that exists, without waiting.
func (p *Pool) lockSlot(name string) (*slot, error) {
	s := &slot{name: name, dir: p.slotDir(name)}
	if _, err := os.Stat(s.dir); err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(s.dir, "lock"))
	if errors.Is(err, errLocked) {
		o, _ := readOwner(s.dir)
		return nil, &BusyError{Slot: name, PID: o.PID}
	}
	if err != nil {
		return nil, err
	}
	s.lock = lock
	if !s.inPlace() {
		return nil, errors.Join(&BusyError{Slot: name}, s.unlock())
	}
	if s.owner, err = readOwner(s.dir); err == nil {
		s.written = s.owner.Written
		err = s.readConeDir()
	}
	if err != nil {
		return nil, errors.Join(err, s.unlock())
	}
	s.readSetup()
	return s, nil
}

// lockDead is lockSlot, and waits for locks that do not last: List has each for
// an instant, and one who is dead may have been about to start a child, which
// holds on to it for a moment.
func (p *Pool) lockDead(name string) (*slot, error) {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for n := range 400 {
		s, err := p.lockSlot(name)
		var busy *BusyError
		if !errors.As(err, &busy) || n >= 10 && (busy.PID == 0 || alive(busy.PID)) {
			return s, err
		}
		<-poll.C
	}
	return p.lockSlot(name)
}

// inPlace reports whether the file we locked is still the slot's: a slot may be
// moved aside between opening and locking.
func (s *slot) inPlace() bool {
	ours, err := s.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(filepath.Join(s.dir, "lock"))
	return err == nil && os.SameFile(ours, there)
}

func (s *slot) unlock() error { return unlockFile(s.lock) }

// newSlot makes the first number that is not there yet and locks it.
func (p *Pool) newSlot() (*slot, error) {
	if err := p.makeDirs(); err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		name := strconv.Itoa(n)
		err := os.Mkdir(p.slotDir(name), 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s, err := p.lockSlot(name)
		var taken *BusyError
		if errors.As(err, &taken) {
			continue
		}
		return s, err
	}
}

// slotNames lists the slots, lowest number first.
func (p *Pool) slotNames() ([]string, error) {
	entries, err := os.ReadDir(p.treesDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var numbers []int
	for _, e := range entries {
		if n, bad := strconv.Atoi(e.Name()); bad == nil && n > 0 && e.IsDir() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = strconv.Itoa(n)
	}
	return names, err
}
