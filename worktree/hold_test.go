package worktree

import (
	"path/filepath"
	"testing"
)

// Between Finish and the ref that names its result nothing is lost to a gc that
// prunes at once, and afterwards gc is free again.
func TestGcTakesNothingThatIsHandedIn(t *testing.T) {
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	prune := func() { r.git("reflog", "expire", "--expire=now", "--all"); r.git("gc", "-q", "--prune=now") }
	kept := func() []string {
		names, err := filepath.Glob(filepath.Join(r.dir, ".git", "objects", "pack", "*.keep"))
		must(t, err)
		return names
	}
	for name, work := range map[string]string{
		"committed and not": "echo 1 >one; git add one; git commit -q -m one; echo 2 >two",
		"committed":         "echo 3 >three; git add three; git commit -q -m three",
		"not committed":     "echo 4 >four",
	} {
		tree := add(t, p, "coder-1", base)
		sh(t, tree.Path, work)
		got := finish(t, p, tree)
		prune()
		if out, err := try(r.dir, "git", "rev-list", "--objects", got.Tip, "--not", base); err != nil {
			t.Fatalf("%s: after gc: %v\n%s", name, err, out)
		}
		if len(kept()) == 0 {
			t.Errorf("%s: nothing is kept", name)
		}
		r.git("update-ref", "refs/flower/join/x", got.Tip)
		must(t, p.Release(t.Context(), tree))
		if left := kept(); len(left) > 0 {
			t.Errorf("%s: kept for ever: %v", name, left)
		}
		prune()
		r.fsck()
		r.git("update-ref", "-d", "refs/flower/join/x")
	}
}

// A snapshot is whole or there is none, when the worker's commit that it is made
// on is pruned before it is finished.
func TestASnapshotHasNoGaps(t *testing.T) {
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	sh(t, tree.Path, "echo 1 >one; git add one; git commit -q -m one; echo 2 >two")
	s, err := p.slotOf(tree)
	must(t, err)
	head, err := p.importHead(t.Context(), s, new([]string))
	must(t, err)
	d, err := p.draw(t.Context(), s, head, false)
	must(t, err)
	r.git("gc", "-q", "--prune=now")
	commit, err := p.commitDraft(t.Context(), s, d, "snapshot\n", []string{head})
	if err == nil {
		_, err := try(r.dir, "git", "rev-list", "--objects", commit, "--not", base)
		if err != nil {
			t.Error("a snapshot with a gap was made")
		}
	}
	must(t, p.drop(s, d))
	s.busy.Unlock()
	snap, err := p.Snapshot(t.Context(), tree, "")
	must(t, err)
	if r.show(snap.Commit, "one") != "1" || r.show(snap.Commit, "two") != "2" {
		t.Errorf("%+v", snap)
	}
}
