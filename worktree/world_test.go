package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"git-flower/gitstate/gitcmd"
	"git-flower/worktree/process"
)

func TestOldGitIsRefused(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	bin := t.TempDir()
	put(t, bin, map[string]string{"git": "#!/bin/sh\necho git version 2.20.1\n"})
	must(t, os.Chmod(filepath.Join(bin, "git"), 0o755))
	base := r.head()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, err := p.Add(context.Background(), Spec{Run: "run", Worker: "coder-1", Base: base})
	if !isType[*gitcmd.TooOldError](err) {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := r2(p).Add(context.Background(), Spec{Run: "run", Worker: "coder-1", Base: base}); err == nil {
		t.Error("worked without git")
	}
}

// r2 is a pool that has not asked git anything yet.
func r2(p *Pool) *Pool { return &Pool{c: p.c, held: map[string]*slot{}} }

func TestObjectFormats(t *testing.T) {
	for name, digits := range map[string]int{"": 40, "sha1": 40, "sha256": 64} {
		format, err := objectFormat(name)
		if f := (&facts{format: format}); err != nil || f.digits() != digits {
			t.Errorf("%q: %d digits, %v", name, f.digits(), err)
		}
	}
	if format, err := objectFormat("sha512"); err == nil {
		t.Errorf("sha512 is %q", format)
	}
}

// The caller's environment may name an author, as in a hook or a script; a
// worker's own git knows nothing of it, so it is written down.
func TestIdentityOfTheEnvironment(t *testing.T) {
	r := newRepo(t, small)
	c := r.config()
	c.Git = c.Git.Env("GIT_AUTHOR_NAME=Grace", "GIT_AUTHOR_EMAIL=grace@example.org")
	p, err := Open(context.Background(), c)
	must(t, err)
	defer p.Close()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "git commit -q --allow-empty -m x; echo y >y")
	got := finish(t, p, tree)
	if who := r.git("log", "-2", "--format=%an <%ae>", got.Tip); who != "Grace <grace@example.org>\nGrace <grace@example.org>" {
		t.Errorf("%s", who)
	}
}

func TestOpenEmptiesTheTrash(t *testing.T) {
	r := newRepo(t, small)
	first := r.pool()
	sh(t, first.trashDir(), "mkdir -p a/b; echo x >a/b/c; chmod 0 a/b; echo x >f; ln -s / root")
	r.pool()
	if left, err := os.ReadDir(first.trashDir()); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A check that a killed process left running is ended before its tree is used.
func TestOpenEndsLeftChecks(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	first := r.pool()
	check, err := first.Checkout(ctx, r.head(), ProtectSpec{})
	must(t, err)
	left := exec.Command("sleep", "1000")
	left.Dir, left.Env = check.Path, []string{"FLOWER_COMMAND_0123456789abcdef=1"}
	must(t, left.Start())
	ended := make(chan error, 1)
	go func() { ended <- left.Wait() }()
	defer left.Process.Kill()
	if len(process.Holders(check.Path)) == 0 {
		t.Skip("this system does not tell where processes are")
	}
	must(t, first.Close())
	second := r.pool()
	if err := <-ended; err == nil {
		t.Error("it ended by itself")
	}
	all, err := second.List(ctx)
	must(t, err)
	if len(all) != 1 || all[0].State != stateFree || all[0].Base != r.head() {
		t.Errorf("%+v", all)
	}
}

// A free tree stays of use when the commit it was clean at is gone.
func TestBaseOfAFreeTreeIsGone(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	gone := r.side(r.head(), map[string]string{"gone.txt": "x\n"})
	release(t, p, add(t, p, "coder-1", gone))
	r.git("reflog", "expire", "--expire=now", "--all")
	r.git("gc", "-q", "--prune=now")
	if _, err := try(r.dir, "git", "cat-file", "-e", gone); err == nil {
		t.Fatal("the commit is still there")
	}
	tree := add(t, p, "coder-2", r.head())
	if d, err := p.TreeDigest(context.Background(), tree); err != nil || d != r.git("rev-parse", "HEAD^{tree}") {
		t.Errorf("%s, %v", d, err)
	}
}

// The user packs, prunes and moves refs while workers work.
func TestUserGoesOnMeanwhile(t *testing.T) {
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	sh(t, tree.Path, "echo x >x; git add x; git commit -q -m x; echo y >y")
	snap := snapshot(t, p, tree, "")
	r.git("update-ref", "refs/flower/work/run/coder-1", snap.Commit)
	r.write(map[string]string{"mine": "mine\n"})
	r.git("add", "mine")
	r.git("commit", "-q", "-m", "mine")
	r.git("branch", "other")
	r.git("gc", "-q", "--prune=now")
	sh(t, tree.Path, "git status --porcelain; git log --oneline | wc -l; echo z >z; git add z; git commit -q -m z")
	got := finish(t, p, tree)
	if text := r.show(got.Tip, "x") + r.show(got.Tip, "y") + r.show(got.Tip, "z"); text != "xyz" || len(got.Notes) > 0 {
		t.Errorf("%+v, %q", got, text)
	}
	r.fsck()
}
