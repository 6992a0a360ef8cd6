package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// A look is the checkout as it is now, with a place of ours for an index and for
// objects on their way.
type look struct {
	p      *Pool
	view   *view
	slot   *slot // no tree is in it
	branch string
}

// look opens the checkout, if it is in no middle of anything and still the run's.
// The caller closes it. What a worker has put in the way of git is out of it first.
func (c *InPlace) look(ctx context.Context) (*look, error) {
	p := c.p
	if _, err := c.never().SetAside(); err != nil {
		return nil, err
	}
	if _, err := p.facts(ctx); err != nil {
		return nil, err
	}
	v, err := p.viewCheckoutIn(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	l := &look{p: p, view: v, slot: &slot{name: inPlaceSlot, dir: v.dir}}
	v.git = p.drafting(l.slot, v.git)
	err = errors.Join(os.MkdirAll(l.slot.drafts(), 0o700), os.MkdirAll(l.slot.tree(), 0o700))
	if err == nil {
		l.branch, _ = v.users.Line(ctx, "symbolic-ref", "-q", "HEAD") // none is a detached HEAD
		err = c.stillThere(ctx, l)
	}
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *look) close() error { return l.view.close() }

// stillThere: a checkout of another branch is still the run's when it holds the
// commit that the run began at.
func (c *InPlace) stillThere(ctx context.Context, l *look) error {
	n := c.note
	if n.Head == "" || n.Branch != "" && n.Branch == l.branch {
		return nil
	}
	holds, err := c.p.contains(ctx, l.view.head, n.Head)
	if err == nil && !holds {
		err = &MovedError{Was: n.Branch, Is: l.branch}
	}
	return err
}

// draw makes a draft of the checkout's files, on top of a commit.
func (l *look) draw(ctx context.Context, on string) (*draft, error) {
	tree, leftOut, err := l.view.draw(ctx, on, l.p.c.Limit)
	return l.draft(on, tree, leftOut), err
}

// drawPaths makes a draft of a commit with some files as they are now.
func (l *look) drawPaths(ctx context.Context, on string, paths, leftOut []string) (*draft, error) {
	if err := l.view.load(ctx, on); err != nil {
		return nil, err
	}
	g := &gathering{git: l.view.git, root: l.view.top, limit: l.p.c.Limit, large: l.view.large, leftOut: slices.Clone(leftOut)}
	if err := g.named(ctx, namesIn(l.view.top, paths)); err != nil {
		return nil, err
	}
	slices.Sort(g.leftOut)
	tree, err := l.view.git.Line(ctx, "write-tree")
	return l.draft(on, tree, slices.Compact(g.leftOut)), err
}

func (l *look) draft(on, tree string, leftOut []string) *draft {
	return &draft{tree: tree, leftOut: leftOut, head: on, index: l.view.index()}
}

// parents are those of a commit of the checkout's files after one of ours: HEAD
// is among them when it holds something else, made by whoever commits there.
func (l *look) parents(ctx context.Context, after string) ([]string, error) {
	related, err := l.p.related(ctx, after, l.view.head)
	if err != nil || !related {
		return []string{after}, err
	}
	return l.p.needed(ctx, after, l.view.head)
}

// commit is a commit of the draft's files after another, which is returned itself
// when it has them.
func (l *look) commit(ctx context.Context, d *draft, after, message string) (string, error) {
	if same, err := l.p.sameTree(ctx, d, []string{after}); err != nil || same != "" {
		return same, err
	}
	parents, err := l.parents(ctx, after)
	if err != nil {
		return "", err
	}
	if same, err := l.p.sameTree(ctx, d, parents); err != nil || same != "" {
		return same, err
	}
	return l.p.commitDraft(ctx, l.slot, d, message, parents)
}

// told says how HEAD is other than it was when a worker began.
func (c *InPlace) told(ctx context.Context, l *look) ([]string, error) {
	n := c.note
	var notes []string
	if l.branch != n.Branch {
		notes = append(notes, fmt.Sprintf("the checkout was on %s when the run began and is on %s now", refWords(n.Branch), refWords(l.branch)))
	}
	if l.view.head == n.Seen {
		return notes, nil
	}
	on, err := c.p.contains(ctx, l.view.head, n.Seen)
	if err != nil {
		return nil, err
	}
	how := "moved on"
	if !on {
		how = "was rewritten"
	}
	return append(notes, fmt.Sprintf("%s %s from %s to %s while the worker was at work; nothing of that was undone",
		refWords(l.branch), how, n.Seen, l.view.head)), nil
}
