package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"git-flower/worktree/process"
)

// Prepare has nothing to do: the checkout is there.
func (c *InPlace) Prepare(context.Context, string, int) error { return nil }

// Add gives the checkout to a worker. Where its files are not those of the run's
// newest result, somebody has changed them since: a commit of its own holds that,
// so that it is nobody's work but theirs. One worker has the checkout at a time.
func (c *InPlace) Add(ctx context.Context, spec Spec) (*Tree, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.add(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("cannot give the checkout to worker '%s' of run '%s': %w", spec.Worker, spec.Run, err)
	}
	return t, nil
}

func (c *InPlace) add(ctx context.Context, spec Spec) (t *Tree, err error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if c.note.Worker != "" {
		return nil, fmt.Errorf("worker '%s' of run '%s' has it: %w", c.note.Worker, c.note.Run, fs.ErrExist)
	}
	join, err := c.joined(ctx, spec.Base)
	if err != nil {
		return nil, err
	}
	l, err := c.look(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	d, err := l.draw(ctx, join)
	if err != nil {
		return nil, err
	}
	tip, err := l.commit(ctx, d, join, meanwhileMessage(spec.Run))
	if err != nil {
		return nil, err
	}
	crashPoint("worktree-inplace-looked")
	if err := c.own(spec, join, tip, l.view.head); err != nil {
		return nil, err
	}
	crashPoint("worktree-inplace-owned")
	c.mine, c.saved = true, ""
	return c.tree(l), nil
}

// own notes that a worker has the checkout, and what is kept from it there. tip
// holds the checkout's files; it is join where they are those of the run's result.
func (c *InPlace) own(spec Spec, join, tip, head string) error {
	var notes []string
	if tip != join {
		notes = append(notes, fmt.Sprintf("the checkout had changes that no worker had reported; commit %s holds them", tip))
	}
	aside, err := c.everAside()
	if err != nil {
		return err
	}
	made, never, err := c.p.keepFree()
	if err == nil {
		err = c.set(func(n *inPlaceNote) {
			n.Made, n.Never, n.Aside = made, never, aside
			n.Worker, n.Asked, n.Base, n.Tip, n.Seen, n.Notes = spec.Worker, spec.Base, join, tip, head, notes
		})
	}
	if err != nil {
		c.p.takeAway(made)
	}
	return err
}

// joined is the run's newest result, or the base that a tree was asked for at.
func (c *InPlace) joined(ctx context.Context, base string) (string, error) {
	join, err := c.Join(ctx)
	if err != nil {
		return "", err
	}
	if join == "" {
		join = base
	}
	return c.p.commitHere(ctx, join)
}

func meanwhileMessage(run string) string {
	return "Changes made in the checkout meanwhile\n\nNo worker has reported them: they are the user's, or of a worker that did not finish.\n\nFlower-Run: " + run + "\n"
}

func (c *InPlace) tree(l *look) *Tree {
	return &Tree{Path: l.view.top, GitDir: c.p.c.GitDir, Slot: inPlaceSlot, Base: c.note.Base, Fence: c.fenced(l)}
}

// Reopen is Add for a worker that has the checkout already; commands of the run
// that an earlier process left behind are ended. The error wraps fs.ErrNotExist
// when it has not.
func (c *InPlace) Reopen(ctx context.Context, spec Spec) (*Tree, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.reopen(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("cannot give the checkout to worker '%s' of run '%s' again: %w", spec.Worker, spec.Run, err)
	}
	return t, nil
}

func (c *InPlace) reopen(ctx context.Context, spec Spec) (*Tree, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if c.note.Run != spec.Run || c.note.Worker != spec.Worker {
		return nil, fs.ErrNotExist
	}
	l, err := c.look(ctx)
	if err != nil {
		return nil, err
	}
	if !c.mine && c.Mark != "" {
		err = process.EndStartedIn(l.view.top, c.Mark)
	}
	c.mine = true
	err = errors.Join(err, c.keepFreeAgain())
	return c.tree(l), errors.Join(err, l.close())
}

// Release takes the checkout back. Its files stay as they are.
func (c *InPlace) Release(_ context.Context, t *Tree) error {
	if t.Slot != inPlaceSlot {
		return fmt.Errorf("tree '%s' is not the checkout", t.Slot)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mine, c.saved = false, ""
	c.p.takeAway(c.note.Made)
	return c.set(func(n *inPlaceNote) {
		*n = inPlaceNote{Run: n.Run, GitDir: n.GitDir, Branch: n.Branch, Head: n.Head}
	})
}

// Restore is refused: it would write over the user's files.
func (c *InPlace) Restore(_ context.Context, spec Spec, snapshot string) (*Tree, Restored, error) {
	return nil, Restored{}, fmt.Errorf("cannot restore snapshot '%s' of worker '%s' in the checkout, whose files are the user's", snapshot, spec.Worker)
}
