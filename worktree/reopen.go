package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"git-flower/worktree/process"
)

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
		return p.asTree(s), nil
	}
	s, err := p.lockDead(name)
	if err != nil {
		return nil, err
	}
	if err := p.resume(ctx, s, spec); err != nil {
		return nil, errors.Join(err, s.unlock())
	}
	p.hold(s)
	return p.asTree(s), nil
}

// resume puts a worker's slot in order after the process before it ended.
func (p *Pool) resume(ctx context.Context, s *slot, spec Spec) error {
	if s.owner.State != stateWorking || s.owner.Run != spec.Run || s.owner.Worker != spec.Worker {
		return fs.ErrNotExist
	}
	if err := errors.Join(process.EndLeft(s.dir), p.dropCopies(s), p.makeFenced(s, false)); err != nil {
		return err
	}
	if err := p.restoreDeleted(ctx, s); err != nil {
		return err
	}
	if err := p.relink(ctx, s); err != nil {
		return err
	}
	return s.set(func(o *owner) { o.PID = os.Getpid() })
}

// relink gives a worker that lost its git directory, or the file that leads to
// it, another one, so that it can go on.
func (p *Pool) relink(ctx context.Context, s *slot) error {
	if s.gitDirInPlace() {
		_, err := os.Lstat(filepath.Join(s.tree(), ".git"))
		if errors.Is(err, fs.ErrNotExist) {
			return linkTree(s)
		}
		return err
	}
	if err := p.makeGitDir(ctx, s, s.owner.Tip); err != nil {
		return err
	}
	return s.set(func(o *owner) {
		o.Notes = append(o.Notes, "the worker's git directory was gone; commits that were not imported are lost")
	})
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
