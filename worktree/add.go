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
	t, err := p.add(ctx, spec, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot add a tree for worker '%s' of run '%s': %w", spec.Worker, spec.Run, err)
	}
	return t, nil
}

// A filler does more to a tree before it is anybody's, and notes in the owner
// where it then stands.
type filler func(*slot, *owner) error

func (p *Pool) add(ctx context.Context, spec Spec, more filler) (*Tree, error) {
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
	tree, err := p.treeOf(ctx, base)
	if err != nil {
		return nil, err
	}
	want, err := p.coneAt(ctx, base)
	if err != nil {
		return nil, err
	}
	o := owner{State: stateWorking, Run: spec.Run, Worker: spec.Worker, Base: base, Tip: base, Saved: base, want: want}
	return p.make(ctx, o, tree, more)
}

// commitHere is commit, after git and the repository have been found fit.
func (p *Pool) commitHere(ctx context.Context, id string) (string, error) {
	if _, err := p.facts(ctx); err != nil {
		return "", err
	}
	return p.commit(ctx, id)
}

// make fills a slot with the files of a tree object; HEAD is o.Base.
func (p *Pool) make(ctx context.Context, o owner, tree string, more filler) (*Tree, error) {
	s, leave, err := p.place(ctx, o.Base, o.want)
	if err != nil {
		return nil, err
	}
	defer leave()
	o.PID, o.Since = os.Getpid(), p.c.Now().UTC().Format(time.RFC3339)
	if err := p.build(ctx, s, o, tree, more); err != nil {
		return nil, errors.Join(err, p.recycle(context.WithoutCancel(ctx), s), s.unlock())
	}
	p.hold(s)
	return p.asTree(s), nil
}

// claim marks a slot as ours to build in, fills it and sets it up.
func (p *Pool) claim(ctx context.Context, s *slot, o owner, base, tree string) error {
	was := s.owner
	if err := s.set(func(now *owner) { *now = o; now.State = stateBuilding }); err != nil {
		return err
	}
	crashPoint("worktree-add-claimed")
	// What was started in an earlier folder of this name would write into this one.
	if err := errors.Join(process.EndLeft(s.dir), p.dropCopies(s), p.dropFenced(s), p.warmUp(ctx, s, o.warm), p.makeFenced(s, o.State == stateScratch)); err != nil {
		return err
	}
	if err := p.fill(ctx, s, was, tree, o.want); err != nil {
		return err
	}
	return p.setUp(ctx, s, base, tree, o.State == stateScratch)
}

func (p *Pool) build(ctx context.Context, s *slot, o owner, tree string, more filler) error {
	if err := p.claim(ctx, s, o, o.Base, tree); err != nil {
		return err
	}
	crashPoint("worktree-add-filled")
	if err := p.makeGitDir(ctx, s, o.Base); err != nil {
		return err
	}
	crashPoint("worktree-add-linked")
	if more != nil {
		if err := more(s, &o); err != nil {
			return err
		}
	}
	if err := s.set(func(now *owner) { *now = o }); err != nil {
		return err
	}
	crashPoint("worktree-add-owned")
	return nil
}

// take locks a slot that is free: one clean at base if there is one, else one
// that holds another commit, else a new one. One with another cone would be made
// anew; it is left for its own kind, unless there is none any more.
func (p *Pool) take(ctx context.Context, base string, want cone) (*slot, error) {
	names, err := p.slotNames()
	if err != nil {
		return nil, err
	}
	f, err := p.facts(ctx)
	if err != nil {
		return nil, err
	}
	var second, last []string
	for _, name := range names {
		switch o, err := readOwner(p.slotDir(name)); {
		case err != nil || o.State != stateFree && o.State != stateEmpty:
		case o.Cone == want.name() && o.Base == base:
			if s := p.takeFree(name); s != nil {
				return s, nil
			}
		case o.Cone == want.name() || o.Base == "":
			second = append(second, name)
		case o.Cone != "" && o.Cone != f.cone.name():
			last = append(last, name)
		}
	}
	for _, name := range append(second, last...) {
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
		if occupied(s) == "" {
			return s
		}
	}
	s.unlock()
	return nil
}
