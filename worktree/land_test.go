package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-flower/gitstate/gitcmd"
)

// scene is what a checkout looks like: every file, the index, refs and what
// git has in progress.
func scene(t *testing.T, r *repo) string {
	t.Helper()
	return sh(t, r.dir, `git for-each-ref; cat .git/HEAD; git ls-files -s; git status --porcelain --ignored
		find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha1sum; ls .git | grep -v -e logs -e COMMIT_EDITMSG -e ORIG_HEAD -e flower`)
}

func TestLand(t *testing.T) {
	tests := []struct {
		name          string
		ours, theirs  map[string]string // on top of the base; nil ours: the branch stays there
		spec          LandSpec
		parents       int
		fastForward   bool
		subject       string
		upToDate      bool
		join          string // "base": land what is there already
		config        [2]string
		mustHaveFiles string
	}{
		{name: "fast-forward", theirs: map[string]string{"t": "t\n"}, fastForward: true, parents: 1, subject: "side 1", mustHaveFiles: "t"},
		{name: "no fast-forward", theirs: map[string]string{"t": "t\n"}, spec: LandSpec{NoFF: true}, parents: 2, subject: "land it", mustHaveFiles: "t"},
		{name: "merge", ours: map[string]string{"o": "o\n"}, theirs: map[string]string{"t": "t\n"}, parents: 2, subject: "land it", mustHaveFiles: "o t"},
		{name: "squash", theirs: map[string]string{"t": "t\n"}, spec: LandSpec{Squash: true}, parents: 1, subject: "land it", mustHaveFiles: "t"},
		{name: "squash apart", ours: map[string]string{"o": "o\n"}, theirs: map[string]string{"t": "t\n"}, spec: LandSpec{Squash: true}, parents: 1, subject: "land it", mustHaveFiles: "o t"},
		{name: "already there", upToDate: true},
		{name: "user never fast-forwards", config: [2]string{"merge.ff", "false"}, theirs: map[string]string{"t": "t\n"}, fastForward: true, parents: 1, subject: "side 1", mustHaveFiles: "t"},
		{name: "user only fast-forwards", config: [2]string{"merge.ff", "only"}, ours: map[string]string{"o": "o\n"}, theirs: map[string]string{"t": "t\n"}, parents: 2, subject: "land it", mustHaveFiles: "o t"},
		{name: "user never commits", config: [2]string{"branch.main.mergeOptions", "--no-commit"}, ours: map[string]string{"o": "o\n"}, theirs: map[string]string{"t": "t\n"}, parents: 2, subject: "land it", mustHaveFiles: "o t"},
		{name: "user squashes", config: [2]string{"branch.main.mergeOptions", "--squash"}, ours: map[string]string{"o": "o\n"}, theirs: map[string]string{"t": "t\n"}, parents: 2, subject: "land it", mustHaveFiles: "o t"},
		{name: "a folder becomes a file", theirs: map[string]string{"lib/a.txt": "", "lib/b.txt": "", "lib": "file\n"}, fastForward: true, parents: 1, subject: "side 1", mustHaveFiles: "lib"},
		{name: "a file becomes a folder", theirs: map[string]string{"main.go": "", "main.go/x": "x\n"}, fastForward: true, parents: 1, subject: "side 1", mustHaveFiles: "main.go/x"},
		{name: "renames", ours: map[string]string{"lib/b.txt": "", "moved": "b\n"}, theirs: map[string]string{"lib/a.txt": "one\ntwo\nthree\nfour\n"}, parents: 2, subject: "land it", mustHaveFiles: "moved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, small)
			p, base := r.pool(), r.head()
			tt.spec.Join, tt.spec.Message = base, "land it\n\nthe goal\n\nFlower-Run: 1"
			if tt.theirs != nil {
				tt.spec.Join = r.side(base, tt.theirs)
			}
			if tt.ours != nil {
				r.git("reset", "-q", "--hard", r.side(base, tt.ours))
			}
			if tt.config[0] != "" {
				r.git("config", tt.config[0], tt.config[1])
			}
			before := r.head()
			put(t, r.dir, map[string]string{"untracked": "stays\n", "node_modules/x": "stays\n"})
			got, err := p.Land(context.Background(), tt.spec)
			must(t, err)
			if got.Before != before || got.After != r.head() || got.FastForward != tt.fastForward || got.Branch != "refs/heads/main" {
				t.Errorf("%+v, HEAD %s", got, r.head())
			}
			if tt.upToDate {
				if got.After != before {
					t.Errorf("%+v", got)
				}
				return
			}
			if got := r.git("log", "-1", "--format=%s"); got != tt.subject {
				t.Errorf("subject %q", got)
			}
			if got := len(strings.Fields(r.git("log", "-1", "--format=%P"))); got != tt.parents {
				t.Errorf("%d parents", got)
			}
			if !strings.Contains(got.Stat, "changed") {
				t.Errorf("diffstat %q", got.Stat)
			}
			for name := range strings.FieldsSeq(tt.mustHaveFiles + " untracked node_modules/x") {
				if _, err := os.Stat(filepath.Join(r.dir, name)); err != nil {
					t.Error(err)
				}
			}
			if out := r.git("status", "--porcelain"); out != "?? untracked" {
				t.Errorf("status %q", out)
			}
			r.fsck()
		})
	}
}

func TestLandRefusesAndLeavesAllAsItWas(t *testing.T) {
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	hook := func(name string) string {
		return `mkdir -p .git/hooks; printf '#!/bin/sh\necho no such luck >&2\nexit 1\n' >.git/hooks/` + name + `; chmod +x .git/hooks/` + name
	}
	said := func(word string) func(error) bool {
		return func(err error) bool { return strings.Contains(err.Error(), word) }
	}
	tests := []struct {
		name, script string
		spec         LandSpec
		right        func(error) bool
	}{
		{name: "changed file", script: `echo x >>lib/b.txt`, right: isType[*DirtyError]},
		{name: "staged file", script: `echo x >x; git add x`, right: isType[*DirtyError]},
		{name: "deleted file", script: `rm lib/b.txt`, right: isType[*DirtyError]},
		{name: "staged rename", script: `git mv lib/b.txt lib/c.txt`, right: isType[*DirtyError]},
		{name: "detached", script: `git checkout -q --detach`, right: is(ErrDetached)},
		{name: "unborn", script: `git checkout -q --orphan new; git rm -q -rf .`, right: is(ErrUnborn)},
		{name: "conflict", script: `echo o >lib/a.txt; git commit -q -a -m o`, right: isType[*ConflictError]},
		{name: "conflict to squash", script: `echo o >lib/a.txt; git commit -q -a -m o`, spec: LandSpec{Squash: true}, right: isType[*ConflictError]},
		{name: "deleted there, changed here", script: `git rm -q lib/a.txt; git commit -q -m o`, right: isType[*ConflictError]},
		{name: "merge on its way", script: `git checkout -q -b o; git commit -q --allow-empty -m o; git checkout -q main; git commit -q --allow-empty -m p; git merge -q --no-commit o`, right: isType[*InProgressError]},
		{name: "rebase on its way", script: `git checkout -q -b t; echo t >lib/b.txt; git commit -q -a -m t; git checkout -q main; echo o >lib/b.txt; git commit -q -a -m o; git rebase -q t || :; git symbolic-ref HEAD refs/heads/main`, right: isType[*InProgressError]},
		{name: "cherry-pick on its way", script: `git checkout -q -b t; echo t >lib/b.txt; git commit -q -a -m t; git checkout -q main; echo o >lib/b.txt; git commit -q -a -m o; git cherry-pick t || :`, right: isType[*InProgressError]},
		{name: "bisect on its way", script: `git bisect start -q HEAD HEAD || :`, right: isType[*InProgressError]},
		{name: "untracked file in the way", script: `echo mine >new.txt`, right: isType[*OverwriteError]},
		{name: "ignored file in the way", script: `echo new.txt >.git/info/exclude; echo mine >new.txt`, right: isType[*OverwriteError]},
		{name: "ignored file in the way of a merge", script: `git commit -q --allow-empty -m o; echo new.txt >.git/info/exclude; echo mine >new.txt`, right: isType[*OverwriteError]},
		{name: "untracked folder in the way", script: `mkdir new.txt; echo mine >new.txt/x`, right: isType[*OverwriteError]},
		{name: "ignored file in a folder that must be a file", script: `git rm -q lib/b.txt; git commit -q -m o; mkdir new.txt; echo '*' >.git/info/exclude; echo mine >new.txt/x`, right: isType[*OverwriteError]},
		{name: "untracked file where a folder must be", script: `echo mine >dir`, right: isType[*OverwriteError]},
		{name: "hook refuses a merge", script: `git commit -q --allow-empty -m o; ` + hook("pre-merge-commit"), right: said("no such luck")},
		{name: "hook refuses a message", script: `git commit -q --allow-empty -m o; ` + hook("commit-msg"), right: said("no such luck")},
		{name: "hook refuses a squash", script: hook("pre-commit"), spec: LandSpec{Squash: true}, right: said("no such luck")},
		{name: "hook refuses a ref", script: hook("reference-transaction"), right: said("no such luck")},
		{name: "hook refuses this ref", script: hook("reference-transaction") + `; sed -i 's,^exit,if test "$1" = prepared; then ! grep refs/heads/main; fi; exit $?,;' .git/hooks/reference-transaction; sed -i 's, 1$,,' .git/hooks/reference-transaction`, right: said("no such luck")},
		{name: "locked index", script: `: >.git/index.lock`, right: said("index.lock")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, small)
			p := r.pool()
			tt.spec.Join, tt.spec.Message = r.side(r.head(), map[string]string{"lib/a.txt": "t\n", "new.txt": "t\n", "dir/in": "t\n"}), "land"
			try(r.dir, "sh", "-c", tt.script)
			before := scene(t, r)
			got, err := p.Land(context.Background(), tt.spec)
			if err == nil || !tt.right(err) {
				t.Errorf("%v, %+v", err, got)
			}
			if after := scene(t, r); after != before {
				t.Errorf("the checkout was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

func TestLandNeedsACheckout(t *testing.T) {
	r := newRepo(t, small)
	c := r.config()
	bare := filepath.Join(t.TempDir(), "bare.git")
	r.git("clone", "-q", "--bare", ".", bare)
	c.Git, c.GitDir, c.CommonDir = c.Git.In(bare), bare, bare
	p, err := Open(context.Background(), c)
	must(t, err)
	defer p.Close()
	if _, err := p.Land(context.Background(), LandSpec{Join: r.head()}); !errors.Is(err, ErrBare) {
		t.Error(err)
	}
	if _, err := r.pool().Land(context.Background(), LandSpec{Join: "nothing"}); err == nil {
		t.Error("landed nothing")
	}
}

// A user's hooks run when the user lands, and see the user's repository.
func TestLandRunsTheUsersHooks(t *testing.T) {
	r := newRepo(t, small)
	join := r.side(r.head(), map[string]string{"t": "t\n"})
	mark := filepath.Join(t.TempDir(), "ran")
	sh(t, r.dir, `mkdir -p .git/hooks; printf '#!/bin/sh\ngit rev-parse --show-toplevel >"`+mark+`"\n' >.git/hooks/post-merge; chmod +x .git/hooks/post-merge; mkdir sub`)
	c := r.config()
	c.Git = c.Git.In(filepath.Join(r.dir, "sub"))
	p, err := Open(context.Background(), c)
	must(t, err)
	defer p.Close()
	_, err = p.Land(context.Background(), LandSpec{Join: join, Message: "land"})
	must(t, err)
	if text, err := os.ReadFile(mark); err != nil || strings.TrimSpace(string(text)) != r.dir {
		t.Errorf("the hook saw %q, %v", text, err)
	}
}

func TestLandKeepsTheMessage(t *testing.T) {
	message := "add a flag\n\n# Goal\n\nIt works.\n---\n-m x\n# ------------------------ >8 ------------------------\nstill here\n\nFlower-Run: 1"
	for _, spec := range []LandSpec{{NoFF: true}, {Squash: true}} {
		r := newRepo(t, small)
		for _, kv := range []string{"commit.cleanup scissors", "merge.log true", "commit.verbose true", "core.commentChar ;", "commit.template /no/such"} {
			key, value, _ := strings.Cut(kv, " ")
			r.git("config", key, value)
		}
		p := r.pool()
		spec.Join, spec.Message = r.side(r.head(), map[string]string{"t": "t\n"}), message+"\x00\x1b[31m\n\n"
		_, err := p.Land(context.Background(), spec)
		must(t, err)
		if got := r.git("log", "-1", "--format=%B"); !strings.HasPrefix(got, message+"[31m") {
			t.Errorf("%+v: the message is\n%s", spec, got)
		}
		if spec.Squash {
			continue
		}
		empty := r.side(r.head(), map[string]string{"u": "u\n"})
		_, err = p.Land(context.Background(), LandSpec{Join: empty, NoFF: true, Message: " \n"})
		must(t, err)
		if got := r.git("log", "-1", "--format=%s"); got != "land "+empty {
			t.Errorf("without a message: %q", got)
		}
	}
}

// What came by other commits already needs no commit of its own.
func TestLandOfNothingNew(t *testing.T) {
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	join := r.side(base, map[string]string{"t": "t\n"})
	r.git("reset", "-q", "--hard", r.side(base, map[string]string{"t": "t\n"}))
	before := scene(t, r)
	got, err := p.Land(context.Background(), LandSpec{Join: join, Message: "land", Squash: true})
	must(t, err)
	if got.After != got.Before || scene(t, r) != before {
		t.Errorf("%+v", got)
	}
	got, err = p.Land(context.Background(), LandSpec{Join: join, Message: "land"})
	must(t, err)
	if got.After == got.Before || r.git("rev-parse", "HEAD^{tree}") != r.git("rev-parse", got.Before+"^{tree}") {
		t.Errorf("%+v", got)
	}
	r.fsck()
}

// What another worktree of the user's is doing is none of our business.
func TestLandInALinkedWorktree(t *testing.T) {
	r := newRepo(t, small)
	join := r.side(r.head(), map[string]string{"t": "t\n"})
	linked := &repo{t: t, dir: filepath.Join(filepath.Dir(r.dir), "linked"), state: r.state}
	r.git("worktree", "add", "-q", "-b", "side", linked.dir)
	sh(t, r.dir, `git checkout -q -b o; git commit -q --allow-empty -m o; git checkout -q main; git commit -q --allow-empty -m p; git merge -q --no-commit o; echo dirty >>main.go`)
	main := r.head()
	got, err := linked.pool().Land(context.Background(), LandSpec{Join: join, Message: "land"})
	must(t, err)
	if got.Branch != "refs/heads/side" || linked.head() != join || r.head() != main {
		t.Errorf("%+v", got)
	}
	if _, err := r.pool().Land(context.Background(), LandSpec{Join: join, Message: "land"}); !isType[*InProgressError](err) {
		t.Errorf("in the main one: %v", err)
	}
}

func TestLandIsCancelledCleanly(t *testing.T) {
	for name, spec := range map[string]LandSpec{"merge": {}, "squash": {Squash: true}, "fast-forward": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for after := time.Duration(0); after < 90*time.Millisecond; after += 6 * time.Millisecond {
				cancelledLand(t, spec, name != "fast-forward", after)
			}
		})
	}
}

func cancelledLand(t *testing.T, spec LandSpec, apart bool, after time.Duration) {
	r := newRepo(t, small)
	p := r.pool()
	spec.Join, spec.Message = r.side(r.head(), map[string]string{"t": "t\n", "new/deep/t": "t\n", "lib/a.txt": "x\n", "main.go": ""}), "land"
	if apart {
		r.git("commit", "-q", "--allow-empty", "-m", "o")
	}
	put(t, r.dir, map[string]string{"untracked": "mine\n"})
	before, was := scene(t, r), r.head()
	ctx, cancel := context.WithTimeout(context.Background(), after)
	got, err := p.Land(ctx, spec)
	cancel()
	switch {
	case err == nil:
		if out := r.git("status", "--porcelain"); out != "?? untracked" || r.head() == was || r.head() != got.After {
			t.Errorf("after %v: landed %+v: %s", after, got, out)
		}
	case scene(t, r) != before:
		t.Errorf("after %v, %v, the checkout was\n%s\nand is\n%s", after, err, before, scene(t, r))
	}
	if text, err := os.ReadFile(filepath.Join(r.dir, "untracked")); err != nil || string(text) != "mine\n" {
		t.Errorf("after %v: the user's file holds %q, %v", after, text, err)
	}
}

// A git that is stopped has touched what its index does not know of.
func TestUndoPutsBackWhatWasTouched(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	join := r.side(r.head(), map[string]string{"t": "t\n", "new/deep/t": "t\n", "lib/a.txt": "x\n", "main.go": "", "lib/b.txt": ""})
	put(t, r.dir, map[string]string{"untracked": "mine\n"})
	before := scene(t, r)
	l := landing{git: p.c.Git, before: r.head()}
	must(t, p.touches(ctx, &l, join))
	for _, script := range []string{"", "echo x >lib/a.txt; rm main.go lib/b.txt; mkdir -p new/deep; echo t >t; echo t >new/deep/t", ": >lib/a.txt; mkdir -p new/deep", "rm -r lib; echo t >t; git add -A t", "git merge -q --squash " + join} {
		sh(t, r.dir, script)
		stopped := &gitcmd.Error{Args: []string{"merge"}, ExitCode: -1, Err: context.Canceled}
		if err := l.undo(ctx, stopped); !errors.Is(err, context.Canceled) {
			t.Errorf("after %q: %v", script, err)
		}
		if now := scene(t, r); now != before {
			t.Errorf("after %q the checkout was\n%s\nand is\n%s", script, before, now)
		}
	}
	r.git("commit", "-q", "--allow-empty", "-m", "landed")
	if err := l.undo(ctx, context.Canceled); err != nil {
		t.Errorf("it had come to its end: %v", err)
	}
}
