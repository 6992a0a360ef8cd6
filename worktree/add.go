package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"git-flower/worktree/process"
)

// Add makes a tree for a worker, detached at spec.Base, in a place that is free
// or new. A worker that has a tree already gets an error that wraps
// fs.ErrExist; see Reopen.
func (p *Pool) Add(ctx context.Context, spec Spec) (*Tree, error) {
	t, err := p.add(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("cannot add a tree for worker '%s' of run '%s': %w", spec.Worker, spec.Run, err)
	}
	return t, nil
}

func (p *Pool) add(ctx context.Context, spec Spec) (*Tree, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	base, err := p.commitHere(ctx, spec.Base)
	if err != nil {
		return nil, err
	}
	name, err := p.find(spec)
	if err != nil {
		return nil, err
	}
	if name != "" {
		return nil, fmt.Errorf("it has tree '%s': %w", name, fs.ErrExist)
	}
	o := owner{State: stateWorking, Run: spec.Run, Worker: spec.Worker, Base: base, Tip: base, Saved: base}
	return p.make(ctx, o, base)
}

// commitHere is commit, after git and the repository have been found fit.
func (p *Pool) commitHere(ctx context.Context, id string) (string, error) {
	if _, err := p.facts(ctx); err != nil {
		return "", err
	}
	return p.commit(ctx, id)
}

// make takes a slot and fills it with the files of a tree object; HEAD is o.Base.
func (p *Pool) make(ctx context.Context, o owner, tree string) (*Tree, error) {
	s, err := p.take(o.Base)
	if err != nil {
		return nil, err
	}
	o.PID, o.Since = os.Getpid(), p.c.Now().UTC().Format(time.RFC3339)
	if err := p.build(ctx, s, o, tree); err != nil {
		return nil, errors.Join(err, s.unlock()) // the next Open heals it
	}
	p.hold(s)
	return s.asTree(), nil
}

func (p *Pool) build(ctx context.Context, s *slot, o owner, tree string) error {
	was := s.owner
	if err := s.set(func(now *owner) { *now = o; now.State = stateBuilding }); err != nil {
		return err
	}
	crashPoint("worktree-add-claimed")
	if err := p.dropCopies(s); err != nil {
		return err
	}
	if err := p.fill(ctx, s, was, tree); err != nil {
		return err
	}
	crashPoint("worktree-add-filled")
	if err := p.makeGitDir(ctx, s, o.Base); err != nil {
		return err
	}
	crashPoint("worktree-add-linked")
	if err := s.set(func(now *owner) { *now = o }); err != nil {
		return err
	}
	crashPoint("worktree-add-owned")
	return nil
}

// take locks a slot that is free: one clean at base if there is one, else any,
// else a new one.
func (p *Pool) take(base string) (*slot, error) {
	names, err := p.slotNames()
	if err != nil {
		return nil, err
	}
	var second []string
	for _, name := range names {
		switch o, err := readOwner(p.slotDir(name)); {
		case err != nil || o.State != stateFree && o.State != stateEmpty:
		case o.Base == base:
			if s := p.takeFree(name); s != nil {
				return s, nil
			}
		default:
			second = append(second, name)
		}
	}
	for _, name := range second {
		if s := p.takeFree(name); s != nil {
			return s, nil
		}
	}
	return p.newSlot()
}

// takeFree locks a slot and returns it if it still is free.
func (p *Pool) takeFree(name string) *slot {
	s, err := p.lockSlot(name)
	if err != nil {
		return nil // somebody was faster
	}
	if s.owner.State == stateFree || s.owner.State == stateEmpty {
		if !occupied(s.dir) {
			return s
		}
	}
	s.unlock()
	return nil
}

// Reopen returns the tree that a worker has from before, in this process or in
// one that is gone, whose commands are ended if they still run. Its files are as the worker left them; if the folder was
// deleted, those of the last snapshot or commit are put back, which Finish will
// tell. The error wraps fs.ErrNotExist when there is no such tree, and is a
// *BusyError when another process holds it. Spec.Base does not count.
func (p *Pool) Reopen(ctx context.Context, spec Spec) (*Tree, error) {
	t, err := p.reopen(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("cannot reopen the tree of worker '%s' of run '%s': %w", spec.Worker, spec.Run, err)
	}
	return t, nil
}

func (p *Pool) reopen(ctx context.Context, spec Spec) (*Tree, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	name, err := p.find(spec)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, fs.ErrNotExist
	}
	if s := p.heldSlot(name); s != nil {
		return s.asTree(), nil
	}
	s, err := p.lockDead(name)
	if err != nil {
		return nil, err
	}
	if err := p.resume(ctx, s, spec); err != nil {
		return nil, errors.Join(err, s.unlock())
	}
	p.hold(s)
	return s.asTree(), nil
}

// resume puts a worker's slot in order after the process before it ended.
func (p *Pool) resume(ctx context.Context, s *slot, spec Spec) error {
	if s.owner.State != stateWorking || s.owner.Run != spec.Run || s.owner.Worker != spec.Worker {
		return fs.ErrNotExist
	}
	if err := errors.Join(process.EndLeft(s.dir), p.dropCopies(s)); err != nil {
		return err
	}
	if err := p.restoreDeleted(ctx, s); err != nil {
		return err
	}
	return s.set(func(o *owner) { o.PID = os.Getpid() })
}

// find returns the name of the slot a worker has, or nothing.
func (p *Pool) find(spec Spec) (string, error) {
	names, err := p.slotNames()
	for _, name := range names {
		o, bad := readOwner(p.slotDir(name))
		if bad == nil && o.State == stateWorking && o.Run == spec.Run && o.Worker == spec.Worker {
			return name, nil
		}
	}
	return "", err
}
