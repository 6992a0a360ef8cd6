package worktree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// healLanding puts back what a landing that was killed had put aside. Where the
// user has changed something since, the copies stay for Land to tell of.
func (p *Pool) healLanding(ctx context.Context) error {
	if _, err := os.Lstat(p.asideIn()); err != nil {
		return nil
	}
	a, err := p.lockAside(ctx)
	if err != nil {
		return nil // somebody lands
	}
	err = p.healAside(ctx, a)
	return errors.Join(err, a.close())
}

func (p *Pool) healAside(ctx context.Context, a *aside) error {
	text, err := os.ReadFile(filepath.Join(a.dir, "note"))
	if errors.Is(err, fs.ErrNotExist) {
		return a.drop() // nothing had been touched
	}
	if err == nil {
		err = json.Unmarshal(text, &a.note)
	}
	if err != nil {
		return err
	}
	head, err := a.git.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return err
	}
	if head != a.note.Head {
		if landed, err := p.holds(ctx, head, a.note); err != nil || !landed {
			return err
		}
		return a.drop()
	}
	if untouched, err := p.untouched(ctx, a); err != nil || !untouched {
		return nil
	}
	return a.putBack(ctx)
}

// holds reports whether a commit has the result of a landing.
func (p *Pool) holds(ctx context.Context, head string, n asideNote) (bool, error) {
	if _, err := p.facts(ctx); err != nil {
		return false, err
	}
	if has, err := p.contains(ctx, head, n.Join); err != nil || has {
		return has, err
	}
	tree, err := p.treeOf(ctx, head)
	return tree == n.Tree, err
}

// untouched reports whether every file is one that a landing leaves behind: the
// copy itself, HEAD's, the merge's, or none.
func (p *Pool) untouched(ctx context.Context, a *aside) (bool, error) {
	if _, err := p.facts(ctx); err != nil {
		return false, err
	}
	v, err := p.viewCheckout(ctx)
	if err != nil {
		return false, err
	}
	defer v.close()
	if _, err := os.Lstat(filepath.Join(p.c.GitDir, "index.lock")); err == nil {
		return false, nil
	}
	left := map[string]bool{}
	for i, f := range a.note.Files {
		left[f.Name] = !a.asItWas(i, f)
	}
	for _, commit := range []string{a.note.Head, a.note.Tree} {
		differ, err := v.differing(ctx, commit)
		if err != nil {
			return false, err
		}
		for name := range left {
			left[name] = left[name] && differ(name)
		}
	}
	for name, strange := range left {
		if info, err := os.Lstat(a.at(name)); strange && err == nil && !info.IsDir() {
			return false, nil
		}
	}
	return true, nil
}

// asItWas reports whether a file is the one that was copied.
func (a *aside) asItWas(i int, f asideFile) bool {
	now, err := content(a.at(f.Name))
	if f.Gone || err != nil {
		return f.Gone && missing(err)
	}
	was, err := content(a.copyOf(i))
	return err == nil && bytes.Equal(now, was)
}
