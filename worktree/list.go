package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"git-flower/worktree/process"
)

// An Info tells people about a tree.
type Info struct {
	Slot   string
	Path   string // working tree
	Run    string
	Worker string
	State  string // "working" and driven, "waiting" for its run to go on, "scratch", "free", "aside", "unknown"
	Base   string
	Since  string // RFC 3339
	Reason string // why it was moved aside
	PID    int    // process that drives it; 0 when none does
}

// List tells of all trees below a state folder as Pool.List does. It makes and
// mends nothing, so that it can be asked where nothing can be written.
func List(ctx context.Context, state string) ([]Info, error) {
	return (&Pool{c: Config{State: state}}).List(ctx)
}

// List tells of all trees, those moved aside last. It starts no process and
// takes no lock for longer than it takes to see whether somebody else has it.
func (p *Pool) List(ctx context.Context) ([]Info, error) {
	names, err := p.slotNames()
	if err != nil {
		return nil, fmt.Errorf("cannot list the workers' trees: %w", err)
	}
	var all []Info
	for _, name := range names {
		if info, ok := p.info(name); ok {
			all = append(all, info)
		}
	}
	moved, err := p.movedAside()
	for _, dir := range moved {
		o, bad := readOwner(dir)
		info := describe("aside/"+filepath.Base(filepath.Dir(dir)), dir, o)
		info.State, info.PID = stateAside, 0
		all, err = append(all, info), errors.Join(err, bad)
	}
	return all, errors.Join(err, ctx.Err())
}

func (p *Pool) info(name string) (Info, bool) {
	o, _ := readOwner(p.slotDir(name))
	info := describe(name, p.slotDir(name), o)
	if o.State == stateEmpty {
		info.State = stateFree
	}
	if p.heldSlot(name) != nil {
		return info, true
	}
	s, err := p.lockSlot(name)
	var busy *BusyError
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Info{}, false
	case errors.As(err, &busy):
		return info, true
	case err == nil:
		s.unlock()
	}
	info.PID = 0
	if o.State == stateWorking {
		info.State = "waiting"
	}
	return info, true
}

func describe(name, dir string, o owner) Info {
	return Info{
		Slot: name, Path: filepath.Join(dir, "tree"), Run: o.Run, Worker: o.Worker, State: o.State,
		Base: o.Base, Since: o.Since, Reason: o.Reason, PID: o.PID,
	}
}

// heal puts in order what processes that are gone left half done.
func (p *Pool) heal(ctx context.Context) error {
	names, err := p.slotNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		s, err := p.lockDead(name)
		if err != nil {
			continue // somebody's, or gone meanwhile
		}
		err = p.healSlot(ctx, s)
		var aside *AsideError
		if errors.As(err, &aside) {
			err = nil // List shows it
		}
		if err = errors.Join(err, s.unlock()); err != nil {
			return fmt.Errorf("slot '%s': %w", name, err)
		}
	}
	return errors.Join(process.EndStray(p.treesDir()), p.emptyTrash())
}

func (p *Pool) healSlot(ctx context.Context, s *slot) error {
	switch s.owner.State {
	case stateWorking, stateFree, stateEmpty:
		return nil
	case stateAside:
		return p.moveAside(s, s.owner.Reason)
	case stateBuilding, stateScratch, stateReleasing:
		return errors.Join(process.EndLeft(s.dir), p.recycle(ctx, s))
	}
	return p.moveAside(s, s.owner.Reason)
}

// movedAside lists the folders of trees that were moved aside.
func (p *Pool) movedAside() ([]string, error) {
	var dirs []string
	outer, err := os.ReadDir(p.asideDir())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, o := range outer {
		inner, bad := os.ReadDir(filepath.Join(p.asideDir(), o.Name()))
		err = errors.Join(err, bad)
		for _, i := range inner {
			dirs = append(dirs, filepath.Join(p.asideDir(), o.Name(), i.Name()))
		}
	}
	return dirs, err
}
