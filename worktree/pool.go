package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"git-flower/gitstate/gitcmd"
	"git-flower/worktree/fence"
)

// DefaultLimit is the size in bytes over which a file that the worker's HEAD
// does not hold is listed instead of stored (design 5, 10 MiB).
const DefaultLimit = 10 << 20

// A Config says whose trees a Pool keeps and where.
type Config struct {
	Git       gitcmd.Git                     // in the user's repository, with the caller's environment
	GitDir    string                         // its git directory, absolute
	CommonDir string                         // its common git directory, absolute; GitDir but for linked worktrees
	State     string                         // folder of this repository's local state, absolute; made if missing
	Now       func() time.Time               // nil means time.Now
	Identity  string                         // "Name <mail>"; empty means git's answer, else git flower's own
	Limit     int64                          // zero means DefaultLimit
	Room      func(dir string) (Room, error) // what is free where trees are kept; nil asks the system
	Setup     string                         // a shell command that prepares each new tree once; may be empty
	SetupTime time.Duration                  // how long it may take; zero means DefaultSetupTime
	NoSync    bool                           // leave it to the system when objects reach the disk
	Fence     fence.Policy                   // what commands in the trees are held to besides; see Tree.Fence
}

// A Pool keeps the workers' trees of one repository. Several processes may use
// the same folder at once; a tree belongs to the process that holds its lock.
// Its methods may be called from several goroutines.
type Pool struct {
	c Config

	mu    sync.Mutex
	held  map[string]*slot // by name, those whose lock is ours
	ready []*slot          // free, proven and locked by us
	known *facts
	sizes map[string]Room // by tree object, what its files take

	filling chan struct{} // holds one while a tree is filled
}

// A Tree is a working tree in the hands of this process.
type Tree struct {
	Path   string // working tree
	GitDir string // its own git directory, outside Path
	Slot   string // the pool's name for the place
	Base   string // commit it was made at

	SetupFailed string // why Config.Setup did not succeed in it, with the end of its output

	// Fence is what commands in the tree are held to: they may change the tree, its
	// git directory, caches and temporary files. Nil where nothing is held.
	Fence *fence.Policy
}

// A Spec names a worker of a run and the commit its tree starts at.
type Spec struct{ Run, Worker, Base string }

func (s Spec) check() error {
	if s.Run == "" || s.Worker == "" {
		return fmt.Errorf("a tree needs a run and a worker, got '%s' and '%s'", s.Run, s.Worker)
	}
	return nil
}

// Open opens the pool in c.State and puts in order what a killed process left
// half done: trees that were being made are free again, trees that were being
// given back are given back, unknown ones are moved aside. Trees of workers
// stay as they are. What a killed landing had put aside is put back.
func Open(ctx context.Context, c Config) (*Pool, error) {
	for _, dir := range []string{c.GitDir, c.CommonDir, c.State} {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("cannot open the workers' trees: path '%s' is not absolute", dir)
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Limit == 0 {
		c.Limit = DefaultLimit
	}
	if c.SetupTime == 0 {
		c.SetupTime = DefaultSetupTime
	}
	p := &Pool{c: c, held: map[string]*slot{}, sizes: map[string]Room{}, filling: make(chan struct{}, 1)}
	err := p.makeDirs()
	if err == nil {
		err = p.heal(ctx)
	}
	if err == nil {
		err = p.healLanding(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the workers' trees in '%s': %w", c.State, err)
	}
	return p, nil
}

// Close lets go of the trees this pool holds. Workers' trees stay for Reopen.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for name, s := range p.held {
		errs = append(errs, s.unlock())
		delete(p.held, name)
	}
	for _, s := range p.ready {
		errs = append(errs, s.unlock())
	}
	p.ready = nil
	return errors.Join(errs...)
}

func (p *Pool) treesDir() string           { return filepath.Join(p.c.State, "tree") }
func (p *Pool) slotDir(name string) string { return filepath.Join(p.treesDir(), name) }
func (p *Pool) asideDir() string           { return filepath.Join(p.c.State, "aside") }
func (p *Pool) trashDir() string           { return filepath.Join(p.c.State, "trash") }
func (p *Pool) emptyDir() string           { return filepath.Join(p.c.State, "empty") }

// makeDirs makes the pool's folders; nobody else on the machine may look in.
func (p *Pool) makeDirs() error {
	for _, dir := range []string{p.treesDir(), p.asideDir(), p.trashDir(), p.emptyDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// hold and letGo keep the list of what is ours.
func (p *Pool) hold(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[s.name] = s
}

func (p *Pool) letGo(s *slot) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, s.name)
	return s.unlock()
}

func (p *Pool) heldSlot(name string) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held[name]
}

// slotOf returns the slot of a tree that is in our hands, for one operation at
// a time: the caller unlocks busy.
func (p *Pool) slotOf(t *Tree) (*slot, error) {
	if s := p.heldSlot(t.Slot); s != nil {
		s.busy.Lock()
		switch err := p.stillOurs(s); {
		case err != nil:
			s.busy.Unlock()
			return nil, fmt.Errorf("cannot use tree '%s': %w", t.Slot, err)
		case p.heldSlot(t.Slot) == s:
			return s, nil
		}
		s.busy.Unlock() // given back while we waited
	}
	return nil, fmt.Errorf("tree '%s' is not held by this process", t.Slot)
}

// stillOurs takes a held slot anew when somebody removed its folder or its lock,
// which protects nothing then. Another process may have taken the place since:
// that is an error.
func (p *Pool) stillOurs(s *slot) error {
	if p.heldSlot(s.name) != s || s.inPlace() {
		return nil
	}
	if err := errors.Join(p.makeDirs(), os.MkdirAll(s.dir, 0o700)); err != nil {
		return err
	}
	again, err := p.lockSlot(s.name)
	if err != nil {
		return fmt.Errorf("its folder was removed: %w", err)
	}
	if o := again.owner; o.State != stateEmpty && (o.State != s.owner.State || o.Run != s.owner.Run || o.Worker != s.owner.Worker) {
		return errors.Join(errors.New("its folder was removed, and what is there belongs to another"), again.unlock())
	}
	err = s.unlock()
	s.lock = again.lock
	return errors.Join(err, s.set(func(*owner) {}))
}
