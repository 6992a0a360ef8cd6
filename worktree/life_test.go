package worktree

import (
	"context"
	"testing"
)

var small = map[string]string{
	"main.go": "package main\n", "lib/a.txt": "one\ntwo\nthree\n", "lib/b.txt": "b\n", ".gitignore": "node_modules\n*.secret\n",
}

func TestWorkerFromAddToLand(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	refs := r.git("for-each-ref")

	one, two := add(t, p, "coder-1", base), add(t, p, "coder-2", base)
	sh(t, one.Path, `echo new >new.txt; git add new.txt; git commit -q -m mine; echo more >>new.txt`)
	sh(t, two.Path, `echo two >two.txt; rm lib/b.txt`)
	first, second := finish(t, p, one), finish(t, p, two)
	if !first.Committed || !second.Committed || len(first.Notes)+len(second.Notes) > 0 {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
	if got := r.show(first.Tip, "new.txt"); got != "new\nmore" {
		t.Errorf("the first worker's file is %q", got)
	}
	if got := r.git("log", "--format=%an %s", first.Tip); got != "Ada work\nAda mine\nAda base" {
		t.Errorf("history of the first worker: %q", got)
	}

	join, err := p.Join(ctx, JoinSpec{Tip: first.Tip})
	must(t, err)
	if join.Commit != first.Tip {
		t.Errorf("the first join is %s, not the tip", join.Commit)
	}
	join, err = p.Join(ctx, JoinSpec{Join: join.Commit, Tip: second.Tip, Message: "join"})
	must(t, err)
	if got := r.names(join.Commit); got != ".gitignore|lib/a.txt|main.go|new.txt|two.txt|" {
		t.Errorf("the join holds %q", got)
	}
	if now := r.git("for-each-ref"); now != refs {
		t.Errorf("refs moved:\n%s\n%s", refs, now)
	}
	if got := r.git("status", "--porcelain"); got != "" {
		t.Errorf("the checkout changed: %s", got)
	}

	landed, err := p.Land(ctx, LandSpec{Join: join.Commit, Message: "land"})
	must(t, err)
	if !landed.FastForward || r.head() != join.Commit || landed.Branch != "refs/heads/main" {
		t.Errorf("landed %+v, head %s, join %s", landed, r.head(), join.Commit)
	}
	release(t, p, one)
	release(t, p, two)
	if got := states(t, p); got != "free free" {
		t.Errorf("states are %q", got)
	}
	r.fsck()
}
