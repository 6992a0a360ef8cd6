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

// What a snapshot's message says: tipTrailer names the worker's HEAD at that
// time, mergeTrailer each commit that a merge in progress would bring in.
const (
	tipTrailer   = "Flower-Tip: "
	mergeTrailer = "Flower-Merge: "
	leftOutHead  = "Not in it:\n"
)

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
	if err := p.importLarge(ctx, s); err != nil {
		return Snapshot{}, err
	}
	crashPoint("worktree-snapshot-imported")
	parents, merging, err := p.snapshotParents(ctx, s, parent, head)
	if err != nil {
		return Snapshot{}, err
	}
	d, err := p.draw(ctx, s, head, false)
	if err != nil {
		return Snapshot{}, err
	}
	beside, err := p.beside(ctx, s)
	if err != nil {
		return Snapshot{}, errors.Join(err, p.drop(s, d))
	}
	d.leftOut = append(d.leftOut, beside...)
	s.looked, s.leftOut, s.merging = true, d.leftOut, merging
	return p.keep(ctx, s, d, parent, parents)
}

// keep returns a commit that contains the parents and has the draft's files: the
// one parent itself if it will do. The draft is dropped.
func (p *Pool) keep(ctx context.Context, s *slot, d *draft, parent string, parents []string) (snap Snapshot, err error) {
	defer func() { err = errors.Join(err, p.drop(s, d)) }()
	if snap.Commit, err = p.sameTree(ctx, d, parents); err != nil {
		return snap, err
	}
	if snap.Commit != "" {
		err = s.keepIndex(d.index)
	} else {
		snap.Commit, err = p.commitDraft(ctx, s, d, snapshotMessage(s.owner.Worker, d.head, d.leftOut, s.merging), parents)
	}
	if err != nil {
		return snap, err
	}
	crashPoint("worktree-snapshot-made")
	snap.LeftOut, snap.Changed = d.leftOut, snap.Commit != parent
	return snap, s.set(func(o *owner) { o.Tip, o.Saved = d.head, snap.Commit })
}

// sameTree is the only parent when it has the draft's files.
func (p *Pool) sameTree(ctx context.Context, d *draft, parents []string) (string, error) {
	if len(parents) != 1 {
		return "", nil
	}
	before, err := p.treeOf(ctx, parents[0])
	if err != nil || before != d.tree {
		return "", err
	}
	return parents[0], nil
}

// snapshotParents are those of a snapshot, and the commits among them that a
// merge in progress would bring in.
func (p *Pool) snapshotParents(ctx context.Context, s *slot, parent, head string) (parents, merging []string, err error) {
	if parents, err = p.needed(ctx, parent, head); err != nil || operationIn(s.git()) != "merge" {
		return parents, nil, err
	}
	var notes []string // Finish will find the same
	merging = p.mergeHeads(ctx, s, &notes)
	for _, id := range merging {
		has := false
		for _, in := range parents {
			contained, err := p.contains(ctx, in, id)
			if err != nil {
				return nil, nil, err
			}
			has = has || contained
		}
		if !has {
			parents = append(parents, id)
		}
	}
	return parents, merging, nil
}

// beside names what the worker's git directory holds that no snapshot does.
func (p *Pool) beside(ctx context.Context, s *slot) ([]string, error) {
	missing, err := p.missingCommits(ctx, s)
	var names []string
	for _, name := range missing {
		names = append(names, name+" (commits that only the worker's git directory has)")
	}
	if op := operationIn(s.git()); op != "" && op != "merge" {
		names = append(names, "the state of a "+op+" in progress")
	}
	return names, err
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

func snapshotMessage(worker, head string, leftOut, merging []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "snapshot: %s\n\n", worker)
	for i, name := range leftOut {
		if i == 0 {
			b.WriteString(leftOutHead)
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
	for _, id := range merging {
		b.WriteString(mergeTrailer + id + "\n")
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
