package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func snapshotPaths(t *testing.T, p *Pool, tree *Tree, parent string, paths ...string) Snapshot {
	t.Helper()
	s, err := p.SnapshotPaths(context.Background(), tree, parent, paths)
	must(t, err)
	return s
}

// Files that are named are kept; nothing else is looked at until the next whole
// snapshot.
func TestSnapshotOfNamedFiles(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `echo k >k.secret; echo x >x`)
	first := snapshotPaths(t, p, tree, "", "x") // nobody has looked yet
	if got := r.git("ls-tree", "-r", "--name-only", first.Commit); !strings.Contains(got, "x") {
		t.Fatalf("holds %q", got)
	}
	sh(t, tree.Path, `echo 2 >>x; mkdir d; echo y >d/y; echo z >z; echo k >l.secret; rm lib/b.txt
dd if=/dev/zero of=huge bs=1048576 count=11 2>/dev/null`)
	second := snapshotPaths(t, p, tree, first.Commit, filepath.Join(tree.Path, "x"), "d/y", "l.secret", "huge",
		"../owner", "/etc/passwd", ".git/config", filepath.Join(tree.Path, "lib/.GIT/config"), "never.was")
	if got := r.git("diff", "--name-only", first.Commit, second.Commit); got != "d/y\nx" {
		t.Errorf("changed are %q", got)
	}
	contains(t, second.LeftOut, "k.secret")
	contains(t, second.LeftOut, "l.secret")
	if message := r.git("log", "-1", "--format=%B", second.Commit); !strings.Contains(message, "k.secret") || !strings.Contains(message, "huge (11534336 bytes)") {
		t.Errorf("the message is\n%s", message)
	}
	if again := snapshotPaths(t, p, tree, second.Commit, "x", "d/y"); again.Changed {
		t.Error("equal files make a snapshot")
	}
	third := snapshot(t, p, tree, second.Commit)
	if got := r.git("diff", "--name-only", second.Commit, third.Commit); got != "lib/b.txt\nz" {
		t.Errorf("changed are %q", got)
	}
	if got := r.git("rev-list", "--parents", "-1", third.Commit); got != third.Commit+" "+second.Commit {
		t.Errorf("parents: %s", got)
	}
	finish(t, p, tree)
	r.fsck()
}

// With a parent that is not the last thing kept, everything is looked at.
func TestSnapshotOfNamedFilesAfterAStranger(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	snapshot(t, p, tree, "")
	sh(t, tree.Path, `echo x >x; echo y >y`)
	other := r.git("commit-tree", "-p", "HEAD", "-m", "other", "HEAD^{tree}")
	s := snapshotPaths(t, p, tree, other, "x")
	if got := r.git("ls-tree", "--name-only", s.Commit); !strings.Contains(got, "y") {
		t.Errorf("holds %q", got)
	}
	r.git("merge-base", "--is-ancestor", other, s.Commit)
}

// A link that leads out of the tree is kept as a link.
func TestSnapshotOfANamedFileBehindALink(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	first := snapshot(t, p, tree, "")
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("of the user's\n"), 0o600))
	must(t, os.Symlink(secret, filepath.Join(tree.Path, "link")))
	must(t, os.Symlink(filepath.Dir(secret), filepath.Join(tree.Path, "dir")))
	s := snapshotPaths(t, p, tree, first.Commit, "link", "dir/secret")
	if got := r.git("ls-tree", "-r", s.Commit, "link", "dir"); strings.Count(got, "\n") > 0 || !strings.HasPrefix(got, "120000 ") {
		t.Errorf("kept: %s", got)
	}
}
