package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/gitstate/gitcmd"
	"git-flower/worktree"
)

// treeFiles is how many files the repository of the trees has; with -long it is
// the 80,000 of the design's targets.
const (
	treeFiles     = 4_000
	treeFilesLong = 80_000
)

// measureTrees sets a worker's tree against 'git worktree add': prepared ahead,
// used before, and new.
func measureTrees(ctx context.Context, b *bench) ([]row, error) {
	t := &treeContest{files: treeFiles}
	if b.factor > 1 {
		t.files = treeFilesLong
	}
	if err := t.open(ctx, filepath.Join(b.dir, "trees")); err != nil {
		return nil, err
	}
	defer t.pool.Close()
	note := fmt.Sprintf("%d files; git: git worktree add --detach", t.files)
	var rows []row
	for _, k := range []struct {
		what  string
		most  float64
		ready func(context.Context, int) error
	}{
		{"a tree that was prepared, at dispatch", 0.05, t.prepared},
		{"a tree that was used before", 0.1, t.used},
		{"a new tree", 0.9, t.fresh},
	} {
		c := contest{
			ready: func(pair int) error { return k.ready(ctx, pair) },
			ours:  func(int) error { return t.add(ctx) },
			other: func(pair int) error { return t.linked(ctx, pair) },
		}
		got, err := c.run(ctx, 3)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", k.what, err)
		}
		rows = append(rows, versus(k.what, got, k.most, note))
	}
	return rows, nil
}

// A treeContest is a repository with many files, its pool, and the tree that is out.
type treeContest struct {
	files int
	dir   string
	git   gitcmd.Git
	pool  *worktree.Pool
	out   *worktree.Tree
	state string
	nth   int
	base  string
}

func (t *treeContest) open(ctx context.Context, dir string) error {
	t.dir, t.state = filepath.Join(dir, "repo"), filepath.Join(dir, "state")
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return err
	}
	t.git = gitcmd.Foreign(t.dir)
	if _, err := t.git.Write(ctx, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	if err := t.fill(ctx); err != nil {
		return err
	}
	var err error
	if t.base, err = t.git.Line(ctx, "rev-parse", "main"); err != nil {
		return err
	}
	gitDir := filepath.Join(t.dir, ".git")
	t.pool, err = worktree.Open(ctx, worktree.Config{Git: t.git, GitDir: gitDir, CommonDir: gitDir, State: t.state})
	return err
}

// fill commits the files, ten a folder, each of about 2 KB and unlike the others.
func (t *treeContest) fill(ctx context.Context) error {
	p, err := t.git.Start(ctx, "fast-import", "--quiet")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(p.In)
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter x <x@x> 1 +0000\ndata 1\nx\n")
	for i := range t.files {
		body := fmt.Sprintf("file %d\n", i) + strings.Repeat(fmt.Sprintf("line of file %d, which is there to be checked out\n", i), 40)
		fmt.Fprintf(w, "M 100644 inline d%d/e%d/f%d\ndata %d\n%s\n", i/1000, i/10, i, len(body), body)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return p.Close()
}

// prepared has a tree lie ready, as the engine does while a run clarifies.
func (t *treeContest) prepared(ctx context.Context, _ int) error {
	if err := t.giveBack(ctx); err != nil {
		return err
	}
	return t.pool.Prepare(ctx, t.base, 1)
}

// used leaves a free tree in which a worker has worked.
func (t *treeContest) used(ctx context.Context, _ int) error {
	if t.out == nil {
		if err := t.add(ctx); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(t.out.Path, "d0/e0/f0"), []byte("changed\n"), 0o644); err != nil {
		return err
	}
	if _, err := t.pool.Finish(ctx, t.out, worktree.CommitMessage{Subject: "work"}); err != nil {
		return err
	}
	return t.giveBack(ctx)
}

// fresh has no tree at all. The old ones stay where they are, as git's do: ext4
// is slow to make files for a while where many were removed.
func (t *treeContest) fresh(ctx context.Context, _ int) error {
	if err := t.giveBack(ctx); err != nil {
		return err
	}
	if err := t.pool.Close(); err != nil {
		return err
	}
	t.nth++
	t.state = filepath.Join(filepath.Dir(t.dir), fmt.Sprintf("state-%d", t.nth))
	gitDir := filepath.Join(t.dir, ".git")
	var err error
	t.pool, err = worktree.Open(ctx, worktree.Config{Git: t.git, GitDir: gitDir, CommonDir: gitDir, State: t.state})
	return err
}

func (t *treeContest) giveBack(ctx context.Context) error {
	if t.out == nil {
		return nil
	}
	out := t.out
	t.out = nil
	return t.pool.Release(ctx, out)
}

// add takes a tree and looks whether the last file is there.
func (t *treeContest) add(ctx context.Context) error {
	t.nth++
	var err error
	t.out, err = t.pool.Add(ctx, worktree.Spec{Run: "perf", Worker: fmt.Sprintf("coder-%d", t.nth), Base: t.base})
	if err != nil {
		return err
	}
	return t.whole(t.out.Path)
}

// linked has git make a tree and looks whether the last file is there.
func (t *treeContest) linked(ctx context.Context, pair int) error {
	t.nth++
	path := filepath.Join(filepath.Dir(t.dir), fmt.Sprintf("linked-%d-%d", pair, t.nth))
	if _, err := t.git.Write(ctx, "worktree", "add", "-q", "--detach", path, t.base); err != nil {
		return err
	}
	return t.whole(path)
}

func (t *treeContest) whole(path string) error {
	last := t.files - 1
	_, err := os.Stat(filepath.Join(path, fmt.Sprintf("d%d/e%d/f%d", last/1000, last/10, last)))
	return err
}
