package worktree

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A Snapshot is a tree's state, kept.
type Snapshot struct {
	Commit  string   // the snapshot, or what already holds the same
	LeftOut []string // what it does not hold; see Result
	Changed bool     // whether Commit is other than the parent given
}

// tipTrailer of a snapshot names the worker's HEAD at that time.
const tipTrailer = "Flower-Tip: "

// maxListed is how many left-out paths a snapshot's message carries.
const maxListed = 1000

// Snapshot keeps the tree's files in a commit of the user's objects whose
// parents are parent, the last thing kept of this worker (empty at first), and
// the worker's HEAD where parent does not contain it. So a ref that follows
// snapshots only moves forward. When nothing changed, nothing is made. The
// worker may go on writing meanwhile. No ref is moved.
//
// Files whose size and times are those of the last look are not read again: what
// somebody changes within one second of it, putting the old time back, is seen
// only by TreeDigest and Release.
func (p *Pool) Snapshot(ctx context.Context, t *Tree, parent string) (Snapshot, error) {
	s, err := p.slotOf(t)
	if err != nil {
		return Snapshot{}, err
	}
	defer s.busy.Unlock()
	snap, err := p.snapshot(ctx, s, parent)
	if err != nil {
		return snap, fmt.Errorf("cannot make a snapshot of tree '%s': %w", s.name, err)
	}
	return snap, nil
}

func (p *Pool) snapshot(ctx context.Context, s *slot, parent string) (Snapshot, error) {
	if err := p.restoreDeleted(ctx, s); err != nil {
		return Snapshot{}, err
	}
	var notes []string // Finish will find the same
	head, err := p.importHead(ctx, s, &notes)
	if err != nil {
		return Snapshot{}, err
	}
	crashPoint("worktree-snapshot-imported")
	snap, err := p.keep(ctx, s, parent, head)
	if err != nil {
		return snap, err
	}
	crashPoint("worktree-snapshot-made")
	snap.Changed = snap.Commit != parent
	return snap, s.set(func(o *owner) { o.Tip, o.Saved = head, snap.Commit })
}

// keep returns a commit that contains parent and head and has the tree's files:
// one of these two if it will do.
func (p *Pool) keep(ctx context.Context, s *slot, parent, head string) (snap Snapshot, err error) {
	parents, err := p.needed(ctx, parent, head)
	if err != nil {
		return snap, err
	}
	d, err := p.draw(ctx, s, head, false)
	if err != nil {
		return snap, err
	}
	defer func() { err = errors.Join(err, p.drop(s, d)) }()
	if len(parents) == 1 {
		before, err := p.treeOf(ctx, parents[0])
		if err != nil {
			return snap, err
		}
		if before == d.tree {
			return Snapshot{Commit: parents[0], LeftOut: d.leftOut}, s.keepIndex(d.index)
		}
	}
	commit, err := p.commitDraft(ctx, s, d, snapshotMessage(s.owner.Worker, head, d.leftOut), parents)
	return Snapshot{Commit: commit, LeftOut: d.leftOut}, err
}

// needed drops of parent and head the one that the other contains.
func (p *Pool) needed(ctx context.Context, parent, head string) ([]string, error) {
	if parent == "" {
		return []string{head}, nil
	}
	if has, err := p.contains(ctx, parent, head); err != nil || has {
		return []string{parent}, err
	}
	if has, err := p.contains(ctx, head, parent); err != nil || has {
		return []string{head}, err
	}
	return []string{parent, head}, nil
}

func snapshotMessage(worker, head string, leftOut []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "snapshot: %s\n\n", worker)
	for i, name := range leftOut {
		if i == 0 {
			b.WriteString("Not in it:\n")
		}
		if i == maxListed {
			fmt.Fprintf(&b, "    and %d more\n", len(leftOut)-i)
			break
		}
		fmt.Fprintf(&b, "    %s\n", quoteName(name))
	}
	if len(leftOut) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(tipTrailer + head + "\n")
	return b.String()
}

// quoteName keeps a path on one line and free of control characters.
func quoteName(name string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == '"' || r == '\ufffd' }
	if strings.IndexFunc(name, odd) >= 0 {
		return strconv.Quote(name)
	}
	return name
}

// Restore fills a tree with the files of a snapshot: HEAD and the worker's
// index are at the worker's commit it was made on, the rest is uncommitted as
// it was. Any other commit is simply checked out.
func (p *Pool) Restore(ctx context.Context, t *Tree, snapshot string) error {
	s, err := p.slotOf(t)
	if err != nil {
		return err
	}
	defer s.busy.Unlock()
	if err := p.restore(ctx, s, snapshot); err != nil {
		return fmt.Errorf("cannot restore snapshot '%s' into tree '%s': %w", snapshot, s.name, err)
	}
	return nil
}

func (p *Pool) restore(ctx context.Context, s *slot, snapshot string) error {
	snapshot, err := p.commitHere(ctx, snapshot)
	if err != nil {
		return err
	}
	head, err := p.snapshotHead(ctx, snapshot)
	if err != nil {
		return err
	}
	if err := p.checkOut(ctx, s, head); err != nil {
		return err
	}
	if err := p.makeGitDir(ctx, s, head); err != nil { // with an index at head
		return err
	}
	if err := p.checkOut(ctx, s, snapshot); err != nil {
		return err
	}
	return s.set(func(o *owner) { o.Tip, o.Saved = head, snapshot })
}

// snapshotHead reads the worker's commit from a snapshot's message; it must be
// part of the snapshot's history.
func (p *Pool) snapshotHead(ctx context.Context, snapshot string) (string, error) {
	text, err := p.objects().Read(ctx, "cat-file", "commit", snapshot)
	if err != nil {
		return "", err
	}
	_, message, _ := strings.Cut(string(text), "\n\n")
	last := strings.TrimSuffix(message, "\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	head, ok := strings.CutPrefix(last, tipTrailer)
	if !ok {
		return snapshot, nil
	}
	f, err := p.facts(ctx)
	if err != nil {
		return "", err
	}
	if !f.validID(head) {
		return "", fmt.Errorf("it names '%s' as the worker's commit", head)
	}
	has, err := p.contains(ctx, snapshot, head)
	if err == nil && !has {
		err = fmt.Errorf("it does not contain the worker's commit '%s'", head)
	}
	return head, err
}

// TreeDigest returns the id of the tree object that a tree's files make as they
// are now. Every file is read, nothing is kept.
func (p *Pool) TreeDigest(ctx context.Context, t *Tree) (string, error) {
	s, err := p.slotOf(t)
	if err != nil {
		return "", err
	}
	defer s.busy.Unlock()
	d, err := p.draw(ctx, s, s.owner.Saved, true)
	if err == nil {
		err = p.drop(s, d)
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the files of tree '%s': %w", s.name, err)
	}
	return d.tree, nil
}
