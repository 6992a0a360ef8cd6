package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
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
		i=0; while [ $i -lt %d ]; do mkdir -p d$((i/10)); head -c 6000 /dev/urandom | base64 -w 60 >d$((i/10))/f$i; i=$((i+1)); done; git config gc.auto 0; git add -A; git commit -q -m base; git gc -q`, files)
	if out, err := try(filepath.Dir(r.dir), "sh", "-e", "-c", fill); err != nil {
		b.Fatal(out)
	}
	p, err := Open(ctx, r.config())
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	base := r.head()
	took := map[string][]time.Duration{}
	measure := func(name string, f func() error) {
		began := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took[name] = append(took[name], time.Since(began))
	}
	n := 0
	for b.Loop() { // side by side, so that all see the same machine
		n++
		spec := Spec{Run: "run", Worker: strconv.Itoa(n), Base: base}
		measure("git-worktree-add", func() error {
			_, err := try(r.dir, "git", "worktree", "add", "-q", "--detach", filepath.Join(r.state, "wt", strconv.Itoa(n)))
			return err
		})
		var tree *Tree
		measure("add-new", func() error { tree, err = p.Add(ctx, spec); return err })
		measure("snapshot-unchanged", func() error { _, err := p.Snapshot(ctx, tree, base); return err })
		if err := os.WriteFile(filepath.Join(tree.Path, "d0", "new"), []byte(strconv.Itoa(n)), 0o644); err != nil {
			b.Fatal(err)
		}
		measure("snapshot-one-file", func() error { _, err := p.Snapshot(ctx, tree, base); return err })
		measure("finish-one-file", func() error { _, err := p.Finish(ctx, tree, CommitMessage{Subject: "x"}); return err })
		measure("release", func() error { return p.Release(ctx, tree) })
		measure("add-reused", func() error { _, err := p.Add(ctx, spec); return err })
	}
	for name, all := range took {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, name+"-ms")
	}
}
