package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// restore makes a tree of a snapshot for a worker that has none.
func restore(t *testing.T, p *Pool, worker, base, snapshot string) (*Tree, Restored) {
	t.Helper()
	tree, r, err := p.Restore(context.Background(), Spec{Run: "run", Worker: worker, Base: base}, snapshot)
	must(t, err)
	return tree, r
}

// elsewhere is a pool of the same repository that knows of no tree yet.
func (r *repo) elsewhere() *Pool {
	r.t.Helper()
	c := r.config()
	c.State = filepath.Join(r.t.TempDir(), "elsewhere")
	p, err := Open(context.Background(), c)
	must(r.t, err)
	r.t.Cleanup(func() { must(r.t, p.Close()) })
	return p
}

// What a snapshot does not hold is told again where it is restored.
func TestRestoreTellsWhatIsNotThere(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `echo k >k.secret
git init -q nested; echo n >nested/n
echo s >s; git add s; g stash -q
echo x >x; ln -s x link; chmod +x lib/a.txt
dd if=/dev/zero of=huge bs=1048576 count=11 2>/dev/null`)
	s := snapshot(t, p, tree, "")
	there := r.elsewhere()
	_, got := restore(t, there, "coder-1", r.head(), s.Commit)
	if !slices.Equal(got.LeftOut, quoted(s.LeftOut)) {
		t.Errorf("left out %q, told %q", s.LeftOut, got.LeftOut)
	}
	all := strings.Join(got.LeftOut, "\n")
	for _, want := range []string{"k.secret", "nested/.git/", "refs/stash (commits", "huge (11534336 bytes)"} {
		if !strings.Contains(all, want) {
			t.Errorf("'%s' is not in\n%s", want, all)
		}
	}
	if len(got.Merging) > 0 {
		t.Errorf("merging %q", got.Merging)
	}
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quoteName(name)
	}
	return out
}

// A merge that was in progress is so again, with the files as the worker had
// them, and can be ended there.
func TestRestoreGoesOnWithAMerge(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `git checkout -q -b other; echo theirs >lib/a.txt; g commit -qam theirs
git checkout -q -; echo ours >lib/a.txt; g commit -qam ours; g merge -q other && exit 1; true`)
	merging := run(t, tree.Path, "git", "rev-parse", "MERGE_HEAD")
	one := snapshot(t, p, tree, "")
	two := snapshot(t, p, tree, one.Commit)
	if two.Changed {
		t.Error("a merge in progress makes snapshots without end")
	}
	there := r.elsewhere()
	other, got := restore(t, there, "coder-1", r.head(), one.Commit)
	if !slices.Equal(got.Merging, []string{merging}) {
		t.Errorf("merging %q, not %s", got.Merging, merging)
	}
	text, err := os.ReadFile(filepath.Join(other.Path, "lib/a.txt"))
	must(t, err)
	if !strings.Contains(string(text), "<<<<<<<") {
		t.Errorf("the file holds %q", text)
	}
	sh(t, other.Path, `echo both >lib/a.txt; g add lib/a.txt; GIT_EDITOR=true g merge --continue`)
	if parents := run(t, other.Path, "git", "log", "-1", "--format=%P"); !strings.HasSuffix(parents, merging) {
		t.Errorf("parents are %s", parents)
	}
	finish(t, there, other)
	r.fsck()
}

func TestRestoreRefusesAMergeThatIsNotInTheSnapshot(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	stranger := r.git("commit-tree", "-m", "x", "HEAD^{tree}")
	for _, id := range []string{stranger, "--help", strings.Repeat("0", 40)} {
		message := snapshotMessage("coder-1", r.head(), nil, []string{id})
		snap := r.git("commit-tree", "-p", "HEAD", "-m", message, "HEAD^{tree}")
		if _, _, err := p.Restore(context.Background(), Spec{Run: "run", Worker: "coder-1", Base: r.head()}, snap); err == nil {
			t.Errorf("restored with a merge of '%s'", id)
		}
	}
}

func FuzzParseSnapshot(f *testing.F) {
	f.Add("snapshot: coder-1\n\nNot in it:\n    a\n\nFlower-Merge: b\nFlower-Tip: c\n")
	f.Add("Flower-Tip: ")
	f.Add("")
	f.Fuzz(func(t *testing.T, message string) {
		r := parseSnapshot(message)
		if r.head == "" {
			return
		}
		again := parseSnapshot(snapshotMessage("w", r.head, r.LeftOut, r.Merging))
		if again.head != r.head || !slices.Equal(again.Merging, r.Merging) {
			t.Errorf("%+v becomes %+v", r, again)
		}
	})
}
