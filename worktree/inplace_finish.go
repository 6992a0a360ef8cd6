package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Finish makes one commit of what the checkout's files have become since the
// worker began, in the user's objects and on no branch. A HEAD that the worker
// moved stays where it is: the commit has it as a parent too, and Notes tell.
func (c *InPlace) Finish(ctx context.Context, t *Tree, m CommitMessage) (Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.finish(ctx, m)
	if err != nil {
		return r, fmt.Errorf("cannot take in the checkout '%s': %w", t.Path, err)
	}
	return r, nil
}

func (c *InPlace) finish(ctx context.Context, m CommitMessage) (r Result, err error) {
	message, err := m.text()
	if err != nil {
		return r, err
	}
	l, err := c.look(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	told, err := c.told(ctx, l)
	if err != nil {
		return r, err
	}
	strange, err := c.strange()
	if err != nil {
		return r, err
	}
	r.Notes = slices.Concat(c.note.Notes, told, strange)
	d, err := l.draw(ctx, c.note.Tip)
	if err != nil {
		return r, err
	}
	if r.Tip, err = l.commit(ctx, d, c.note.Tip, message); err != nil {
		return r, err
	}
	r.Committed, r.LeftOut = r.Tip != c.note.Tip && r.Tip != l.view.head, d.leftOut
	crashPoint("worktree-inplace-committed")
	if err := c.set(func(n *inPlaceNote) { n.Tip = r.Tip }); err != nil {
		return r, err
	}
	r.Stat, err = c.p.Diffstat(ctx, c.note.Base, r.Tip)
	if r.Tip == c.note.Base {
		r.Tip = c.note.Asked // nothing was done, whatever others did before the worker began
	}
	return r, err
}

// Snapshot keeps the checkout's files as Pool.Snapshot keeps a tree's. It does not
// hold what is ignored, and does not list that either: it is the user's.
func (c *InPlace) Snapshot(ctx context.Context, t *Tree, parent string) (Snapshot, error) {
	return c.snapshot(ctx, t, parent, nil)
}

// SnapshotPaths is Snapshot of some files alone, when the last one is the parent.
func (c *InPlace) SnapshotPaths(ctx context.Context, t *Tree, parent string, paths []string) (Snapshot, error) {
	return c.snapshot(ctx, t, parent, paths)
}

func (c *InPlace) snapshot(ctx context.Context, t *Tree, parent string, paths []string) (Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, err := c.keep(ctx, parent, paths)
	if err != nil {
		return s, fmt.Errorf("cannot make a snapshot of the checkout '%s': %w", t.Path, err)
	}
	return s, nil
}

func (c *InPlace) keep(ctx context.Context, parent string, paths []string) (s Snapshot, err error) {
	l, err := c.look(ctx)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	parents, err := c.p.needed(ctx, parent, c.note.Tip)
	if err != nil {
		return s, err
	}
	d, err := c.draft(ctx, l, parents[0], paths)
	if err != nil {
		return s, err
	}
	if s.Commit, err = c.p.sameTree(ctx, d, parents); err == nil && s.Commit == "" {
		s.Commit, err = c.p.commitDraft(ctx, l.slot, d, snapshotMessage(c.note.Worker, c.note.Base, d.leftOut, nil), parents)
	}
	if err != nil {
		return s, err
	}
	crashPoint("worktree-inplace-snapshot")
	c.saved, c.leftOut = s.Commit, d.leftOut
	s.LeftOut, s.Changed = d.leftOut, s.Commit != parent
	return s, nil
}

// draft is one of all files, or where the last snapshot is known of some.
func (c *InPlace) draft(ctx context.Context, l *look, on string, paths []string) (*draft, error) {
	if paths != nil && on == c.saved {
		return l.drawPaths(ctx, on, paths, c.leftOut)
	}
	return l.draw(ctx, on)
}
