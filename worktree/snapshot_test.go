package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func snapshot(t *testing.T, p *Pool, tree *Tree, parent string) Snapshot {
	t.Helper()
	s, err := p.Snapshot(context.Background(), tree, parent)
	must(t, err)
	return s
}

func TestSnapshotsOnlyMoveForward(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	steps := []struct {
		script  string
		changed bool
		names   string
	}{
		{``, false, ".gitignore lib/a.txt lib/b.txt main.go"},
		{`echo x >x`, true, ".gitignore lib/a.txt lib/b.txt main.go x"},
		{`touch x; touch -d '1 hour ago' main.go`, false, ".gitignore lib/a.txt lib/b.txt main.go x"},
		{`git add x; git commit -q -m x`, true, ".gitignore lib/a.txt lib/b.txt main.go x"},
		{`git status >/dev/null`, false, ".gitignore lib/a.txt lib/b.txt main.go x"},
		{`rm x; echo y >y`, true, ".gitignore lib/a.txt lib/b.txt main.go y"},
		{`git checkout -q -b other; git add -A; git commit -q -m y; git commit -q --allow-empty -m z`, true, ".gitignore lib/a.txt lib/b.txt main.go y"},
		{`git reset -q --hard HEAD~3`, true, ".gitignore lib/a.txt lib/b.txt main.go"},
		{`rm -rf "$PWD"`, false, ".gitignore lib/a.txt lib/b.txt main.go"},
	}
	last := base
	for _, step := range steps {
		sh(t, tree.Path, step.script)
		s := snapshot(t, p, tree, last)
		if s.Changed != step.changed || s.Changed == (s.Commit == last) {
			t.Errorf("%q: changed %v, want %v: %s after %s", step.script, s.Changed, step.changed, s.Commit, last)
		}
		if _, err := try(r.dir, "git", "merge-base", "--is-ancestor", last, s.Commit); err != nil {
			t.Errorf("%q: %s does not contain %s", step.script, s.Commit, last)
		}
		if got := strings.TrimSuffix(strings.ReplaceAll(r.names(s.Commit), "|", " "), " "); got != step.names {
			t.Errorf("%q: holds %q, want %q", step.script, got, step.names)
		}
		last = s.Commit
	}
	got := finish(t, p, tree)
	if out := r.git("log", "--format=%s", got.Tip); strings.Contains(out, "snapshot") {
		t.Errorf("a snapshot is part of the work:\n%s", out)
	}
	join, err := p.Join(ctx, JoinSpec{Tip: got.Tip})
	must(t, err)
	if join.Commit != got.Tip {
		t.Errorf("joined %s", join.Commit)
	}
	r.fsck()
}

func TestSnapshotContainsTheWorkersHead(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `echo x >x`)
	one := snapshot(t, p, tree, r.head())
	sh(t, tree.Path, `git add x; git commit -q -m x; echo y >y`)
	head := run(t, tree.Path, "git", "rev-parse", "HEAD")
	two := snapshot(t, p, tree, one.Commit)
	if got := r.git("log", "-1", "--format=%P", two.Commit); got != one.Commit+" "+head {
		t.Errorf("parents are %s", got)
	}
	if got := r.git("log", "-1", "--format=%(trailers:key=Flower-Tip,valueonly)", two.Commit); got != head {
		t.Errorf("the trailer says %q", got)
	}
}

func TestSnapshotTellsWhatItDoesNotHold(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "echo k >k.secret; mkfifo 'a\nb'; echo x >x")
	s := snapshot(t, p, tree, "")
	contains(t, s.LeftOut, "k.secret")
	message := r.git("log", "-1", "--format=%B", s.Commit)
	want := "snapshot: coder-1\n\nNot in it:\n    \"a\\nb (cannot be read)\"\n    k.secret\n\nFlower-Tip: " + r.head()
	if message != want {
		t.Errorf("the message is\n%s", message)
	}
	var many []string
	for i := range 3 * maxListed {
		many = append(many, fmt.Sprint(i))
	}
	long := snapshotMessage("coder-1", r.head(), many, nil)
	if strings.Count(long, "\n") > maxListed+8 || !strings.Contains(long, "and 2000 more") {
		t.Errorf("%d lines", strings.Count(long, "\n"))
	}
}

func TestRestoreGivesTheSameDirtyTree(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `echo c >c; git add c; git commit -q -m c; echo d >d; git add d; echo x >>lib/a.txt; rm lib/b.txt; mkdir e; printf 'f' >'e/ f
g'`)
	s := snapshot(t, p, tree, "")
	before := run(t, tree.Path, "git", "status", "--porcelain", "--untracked-files=all")
	head := run(t, tree.Path, "git", "rev-parse", "HEAD")

	must(t, os.RemoveAll(r.state+".2"))
	c := r.config()
	c.State += ".2" // another machine
	elsewhere, err := Open(ctx, c)
	must(t, err)
	defer elsewhere.Close()
	there, _ := restore(t, elsewhere, "coder-1", r.head(), s.Commit)
	if got := run(t, there.Path, "git", "rev-parse", "HEAD"); got != head {
		t.Errorf("HEAD is %s, want %s", got, head)
	}
	after := run(t, there.Path, "git", "status", "--porcelain", "--untracked-files=all")
	if after != strings.ReplaceAll(before, "A  d", "?? d") && sorted(after) != sorted(strings.ReplaceAll(before, "A  d", "?? d")) {
		t.Errorf("status is\n%s\nwant\n%s", after, before)
	}
	again := snapshot(t, elsewhere, there, s.Commit)
	if again.Changed {
		t.Errorf("a snapshot of what was restored is %s, not %s", again.Commit, s.Commit)
	}
	if one, two := finish(t, p, tree), finish(t, elsewhere, there); one.Tip != two.Tip {
		t.Errorf("finished as %s here and %s there", one.Tip, two.Tip)
	}
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		for j := i + 1; j < len(lines); j++ {
			if lines[j] < lines[i] {
				lines[i], lines[j] = lines[j], lines[i]
			}
		}
	}
	return strings.Join(lines, "\n")
}

func TestRestoreRefusesALie(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	spec := Spec{Run: "run", Worker: "coder-1", Base: base}
	r.write(map[string]string{"z": "z"})
	r.git("add", "z")
	r.git("commit", "-q", "-m", "elsewhere")
	lies := map[string]string{
		"not part of it": tipTrailer + r.head(),
		"no id":          tipTrailer + "HEAD; rm -rf /",
		"unknown":        tipTrailer + strings.Repeat("1", 40),
	}
	for name, lie := range lies {
		snap := r.git("commit-tree", "-p", base, "-m", "snapshot: x\n\n"+lie, base+"^{tree}")
		if _, _, err := p.Restore(ctx, spec, snap); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
	if _, _, err := p.Restore(ctx, spec, "refs/heads/nothing"); err == nil {
		t.Error("restored what is not there")
	}
	tree, _ := restore(t, p, "coder-1", base, base)
	if out := run(t, tree.Path, "git", "status", "--porcelain"); out != "" {
		t.Errorf("after restoring a plain commit: %s", out)
	}
}

func TestTreeDigestReadsEveryFile(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	digest := func() string {
		d, err := p.TreeDigest(ctx, tree)
		must(t, err)
		return d
	}
	if got := digest(); got != r.git("rev-parse", "HEAD^{tree}") {
		t.Errorf("an untouched tree is %s", got)
	}
	// The same size and the same times do not fool it.
	path := filepath.Join(tree.Path, "main.go")
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte("package nain\n"), 0o644))
	must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	if got := digest(); got == r.git("rev-parse", "HEAD^{tree}") {
		t.Error("a changed file went unseen")
	}
	loose := r.git("count-objects")
	sh(t, tree.Path, "echo x >x")
	digest()
	if now := r.git("count-objects"); now != loose {
		t.Errorf("looking wrote objects: %s, then %s", loose, now)
	}
}

// A change within one tick of the clock, of the same size, is seen.
func TestQuickChangesAreSeen(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	last := ""
	for i := range 30 {
		text := fmt.Sprint(i % 2)
		put(t, tree.Path, map[string]string{"x": text})
		snap := snapshot(t, p, tree, last)
		if got := r.show(snap.Commit, "x"); got != text {
			t.Fatalf("change %d went unseen", i)
		}
		last = snap.Commit
	}
}

// nextSecond waits for the next second of the file system's clock, which is a
// little behind ours.
func nextSecond(t *testing.T) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	now := func() int64 {
		must(t, os.WriteFile(probe, nil, 0o600))
		info, err := os.Stat(probe)
		must(t, err)
		return info.ModTime().Unix()
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for began := now(); now() == began; {
		<-tick.C
	}
}

// A user who tells git to trust times and sizes does not tell us: a worker's
// edit that keeps both is seen.
func TestHiddenChangesAreSeen(t *testing.T) {
	r := newRepo(t, small)
	r.git("config", "core.checkStat", "minimal")
	r.git("config", "core.trustctime", "false")
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "touch -d '2020-01-01' lib/b.txt")
	first := snapshot(t, p, tree, "")
	nextSecond(t) // git does not look at parts of one
	sh(t, tree.Path, "printf 'x\\n' >lib/b.txt; touch -d '2020-01-01' lib/b.txt")
	second := snapshot(t, p, tree, first.Commit)
	if got := r.show(second.Commit, "lib/b.txt"); got != "x" {
		t.Errorf("b.txt holds %q", got)
	}
}
