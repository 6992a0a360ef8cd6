package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Release gives a tree back for the next worker. All that is in it and not in
// its base goes, caches too, but for what the setup made. A worker's tree goes
// only with the proof, for which every file is read, that its commits and files
// are in the user's objects and that what was left out are caches the base itself
// ignores; any other is moved aside, where List shows it, and the error is an
// *AsideError. A throw-away tree needs no proof.
func (p *Pool) Release(ctx context.Context, t *Tree) error {
	s, err := p.slotOf(t)
	if err != nil {
		return err
	}
	defer s.busy.Unlock()
	if err := p.release(ctx, s); err != nil {
		return errors.Join(fmt.Errorf("cannot release tree '%s': %w", s.name, err), p.letGo(s))
	}
	return p.letGo(s)
}

func (p *Pool) release(ctx context.Context, s *slot) error {
	if s.owner.State == stateWorking {
		reason, err := p.unsaved(ctx, s)
		if err != nil {
			return err
		}
		if reason != "" {
			return p.moveAside(s, reason)
		}
	}
	return p.recycle(ctx, s)
}

// recycle makes a slot free. What it holds is proven to be of no value.
func (p *Pool) recycle(ctx context.Context, s *slot) error {
	base, worker := s.owner.Base, s.owner.State == stateWorking
	if err := s.set(func(o *owner) { *o = owner{State: stateReleasing, Base: base, PID: os.Getpid()} }); err != nil {
		return err
	}
	crashPoint("worktree-release-begun")
	if s.setup.Failed != "" { // the next one may succeed
		if err := s.forgetSetup(); err != nil {
			return err
		}
	}
	if base == "" || occupied(s) != "" || p.aimBack(ctx, s, base, worker) != nil || p.clean(ctx, s, base) != nil {
		base = ""
		if err := p.wipe(s); err != nil {
			return err
		}
	}
	crashPoint("worktree-release-cleaned")
	if err := errors.Join(p.discard(s.git()), p.dropCopies(s), p.dropFenced(s), p.letPrune(s)); err != nil {
		return err
	}
	return s.set(func(o *owner) { *o = owner{State: stateFree, Base: base} })
}

// unsaved says what a worker's tree holds that nothing else does, or nothing.
func (p *Pool) unsaved(ctx context.Context, s *slot) (string, error) {
	if by := occupied(s); by != "" {
		return "it is still used by " + by, nil
	}
	if gone, err := p.deleted(ctx, s); err != nil || gone {
		return "", err
	}
	if err := p.importLarge(ctx, s); err != nil {
		return "", err
	}
	commit, err := p.unsavedCommit(ctx, s)
	if err != nil || commit != "" {
		return commit, err
	}
	d, err := p.draw(ctx, s, s.owner.Saved, true)
	if err != nil {
		return "", err
	}
	if err := p.drop(s, d); err != nil {
		return "", err
	}
	saved, err := p.treeOf(ctx, s.owner.Saved)
	if err != nil {
		return "", err
	}
	if d.tree != saved {
		return "its files are not saved", nil
	}
	return p.unsavedFiles(ctx, s, d.leftOut)
}

// unsavedFiles judges what was left out: caches may go when it is the base that
// ignores them, since a worker can ignore what it likes.
func (p *Pool) unsavedFiles(ctx context.Context, s *slot, leftOut []string) (string, error) {
	leftOut = slices.DeleteFunc(slices.Clone(leftOut), s.setup.keeps)
	for _, name := range leftOut {
		if !isCache(name) {
			return fmt.Sprintf("'%s' is in no commit", quoteName(name)), nil
		}
	}
	if len(leftOut) == 0 {
		return "", nil
	}
	out, err := p.objects().Read(ctx, "diff-tree", "-r", "-z", "--name-only", s.owner.Base, s.owner.Saved)
	for _, name := range splitZ(out) {
		if filepath.Base(name) == ".gitignore" {
			return "the worker changed what is ignored", nil
		}
	}
	return "", err
}

func (p *Pool) unsavedCommit(ctx context.Context, s *slot) (string, error) {
	missing, err := p.missingCommits(ctx, s)
	if err != nil || len(missing) == 0 {
		return "", err
	}
	return fmt.Sprintf("'%s' names a commit that was not imported", missing[0]), nil
}

// missingCommits looks at everything by which the worker's own git directory
// holds on to commits: HEAD, refs, stashes, what a rebase put by. It returns the
// names of those that the user's objects lack.
func (p *Pool) missingCommits(ctx context.Context, s *slot) ([]string, error) {
	names, err := p.ownCommits(ctx, s)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	var ids strings.Builder
	var order []string
	for id, name := range names {
		order = append(order, name)
		ids.WriteString(id + "\n")
	}
	out, err := p.objects().ReadIn(ctx, strings.NewReader(ids.String()), "cat-file", "--batch-check=%(objecttype)")
	if err != nil {
		return nil, err
	}
	var missing []string
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if strings.HasSuffix(line, " missing") && i < len(order) {
			missing = append(missing, order[i])
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing), nil
}

// ownCommits maps object ids to where the worker's git directory names them.
func (p *Pool) ownCommits(ctx context.Context, s *slot) (map[string]string, error) {
	f, err := p.facts(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	note := func(name, id string) {
		if f.validID(id) && strings.Trim(id, "0") != "" {
			names[id] = name
		}
	}
	if err := eachPackedRef(s.git(), note); err != nil {
		return nil, err
	}
	for _, name := range []string{"HEAD", unfinishedHead, "MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge/orig-head", "rebase-apply/orig-head"} {
		if text, err := readRef(s.git(), name); err == nil {
			note(name, text)
		}
	}
	if stashes, err := readPlain(filepath.Join(s.git(), "logs", "refs", "stash"), 1<<20); err == nil {
		for line := range strings.Lines(string(stashes)) {
			if fields := strings.Fields(line); len(fields) > 1 {
				note("refs/stash", fields[1])
			}
		}
	}
	return names, eachLooseRef(s.git(), note)
}

// eachLooseRef calls f for every loose ref, following no links.
func eachLooseRef(gitDir string, f func(name, id string)) error {
	root := filepath.Join(gitDir, "refs")
	return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		text, err := readPlain(at, maxRefFile)
		if err != nil {
			return nil // no ref
		}
		name, err := filepath.Rel(gitDir, at)
		f(filepath.ToSlash(name), strings.TrimSpace(string(text)))
		return err
	})
}

// moveAside takes a slot with unsaved work out of the pool, as it is. Its git
// directory goes with it, so that it can be entered and looked at. Where it is
// now is an *AsideError.
func (p *Pool) moveAside(s *slot, reason string) error {
	err := s.set(func(o *owner) {
		o.State, o.Reason, o.PID = stateAside, reason, 0
		if o.Since == "" {
			o.Since = p.c.Now().UTC().Format("2006-01-02T15:04:05Z07:00")
		}
	})
	if err != nil {
		return err
	}
	crashPoint("worktree-aside-marked")
	if err := p.letPrune(s); err != nil {
		return err
	}
	to, err := os.MkdirTemp(p.asideDir(), "x")
	if err != nil {
		return err
	}
	if err := os.Rename(s.dir, filepath.Join(to, s.name)); err != nil {
		return err
	}
	return &AsideError{Path: filepath.Join(to, s.name, "tree"), Reason: reason}
}
