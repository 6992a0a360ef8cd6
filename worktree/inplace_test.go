package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A seat is a checkout that a run works in.
type seat struct {
	*InPlace
	t    *testing.T
	r    *repo
	p    *Pool
	note string // file
	join string
}

// sit begins a run in place in a repository; its base is the checkout as it is.
func sit(t *testing.T, r *repo) *seat {
	t.Helper()
	s := &seat{t: t, r: r, p: r.pool(), note: filepath.Join(r.state, "run", "inplace")}
	c, err := s.p.KeepChanges(context.Background())
	must(t, err)
	s.join = c.Commit
	s.open()
	must(t, s.Begin(context.Background(), "run", s.note))
	return s
}

func (s *seat) open() {
	s.t.Helper()
	var err error
	s.InPlace, err = s.p.InPlace(context.Background())
	must(s.t, err)
	s.t.Cleanup(func() { must(s.t, s.InPlace.Close()) })
	s.Join = func(context.Context) (string, error) { return s.join, nil }
}

// reopen is a process after the one that had the checkout.
func (s *seat) reopen() {
	s.t.Helper()
	must(s.t, s.InPlace.Close())
	s.open()
	must(s.t, s.Resume(context.Background(), s.note))
}

func (s *seat) add(worker string) *Tree {
	s.t.Helper()
	tree, err := s.Add(context.Background(), Spec{Run: "run", Worker: worker, Base: s.join})
	must(s.t, err)
	return tree
}

func (s *seat) finish(tree *Tree) Result {
	s.t.Helper()
	r, err := s.Finish(context.Background(), tree, CommitMessage{Subject: "work"})
	must(s.t, err)
	return r
}

// hand is a worker's whole turn.
func (s *seat) hand(worker, script string) Result {
	s.t.Helper()
	tree := s.add(worker)
	sh(s.t, tree.Path, script)
	r := s.finish(tree)
	must(s.t, s.Release(context.Background(), tree))
	s.join = r.Tip
	return r
}

func (s *seat) changed(from, to string) string {
	s.t.Helper()
	return strings.Join(strings.Fields(s.r.git("diff", "--name-only", "--no-renames", from, to)), " ")
}

// users is what stays the user's besides files.
func users(t *testing.T, r *repo) string {
	t.Helper()
	dir := r.git("rev-parse", "--absolute-git-dir")
	return r.git("for-each-ref") + readText(t, filepath.Join(dir, "HEAD")) + readText(t, filepath.Join(dir, "index")) + readText(t, filepath.Join(dir, "config"))
}

func TestInPlaceTakesFilesAndLeavesTheRest(t *testing.T) {
	for name, test := range map[string]struct{ before, work, changed string }{
		"nothing":              {work: `:`},
		"changed, new, gone":   {work: `echo x >>lib/a.txt; echo n >n; rm lib/b.txt`, changed: "lib/a.txt lib/b.txt n"},
		"on changes of before": {before: `echo u >>lib/a.txt; git add lib/a.txt; echo u >u`, work: `echo x >>lib/a.txt`, changed: "lib/a.txt"},
		"undoes the user's":    {before: `echo u >u`, work: `rm u`, changed: "u"},
		"ignored":              {work: `mkdir node_modules; echo x >node_modules/x`},
		"times alone":          {work: `touch -d 2001-01-01 lib/a.txt`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, small)
			sh(t, r.dir, test.before)
			s := sit(t, r)
			base, was := s.join, users(t, r)
			tip := s.hand("coder-1", test.work).Tip
			if got := s.changed(base, tip); got != test.changed {
				t.Errorf("the worker changed '%s'", got)
			}
			if test.changed == "" && tip != base {
				t.Errorf("nothing was done, and there is commit %s", tip)
			}
			if users(t, r) != was {
				t.Error("branch, index or configuration changed")
			}
			r.fsck()
		})
	}
}

func TestInPlaceTellsOthersChangesApart(t *testing.T) {
	s := sit(t, newRepo(t, small))
	first := s.hand("coder-1", `echo 1 >one`).Tip
	sh(t, s.r.dir, `echo u >u; rm lib/b.txt`)
	r := s.hand("coder-2", `echo 2 >two`)
	if got := s.changed(first, r.Tip+"^"); got != "lib/b.txt u" {
		t.Errorf("between the workers: '%s'", got)
	}
	if got := s.changed(r.Tip+"^", r.Tip); got != "two" {
		t.Errorf("by the second worker: '%s'", got)
	}
	contains(t, r.Notes, s.r.git("rev-parse", r.Tip+"^"))
	if again := s.hand("coder-3", `:`); again.Tip != r.Tip || len(again.Notes) > 0 {
		t.Errorf("nothing done since: %+v", again)
	}
}

// A worker begun at an older base, as in one call with another, works on what the
// other made.
func TestInPlaceBeginsAtTheNewestResult(t *testing.T) {
	s := sit(t, newRepo(t, small))
	base := s.join
	s.hand("coder-1", `echo 1 >one`)
	tree, err := s.Add(context.Background(), Spec{Run: "run", Worker: "coder-2", Base: base})
	must(t, err)
	if r := s.finish(tree); r.Tip != base {
		t.Errorf("one that does nothing has made %s", r.Tip)
	}
	must(t, os.WriteFile(filepath.Join(tree.Path, "two"), nil, 0o644))
	if got := s.changed(s.join, s.finish(tree).Tip); got != "two" {
		t.Errorf("the second changed '%s'", got)
	}
}

func TestInPlaceTellsWhatBecameOfTheBranch(t *testing.T) {
	for name, test := range map[string]struct{ work, note string }{
		"commits":       {`echo n >n; git add n; git commit -q -m own`, "moved on"},
		"amends":        {`echo n >n; git add n; git commit -q --amend -m own`, "was rewritten"},
		"switches":      {`git switch -q -c else; echo n >n`, "is on 'refs/heads/else' now"},
		"adds by force": {`echo .gitignore >>.gitignore; echo n >n; echo n >>.gitignore; git add -f n; git commit -q -a -m own`, "moved on"},
	} {
		t.Run(name, func(t *testing.T) {
			user := newRepo(t, small)
			user.git("commit", "-q", "--allow-empty", "-m", "second")
			s := sit(t, user)
			tree := s.add("coder-1")
			sh(t, tree.Path, test.work)
			was := users(t, s.r)
			r := s.finish(tree)
			contains(t, r.Notes, test.note)
			if users(t, s.r) != was {
				t.Error("something of it was undone")
			}
			if s.r.show(r.Tip, "n") != "n" {
				t.Error("its file is not in the result")
			}
			if out, err := try(s.r.dir, "git", "merge-base", "--is-ancestor", "HEAD", r.Tip); err != nil {
				t.Errorf("its commit is not in the result: %s", out)
			}
		})
	}
}

func TestInPlaceOneAtATime(t *testing.T) {
	s := sit(t, newRepo(t, small))
	_, err := s.r.pool().InPlace(context.Background())
	var taken *TakenError
	if !errors.As(err, &taken) {
		t.Errorf("a second run: %v", err)
	}
	if _, err := s.p.Land(context.Background(), LandSpec{Join: s.join}); !errors.As(err, &taken) {
		t.Errorf("a landing meanwhile: %v", err)
	}
	s.add("coder-1")
	if _, err := s.Add(context.Background(), Spec{Run: "run", Worker: "coder-2", Base: s.join}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second worker: %v", err)
	}
}

func TestInPlaceGoesOnAfterDeath(t *testing.T) {
	ctx := context.Background()
	s := sit(t, newRepo(t, small))
	tree := s.add("coder-1")
	must(t, os.WriteFile(filepath.Join(tree.Path, "half"), []byte("half"), 0o644))
	snap, err := s.Snapshot(ctx, tree, "")
	must(t, err)
	s.reopen()
	spec := Spec{Run: "run", Worker: "coder-1"}
	if tree, err = s.Reopen(ctx, spec); err != nil || tree.Path != s.r.dir {
		t.Fatalf("%+v, %v", tree, err)
	}
	if _, err := s.Reopen(ctx, Spec{Run: "run", Worker: "coder-2"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another worker: %v", err)
	}
	if _, _, err := s.Restore(ctx, spec, snap.Commit); err == nil {
		t.Error("a snapshot was restored over the user's files")
	}
	r := s.finish(tree)
	if again := s.finish(tree); again.Tip != r.Tip {
		t.Errorf("finished again: %s, then %s", r.Tip, again.Tip)
	}
	if s.changed(s.join, r.Tip) != "half" {
		t.Error("what was there before the death is not in the result")
	}
	if left, err := filepath.Glob(filepath.Join(s.r.state, "*", "checkout-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestInPlaceSnapshots(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	s := sit(t, r)
	tree := s.add("coder-1")
	none, err := s.Snapshot(ctx, tree, "")
	must(t, err)
	if none.Commit != s.join {
		t.Errorf("of nothing: %+v", none)
	}
	put(t, r.dir, map[string]string{"a": "a", "b": "b"})
	some, err := s.SnapshotPaths(ctx, tree, "", []string{filepath.Join(r.dir, "a")})
	must(t, err)
	if got := s.changed(s.join, some.Commit); got != "a" {
		t.Errorf("of one file: '%s'", got)
	}
	all, err := s.Snapshot(ctx, tree, some.Commit)
	must(t, err)
	if got := s.changed(some.Commit, all.Commit); got != "b" {
		t.Errorf("of the rest: '%s'", got)
	}
	other, restored, err := r.pool().Restore(ctx, Spec{Run: "run", Worker: "coder-1", Base: s.join}, all.Commit)
	must(t, err)
	if readText(t, filepath.Join(other.Path, "b")) != "b" || len(restored.LeftOut) > 0 {
		t.Errorf("elsewhere: %+v", restored)
	}
	r.fsck()
}

func TestInPlaceRefuses(t *testing.T) {
	for name, script := range map[string]string{
		"merge":    `git checkout -q -b side; echo s >main.go; git commit -q -a -m s; git checkout -q main; echo m >main.go; git commit -q -a -m m; ! git merge -q side`,
		"conflict": `git checkout -q -b side; echo s >main.go; git commit -q -a -m s; git checkout -q main; echo m >main.go; git commit -q -a -m m; ! git merge -q side; rm .git/MERGE_HEAD`,
	} {
		r := newRepo(t, small)
		p := r.pool()
		sh(t, r.dir, script)
		if c, err := p.InPlace(context.Background()); err == nil {
			t.Errorf("%s: taken", name)
			must(t, c.Close())
		}
	}
	s := sit(t, newRepo(t, small))
	sh(t, s.r.dir, `git checkout -q --orphan other; git commit -q -m other`)
	must(t, s.InPlace.Close())
	s.open()
	var moved *MovedError
	if err := s.Resume(context.Background(), s.note); !errors.As(err, &moved) {
		t.Errorf("on another branch: %v", err)
	}
}

func TestLandOfACheckoutThatHoldsTheResult(t *testing.T) {
	const work = `echo x >>lib/a.txt; rm lib/b.txt; mkdir new; echo n >new/n`
	for name, test := range map[string]struct {
		spec    LandSpec
		since   string
		parents int
		ff      bool
	}{
		"fast-forward": {parents: 1, ff: true},
		"no-ff":        {spec: LandSpec{NoFF: true}, parents: 2},
		"squash":       {spec: LandSpec{Squash: true}, parents: 1},
		"staged":       {since: `git add -A`, parents: 1, ff: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, small)
			sh(t, r.dir, `echo u >u; echo u >>main.go`)
			s := sit(t, r)
			test.spec.Join, test.spec.Base = s.hand("coder-1", work).Tip, s.join
			must(t, s.InPlace.Close())
			sh(t, r.dir, test.since)
			files := sh(t, r.dir, `find . -path ./.git -prune -o -type f -print -exec cat {} \;`)
			got, err := s.p.Land(context.Background(), test.spec)
			must(t, err)
			if !got.Held || got.FastForward != test.ff || len(strings.Fields(r.git("show", "-s", "--format=%P"))) != test.parents {
				t.Errorf("%+v", got)
			}
			if now := sh(t, r.dir, `find . -path ./.git -prune -o -type f -print -exec cat {} \;`); now != files {
				t.Errorf("files were\n%s\nand are\n%s", files, now)
			}
			if out := r.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %s", out)
			}
		})
	}
}
