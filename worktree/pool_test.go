package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"git-flower/gitstate/gitcmd"
)

func TestAddRefuses(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	for _, spec := range []Spec{{}, {Run: "r", Base: r.head()}, {Worker: "w", Base: r.head()}, {Run: "r", Worker: "w"},
		{Run: "r", Worker: "w", Base: "no-such"}, {Run: "r", Worker: "w", Base: "--help"}, {Run: "r", Worker: "w", Base: r.head() + "^{tree}"}} {
		if tree, err := p.Add(ctx, spec); err == nil {
			t.Errorf("%+v gave %+v", spec, tree)
		}
	}
	add(t, p, "coder-1", r.head())
	if _, err := p.Add(ctx, Spec{Run: "run", Worker: "coder-1", Base: r.head()}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second tree for one worker: %v", err)
	}
	if _, err := p.Reopen(ctx, Spec{Run: "run", Worker: "coder-2"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a worker without a tree: %v", err)
	}
	c := r.config()
	c.State = "relative"
	if _, err := Open(ctx, c); err == nil {
		t.Error("opened a relative path")
	}
}

func TestReopenFindsTheWork(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	first := r.pool()
	tree := add(t, first, "coder-1", r.head())
	sh(t, tree.Path, "echo x >x")
	spec := Spec{Run: "run", Worker: "coder-1"}
	if again, err := first.Reopen(ctx, spec); err != nil || *again != *tree {
		t.Errorf("in the same process: %+v, %v", again, err)
	}

	second := r.pool()
	_, err := second.Reopen(ctx, spec)
	if !isType[*BusyError](err) {
		t.Errorf("while the first has it: %v", err)
	}
	if got := states(t, second); got != "working" {
		t.Errorf("state %q", got)
	}
	must(t, first.Close())
	if got := states(t, second); got != "waiting" {
		t.Errorf("state %q", got)
	}
	again, err := second.Reopen(ctx, spec)
	must(t, err)
	if *again != *tree {
		t.Errorf("%+v, want %+v", again, tree)
	}
	if got := finish(t, second, again); r.show(got.Tip, "x") != "x" {
		t.Errorf("%+v", got)
	}
	if _, err := first.Finish(ctx, tree, CommitMessage{}); err == nil {
		t.Error("the first still works on it")
	}
}

func TestReopenPutsADeletedTreeBack(t *testing.T) {
	r := newRepo(t, small)
	first := r.pool()
	tree := add(t, first, "coder-1", r.head())
	sh(t, tree.Path, "echo x >x")
	snapshot(t, first, tree, "")
	must(t, first.Close())
	must(t, os.RemoveAll(tree.Path))
	second := r.pool()
	again, err := second.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1"})
	must(t, err)
	if text, err := os.ReadFile(filepath.Join(again.Path, "x")); err != nil || string(text) != "x\n" {
		t.Errorf("x holds %q, %v", text, err)
	}
	got := finish(t, second, again)
	contains(t, got.Notes, "tree was deleted")
	if got := finish(t, second, again); len(got.Notes) > 0 {
		t.Errorf("told twice: %q", got.Notes)
	}
}

func TestManyAddAtOnce(t *testing.T) {
	const pools, each = 4, 6
	r := newRepo(t, small)
	base := r.head()
	var wg sync.WaitGroup
	for i := range pools {
		p := r.pool()
		for j := range each {
			wg.Go(func() {
				worker := fmt.Sprintf("coder-%d-%d", i, j)
				tree, err := p.Add(context.Background(), Spec{Run: "run", Worker: worker, Base: base})
				if err != nil {
					t.Error(err)
					return
				}
				put(t, tree.Path, map[string]string{"mine": worker})
				got, err := p.Finish(context.Background(), tree, CommitMessage{Subject: worker})
				if err != nil {
					t.Error(err)
					return
				}
				if text := r.show(got.Tip, "mine"); text != worker {
					t.Errorf("%s finds the work of %s", worker, text)
				}
				if err := p.Release(context.Background(), tree); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	r.fsck()
}

func TestOneIdentityEverywhere(t *testing.T) {
	r := newRepo(t, small)
	r.git("config", "--unset", "user.name")
	r.git("config", "--unset", "user.email")
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "echo x >x; git add x; git commit -q -m x; echo y >y")
	got := finish(t, p, tree)
	if who := r.git("log", "-2", "--format=%an <%ae> %cn <%ce>", got.Tip); who != "git flower <flower@localhost> git flower <flower@localhost>\ngit flower <flower@localhost> git flower <flower@localhost>" {
		t.Errorf("without an identity: %s", who)
	}
	c := r.config()
	c.Identity, c.State, c.Git = `"Quote" \ Ünï <q@example.org>`, r.state+"2", gitcmd.New(r.dir)
	q, err := Open(context.Background(), c)
	must(t, err)
	defer q.Close()
	tree = add(t, q, "coder-1", r.head())
	sh(t, tree.Path, "git commit -q --allow-empty -m x")
	if who := run(t, tree.Path, "git", "log", "-1", "--format=%an|%ae"); who != `"Quote" \ Ünï|q@example.org` && who != `Quote" \ Ünï|q@example.org` {
		t.Errorf("with one given: %s", who)
	}
}

func TestReopenGivesALostGitDirectoryBack(t *testing.T) {
	r := newRepo(t, small)
	for name, script := range map[string]string{"directory": "rm -rf ../git", "link": "rm .git", "link to elsewhere": "mv ../git ../elsewhere; ln -s elsewhere ../git"} {
		t.Run(name, func(t *testing.T) {
			first := r.pool()
			tree, err := first.Add(context.Background(), Spec{Run: name, Worker: "coder-1", Base: r.head()})
			must(t, err)
			sh(t, tree.Path, "echo x >x;"+script)
			must(t, first.Close())
			second := r.pool()
			again, err := second.Reopen(context.Background(), Spec{Run: name, Worker: "coder-1"})
			must(t, err)
			if out := run(t, again.Path, "git", "status", "--porcelain"); out != "?? x" {
				t.Errorf("status %q", out)
			}
			if got := finish(t, second, again); r.show(got.Tip, "x") != "x" || (len(got.Notes) > 0) == (name == "link") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAFailedAddLeavesNoTrace(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	must(t, p.Prepare(context.Background(), r.head(), 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if tree, err := p.Add(ctx, Spec{Run: "run", Worker: "coder-1", Base: r.head()}); err == nil {
		t.Fatalf("%+v", tree)
	}
	if got := states(t, p); got != stateFree {
		t.Errorf("states %q", got)
	}
	blob := r.git("rev-parse", "HEAD:main.go")
	must(t, os.Remove(filepath.Join(r.dir, ".git", "objects", blob[:2], blob[2:])))
	must(t, os.RemoveAll(filepath.Join(p.slotDir("1"), "tree")))
	if tree, err := p.Add(context.Background(), Spec{Run: "run", Worker: "coder-1", Base: r.head()}); err == nil {
		t.Fatalf("%+v", tree)
	}
	if got := states(t, p); got != stateFree {
		t.Errorf("states %q", got)
	}
}
