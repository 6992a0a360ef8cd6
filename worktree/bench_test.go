package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkTrees measures a worker's trees against 'git worktree add' on a
// repository of WORKTREE_BENCH_FILES files (2,000 if unset).
func BenchmarkTrees(b *testing.B) {
	files, err := strconv.Atoi(os.Getenv("WORKTREE_BENCH_FILES"))
	if err != nil {
		files = 2000
	}
	ctx := context.Background()
	t := &testing.T{}
	r := &repo{t: t, dir: filepath.Join(b.TempDir(), "repo"), state: filepath.Join(b.TempDir(), "state")}
	fill := fmt.Sprintf(`git init -q -b main repo; cd repo; git config user.name a; git config user.email a@b
		i=0; while [ $i -lt %d ]; do mkdir -p d$((i/10)); head -c 6000 /dev/urandom | base64 -w 60 >d$((i/10))/f$i; i=$((i+1)); done; git add -A; git commit -q -m base; git gc -q`, files)
	if out, err := try(filepath.Dir(r.dir), "sh", "-e", "-c", fill); err != nil {
		b.Fatal(out)
	}
	p, err := Open(ctx, r.config())
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	base := r.head()
	step := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	n := 0
	spec := func() Spec { n++; return Spec{Run: "run", Worker: strconv.Itoa(n), Base: base} }
	step("git-worktree-add", func() error {
		n++
		_, err := try(r.dir, "git", "worktree", "add", "-q", "--detach", filepath.Join(r.state, "wt", strconv.Itoa(n)))
		return err
	})
	step("add-new", func() error { _, err := p.Add(ctx, spec()); return err })
	tree, err := p.Add(ctx, spec())
	if err != nil {
		b.Fatal(err)
	}
	step("snapshot-unchanged", func() error { _, err := p.Snapshot(ctx, tree, base); return err })
	step("snapshot-one-file", func() error {
		n++
		if err := os.WriteFile(filepath.Join(tree.Path, "d0", "new"), []byte(strconv.Itoa(n)), 0o644); err != nil {
			return err
		}
		_, err := p.Snapshot(ctx, tree, base)
		return err
	})
	step("finish-one-file", func() error {
		n++
		if err := os.WriteFile(filepath.Join(tree.Path, "d0", "new"), []byte(strconv.Itoa(n)), 0o644); err != nil {
			return err
		}
		_, err := p.Finish(ctx, tree, CommitMessage{Subject: "x"})
		return err
	})
	step("release", func() error {
		tree, err := p.Add(ctx, spec())
		if err != nil {
			return err
		}
		return p.Release(ctx, tree)
	})
	if err := p.Release(ctx, tree); err != nil {
		b.Fatal(err)
	}
	b.Run("add-reused", func(b *testing.B) {
		for b.Loop() {
			tree, err := p.Add(ctx, spec())
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if err := p.Release(ctx, tree); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
}
