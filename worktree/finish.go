package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Result is what a worker left.
type Result struct {
	Tip       string   // its work, a commit in the user's objects; the base when it did nothing
	Committed bool     // whether the last commit is the engine's
	Stat      string   // diffstat from the tree's base
	LeftOut   []string // files that no commit holds: ignored, too large, unreadable
	Notes     []string // what was not as it should be, in sentences for a person
}

// Finish makes one commit of what a worker left uncommitted and brings all its
// commits into the user's objects. It moves no ref of the user's. The tree
// stays the worker's, at the new tip, so that it can go on and be finished
// again.
//
// What counts is the commit the worker's HEAD names, on whatever branch. A HEAD
// that cannot be read is replaced by the last one that was imported. A merge
// left half done becomes a commit with both parents when no conflict markers
// are left, else one with the first parent alone, so that the merge can be made
// again. History that does not go back to the base gets the base as its first
// parent. A deleted tree is put back from the last snapshot. Each of these is
// told in Notes.
//
// Until Release no 'git gc', not even one that prunes at once, takes away what
// was brought: the caller has that long to have a ref name it.
func (p *Pool) Finish(ctx context.Context, t *Tree, m CommitMessage) (Result, error) {
	s, err := p.slotOf(t)
	if err != nil {
		return Result{}, err
	}
	defer s.busy.Unlock()
	s.holding = true
	r, err := p.finish(ctx, s, m)
	s.holding = false
	if err != nil {
		return r, fmt.Errorf("cannot finish tree '%s': %w", s.name, err)
	}
	return r, nil
}

func (p *Pool) finish(ctx context.Context, s *slot, m CommitMessage) (Result, error) {
	message, err := m.text()
	if err != nil {
		return Result{}, err
	}
	if err := p.restoreDeleted(ctx, s); err != nil {
		return Result{}, err
	}
	r := Result{Notes: slices.Clone(s.owner.Notes)}
	head, err := p.importHead(ctx, s, &r.Notes)
	if err != nil {
		return r, err
	}
	if err := p.importLarge(ctx, s); err != nil {
		return r, err
	}
	crashPoint("worktree-finish-imported")
	if err := p.commitRest(ctx, s, head, message, &r); err != nil {
		return r, err
	}
	crashPoint("worktree-finish-committed")
	if err := s.set(func(o *owner) { o.Tip, o.Saved, o.Notes = r.Tip, r.Tip, nil }); err != nil {
		return r, err
	}
	crashPoint("worktree-finish-noted")
	if err := p.settle(ctx, s, r.Tip); err != nil {
		return r, err
	}
	r.Stat, err = p.Diffstat(ctx, s.owner.Base, r.Tip)
	return r, err
}

// commitRest commits the files as they are on top of head, if they differ.
func (p *Pool) commitRest(ctx context.Context, s *slot, head, message string, r *Result) (err error) {
	d, err := p.draw(ctx, s, head, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.drop(s, d)) }()
	noteTop(s, &r.Notes)
	parents, err := p.parents(ctx, s, d, &r.Notes)
	if err != nil {
		return err
	}
	before, err := p.treeOf(ctx, head)
	if err != nil {
		return err
	}
	if before == d.tree && len(parents) == 1 {
		r.Tip, r.LeftOut = head, d.leftOut
		return s.keepIndex(d.index)
	}
	r.Tip, err = p.commitDraft(ctx, s, d, message, parents)
	r.LeftOut, r.Committed = d.leftOut, r.Tip != head
	return err
}

// importHead brings what the worker's HEAD names into the user's objects and
// returns it; what cannot be read or imported is replaced by what is there.
func (p *Pool) importHead(ctx context.Context, s *slot, notes *[]string) (string, error) {
	note := func(text string) { *notes = append(*notes, text) }
	h, err := p.readHead(ctx, s, "HEAD")
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	switch {
	case err != nil:
		note(err.Error())
	case h.branch != "" && h.commit == "":
		note(fmt.Sprintf("the worker's HEAD names '%s', which has no commit", h.branch))
	case h.commit == "":
		note("the worker's git directory is gone; commits that were not imported are lost")
	case h.branch != "" && h.commit != s.owner.Base:
		note(fmt.Sprintf("the worker's commits are on '%s'", h.branch))
	}
	if h.commit == "" || h.commit == s.owner.Tip {
		return s.owner.Tip, nil
	}
	err = p.bring(ctx, s, p.borrowing(s), h.commit, s.owner.Base, s.owner.Tip)
	if err == nil {
		return h.commit, nil
	}
	if ctx.Err() != nil {
		return "", err
	}
	note(err.Error())
	return s.owner.Tip, nil
}

// settle puts the worker's own HEAD and index where its work now is. What the
// worker had half done there is over.
func (p *Pool) settle(ctx context.Context, s *slot, tip string) error {
	if info, err := os.Lstat(filepath.Join(s.git(), "objects")); err != nil || !info.IsDir() || !s.gitDirInPlace() {
		return p.makeGitDir(ctx, s, tip)
	}
	if err := p.keepRebased(ctx, s); err != nil {
		return err
	}
	for _, name := range unfinished {
		if err := removeAll(filepath.Join(s.git(), name)); err != nil {
			return err
		}
	}
	if err := p.copyWorkerIndex(s); err != nil {
		return err
	}
	return putFile(s, "HEAD", tip+"\n")
}

// gitDirInPlace reports whether what we write there goes into the slot.
func (s *slot) gitDirInPlace() bool {
	info, err := os.Lstat(s.git())
	return err == nil && info.IsDir()
}

// putFile puts a file into the worker's git directory by renaming it there, so
// that no link is followed.
func putFile(s *slot, name, text string) error {
	made := filepath.Join(s.dir, indexCopy+name)
	if err := os.WriteFile(made, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(made, filepath.Join(s.git(), name))
}

// noteTop tells when the file by which git finds the worker's directory is gone:
// whatever git did in the tree since, it did elsewhere.
func noteTop(s *slot, notes *[]string) {
	text, err := readPlain(filepath.Join(s.tree(), ".git"), maxRefFile)
	if err != nil || strings.TrimRight(string(text), "\r\n") != strings.TrimRight(gitLink, "\n") {
		*notes = append(*notes, "the tree's own '.git' was removed or replaced; only its files were taken")
	}
}
