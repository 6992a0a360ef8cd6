package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/worktree/process"
)

func TestReleaseNeedsProof(t *testing.T) {
	tests := []struct {
		name, before, after string // after: once the work was finished
		reason              string // empty: the tree is free again
	}{
		{name: "nothing done"},
		{name: "all committed", before: `echo x >x; git add x; git commit -q -m x`},
		{name: "all finished", before: `echo x >x; rm main.go; mkdir -p d/e; echo y >d/e/y`},
		{name: "caches of the base", before: `mkdir -p node_modules/.bin lib/node_modules; echo x >node_modules/.bin/x; chmod -R a-w node_modules; echo y >lib/node_modules/y`},
		{name: "empty folders", before: `mkdir -p d/e/f`},
		{name: "a branch and a stash that are part of the work", before: `echo x >x; git add x; git commit -q -m x; git branch kept; git tag v1`},
		{name: "a rebase that ended well", before: `echo x >x; git add x; git commit -q -m x; echo y >y; git add y; git commit -q -m y; GIT_SEQUENCE_EDITOR='sed -i 1d' git rebase -q -i HEAD~2`},
		{name: "an amended commit", before: `echo x >x; git add x; git commit -q -m x; git commit -q --amend -m y`},
		{name: "files changed since", after: `echo x >x`, reason: "not saved"},
		{name: "a file deleted since", after: `rm main.go`, reason: "not saved"},
		{name: "a commit made since", after: `git commit -q --allow-empty -m x`, reason: "'HEAD'"},
		{name: "a secret", before: `echo k >k.secret`, reason: "'k.secret'"},
		{name: "work that the worker ignores", before: `echo 'target' >>.gitignore; mkdir target; echo x >target/x`, reason: "what is ignored"},
		{name: "ignored by a new file", before: `mkdir d; echo '__pycache__' >d/.gitignore; mkdir d/__pycache__; echo x >d/__pycache__/x`, reason: "what is ignored"},
		{name: "a branch beside", before: `git checkout -q -b beside; echo x >x; git add x; git commit -q -m x; git checkout -q --detach HEAD~`, reason: "'refs/heads/beside'"},
		{name: "a packed branch beside", before: `git checkout -q -b beside; echo x >x; git add x; git commit -q -m x; git checkout -q --detach HEAD~; git pack-refs --all`, reason: "'refs/heads/beside'"},
		{name: "a stash", before: `echo x >>main.go; git stash -q`, reason: "'refs/stash'"},
		{name: "a deeper stash", before: `echo x >>main.go; git stash -q; echo y >>main.go; git stash -q`, reason: "'refs/stash'"},
		{name: "a repository inside", before: `git init -q in; cd in; echo f >f; g add f; g commit -q -m f`, reason: "'in/.git/'"},
		{name: "a repository in a tracked folder", before: `git init -q lib`, reason: "'lib/.git/'"},
		{name: "a rebase on its way", before: `git checkout -q -b t; echo t >lib/a.txt; git commit -q -am t; git checkout -q --detach HEAD~; echo o >lib/a.txt; git commit -q -am o; git rebase -q t || :`, reason: "'UNFINISHED_HEAD'"},
		{name: "the tree is deleted", after: `rm -rf "$PWD"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, small)
			p := r.pool()
			tree := add(t, p, "coder-1", r.head())
			sh(t, tree.Path, tt.before)
			got := finish(t, p, tree)
			r.git("update-ref", "refs/flower/work/x", got.Tip)
			sh(t, tree.Path, tt.after)
			release(t, p, tree)
			all, err := p.List(context.Background())
			must(t, err)
			if len(all) != 1 {
				t.Fatalf("%+v", all)
			}
			if tt.reason == "" {
				if all[0].State != stateFree || all[0].Base != r.head() && tt.name != "the tree is deleted" {
					t.Errorf("not cleaned but thrown away: %+v", all[0])
				}
				checkReuse(t, r, p)
				return
			}
			if all[0].State != stateAside || !strings.Contains(all[0].Reason, tt.reason) || all[0].Worker != "coder-1" {
				t.Errorf("%+v", all[0])
			}
			if _, err := try(all[0].Path, "git", "log", "-1"); err != nil && tt.name != "the tree is deleted" {
				t.Error("it cannot be looked at with git")
			}
			if _, err := p.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1"}); err == nil {
				t.Error("a tree that was moved aside is reopened")
			}
		})
	}
}

// checkReuse: the tree handed out next is in the same place and holds its base
// and nothing of the last worker's.
func checkReuse(t *testing.T, r *repo, p *Pool) {
	t.Helper()
	again := add(t, p, "coder-2", r.head())
	if again.Slot != "1" {
		t.Errorf("the free tree was not used: %+v", again)
	}
	if out := run(t, again.Path, "git", "status", "--porcelain", "--ignored"); out != "" {
		t.Errorf("left over: %s", out)
	}
	if out := sh(t, again.Path, `find . -name .git -o -type d -empty; git for-each-ref; git reflog; git stash list`); !strings.HasPrefix(out, "./.git\n") || strings.Count(out, "\n") > 1 {
		t.Errorf("left over: %q", out)
	}
	if d, err := p.TreeDigest(context.Background(), again); err != nil || d != r.git("rev-parse", "HEAD^{tree}") {
		t.Errorf("holds %s, %v", d, err)
	}
}

// An edit that keeps size and time is work too.
func TestReleaseReadsEveryFile(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "touch -d '2020-01-01' main.go")
	finish(t, p, tree)
	sh(t, tree.Path, "printf 'package nain\\n' >main.go; touch -d '2020-01-01' main.go")
	release(t, p, tree)
	if got := states(t, p); got != stateAside {
		t.Errorf("state %q", got)
	}
}

func TestReuseAtAnotherBase(t *testing.T) {
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	other := r.side(base, map[string]string{"lib/a.txt": "", "lib": "now a file\n", "lib/b.txt": "", "n/e/w": "new\n"})
	for i := range 4 {
		at := base
		if i%2 == 1 {
			at = other
		}
		tree := add(t, p, "coder-1", at)
		if tree.Slot != "1" {
			t.Errorf("a new place: %+v", tree)
		}
		if d, err := p.TreeDigest(context.Background(), tree); err != nil || d != r.git("rev-parse", at+"^{tree}") {
			t.Errorf("holds %s, %v", d, err)
		}
		sh(t, tree.Path, `mkdir -p n/e node_modules; echo x >n/e/x; echo x >node_modules/x; touch main.go`)
		finish(t, p, tree)
		release(t, p, tree)
	}
}

func TestFreeTreeThatSomebodyTouchedIsMadeAnew(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	for _, script := range []string{"echo x >x", "rm main.go", "echo y >>main.go", "chmod +x main.go", "mkdir node_modules; echo x >node_modules/x", "rm -r lib; ln -s /etc lib", "cd ..; rm -r tree", "cd ..; rm index", "echo bad >../index"} {
		tree := add(t, p, "coder-1", r.head())
		release(t, p, tree)
		sh(t, tree.Path, script)
		again := add(t, p, "coder-2", r.head())
		if d, err := p.TreeDigest(context.Background(), again); err != nil || d != r.git("rev-parse", "HEAD^{tree}") {
			t.Errorf("after %q: %s, %v", script, d, err)
		}
		if out := run(t, again.Path, "git", "status", "--porcelain", "--ignored"); out != "" {
			t.Errorf("after %q: %s", script, out)
		}
		release(t, p, again)
	}
}

func TestNoTreeIsReusedWhileSomebodyIsInIt(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	cmd := exec.Command("sleep", "1000")
	cmd.Dir = filepath.Join(tree.Path, "lib")
	must(t, cmd.Start())
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if len(process.Holders(tree.Path)) == 0 {
		t.Skip("this system does not tell where processes are")
	}
	release(t, p, tree)
	if got := states(t, p); got != stateAside {
		t.Errorf("state %q", got)
	}

	check, err := p.Checkout(context.Background(), r.head(), ProtectSpec{})
	must(t, err)
	release(t, p, check)
	other := exec.Command("sleep", "1000")
	other.Dir = check.Path
	must(t, other.Start())
	next := add(t, p, "coder-2", r.head())
	if next.Slot == check.Slot {
		t.Error("a tree with a process in it was handed out")
	}
	must(t, other.Process.Kill())
	other.Wait()
}

func TestUnreadableFoldersGo(t *testing.T) {
	dir := t.TempDir()
	sh(t, dir, `mkdir -p x/a/b/c y; echo f >x/a/b/c/f; ln -s ../y x/l; echo kept >y/kept; chmod 500 x/a/b/c; chmod 0 x/a/b; chmod 400 x/a`)
	must(t, removeAll(filepath.Join(dir, "x")))
	if _, err := os.Lstat(filepath.Join(dir, "x")); err == nil {
		t.Error("still there")
	}
	if _, err := os.Stat(filepath.Join(dir, "y", "kept")); err != nil {
		t.Error("followed a link")
	}
}

// Checks may do to their tree what they like; the next one gets it clean.
func TestThrowAwayTreesComeBackClean(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	scripts := []string{
		"git init -q lib", "git init -q deep; git init -q deep/er; echo x >deep/er/x", "mkfifo pipe lib/pipe", "rm -rf lib main.go", "echo 'x' >.gitattributes; echo '*' >.gitignore; echo x >x",
		"git checkout -q -b b; echo x >x; git add x; git commit -q -m x", "rm .git; git init -q", "rm -rf ../git", "chmod 0 lib; mkdir -m 0 locked", "mkdir -p node_modules/a/.git; echo x >node_modules/a/.git/config",
		"ln -s / root; rm -rf lib; ln -s /etc lib", `printf 'x' >"$(printf 'a\nb')"`, "git config core.worktree /; git config core.bare true", "git rm -q -r lib; git gc -q",
	}
	for _, script := range scripts {
		check, err := p.Checkout(ctx, r.head(), ProtectSpec{})
		must(t, err)
		sh(t, check.Path, script)
		release(t, p, check)
		if got := states(t, p); got != stateFree {
			t.Fatalf("after %q states are %q", script, got)
		}
		checkReuse(t, r, p)
		again, err := p.Reopen(ctx, Spec{Run: "run", Worker: "coder-2"})
		must(t, err)
		release(t, p, again)
	}
}
