package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// SnapshotPaths is Snapshot for somebody who knows which files have changed:
// nothing else is looked at, so that it costs little in a tree of any size. It
// names what the last whole look left out. Without such a look, or when parent is
// not the last thing kept, it looks at everything. Paths outside of the tree do
// not count.
func (p *Pool) SnapshotPaths(ctx context.Context, t *Tree, parent string, paths []string) (Snapshot, error) {
	s, err := p.slotOf(t)
	if err != nil {
		return Snapshot{}, err
	}
	defer s.busy.Unlock()
	snap, err := p.snapshotPaths(ctx, s, parent, paths)
	if err != nil {
		return snap, fmt.Errorf("cannot make a snapshot of tree '%s': %w", s.name, err)
	}
	return snap, nil
}

func (p *Pool) snapshotPaths(ctx context.Context, s *slot, parent string, paths []string) (Snapshot, error) {
	last := parent
	if last == "" {
		last = s.owner.Tip
	}
	if !s.looked || s.owner.Saved != last {
		return p.snapshot(ctx, s, parent)
	}
	d, err := p.drawPaths(ctx, s, namesIn(s.tree(), paths))
	if err != nil {
		return Snapshot{}, err
	}
	return p.keep(ctx, s, d, parent, []string{last})
}

// namesIn are the names that paths have in a tree.
func namesIn(tree string, paths []string) []string {
	var names []string
	for _, at := range paths {
		if !filepath.IsAbs(at) {
			at = filepath.Join(tree, at)
		}
		rel, err := filepath.Rel(tree, at)
		name := filepath.ToSlash(rel)
		if err != nil || !filepath.IsLocal(rel) || strings.Contains("/"+strings.ToLower(name)+"/", "/.git/") {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// drawPaths makes a draft of what was kept last with some files as they are now.
func (p *Pool) drawPaths(ctx context.Context, s *slot, names []string) (*draft, error) {
	f, err := p.facts(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.drafts(), 0o700); err != nil {
		return nil, err
	}
	index, err := s.copyIndex(false)
	if err != nil {
		return nil, err
	}
	d := &draft{head: s.owner.Tip, index: index}
	g := &gathering{git: p.drafting(s, p.trusted(s, index)), root: s.tree(), limit: p.c.Limit, large: p.largeFiles(f, true), leftOut: slices.Clone(s.leftOut)}
	if err = g.named(ctx, names); err == nil {
		slices.Sort(g.leftOut)
		d.leftOut = slices.Compact(g.leftOut)
		d.tree, err = p.draftTree(ctx, s, d)
	}
	if err != nil {
		return nil, errors.Join(err, p.drop(s, d))
	}
	return d, nil
}

// behindLink reports whether a folder above a name is none of the tree's.
func (g *gathering) behindLink(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(g.path(dir)); err != nil || !info.IsDir() {
			return true
		}
	}
	return false
}

// named takes up files by their names, those that may be stored.
func (g *gathering) named(ctx context.Context, names []string) error {
	names = slices.DeleteFunc(names, func(name string) bool { return g.behindLink(name) || !g.fits(name) })
	if len(names) == 0 {
		return nil
	}
	names, err := g.notIgnored(ctx, names)
	if err != nil {
		return err
	}
	return g.add(ctx, names)
}
