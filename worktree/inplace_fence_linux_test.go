package worktree

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"git-flower/worktree/fence"
)

// fencedSeat is a run in a checkout whose worker's commands are fenced by means of
// a kind.
func fencedSeat(t *testing.T, r *repo, m fence.Means) *seat {
	t.Helper()
	s := &seat{t: t, r: r, p: fencedPool(t, r, m), note: filepath.Join(r.state, "run", "inplace")}
	c, err := s.p.KeepChanges(context.Background())
	must(t, err)
	s.join = c.Commit
	s.open()
	must(t, s.Begin(context.Background(), "run", s.note))
	return s
}

// What a worker that has the checkout may change, exactly: its files, what git
// needs for commits of its own, caches and temporary files.
func TestInPlaceWhatMayBeChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	for name, m := range ways(t) {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, small)
			outside := t.TempDir()
			sh(t, r.dir, "mkdir -p .git/flower .git/refs/flower/run && echo x >.git/flower/x && git update-ref refs/flower/run/x HEAD && echo kept >.git/info/attributes; git worktree add -q ../linked -b linked")
			r.git("config", "extensions.worktreeConfig", "true")
			sh(t, r.dir, "mkdir -p .git/modules/sub/hooks; echo '[x]' >.git/config.worktree; echo '[x]' >.git/modules/sub/config")
			s := fencedSeat(t, r, m)
			tree := s.add("coder-1")
			git := filepath.Join(r.dir, ".git")
			for _, path := range []string{r.dir + "/new", r.dir + "/main.go", git + "/objects/new", git + "/refs/heads/new", git + "/index", git + "/logs/HEAD", git + "/COMMIT_EDITMSG"} {
				if out, ok := within(t, tree, tree.Fence, `echo x >>`+shellWord(path)); !ok {
					t.Errorf("cannot write to %s: %s", path, out)
				}
			}
			for _, path := range []string{
				outside + "/x", filepath.Dir(r.dir) + "/linked/main.go", filepath.Dir(r.dir) + "/x", r.state + "/x", r.state + "/warm", os.Getenv("HOME") + "/.gitconfig", s.note,
			} {
				before, _ := os.ReadFile(path)
				within(t, tree, tree.Fence, `echo planted >>`+shellWord(path))
				if after, _ := os.ReadFile(path); string(before) != string(after) {
					t.Errorf("%s was changed", path)
				}
			}
			if out, ok := within(t, tree, tree.Fence, `echo y >y && git add y && git commit -q -m y && git branch b && git tag t && git stash -q -u && git checkout -q b`); !ok {
				t.Errorf("cannot commit: %s", out)
			}
			if m.Namespaces {
				for _, path := range []string{"config", "hooks/pre-commit", "hooks/post-checkout", "flower/x", "flower/inplace.lock", "refs/flower/run/x", "info/attributes", "info/grafts", "worktrees/linked/HEAD", "worktrees/linked/gitdir", "worktrees/linked/config.worktree", "modules/sub/hooks/post-checkout", "modules/sub/config", "config.worktree"} {
					path = filepath.Join(git, path)
					before, _ := os.ReadFile(path)
					within(t, tree, tree.Fence, `echo planted >>`+shellWord(path)+` || { rm -f `+shellWord(path)+`; echo planted >`+shellWord(path)+`; }`)
					if after, _ := os.ReadFile(path); string(before) != string(after) {
						t.Errorf("%s was changed", path)
					}
				}
			}
		})
	}
}

// In a linked worktree the same holds, of both git directories.
func TestInPlaceInALinkedWorktree(t *testing.T) {
	for name, m := range ways(t) {
		t.Run(name, func(t *testing.T) {
			main := newRepo(t, small)
			r := *main
			r.dir = filepath.Join(filepath.Dir(main.dir), "linked")
			main.git("worktree", "add", "-q", "-b", "side", r.dir)
			tree := fencedSeat(t, &r, m).add("coder-1")
			if out, ok := within(t, tree, tree.Fence, `echo y >y && git add y && git commit -q -m y && git status --short`); !ok {
				t.Errorf("cannot commit: %s", out)
			}
			own := filepath.Join(main.dir, ".git", "worktrees", "linked")
			for _, path := range []string{own + "/commondir", own + "/gitdir", main.dir + "/.git/config", main.dir + "/.git/hooks/x", main.dir + "/main.go"} {
				if m.Namespaces || path == main.dir+"/main.go" {
					before, _ := os.ReadFile(path)
					within(t, tree, tree.Fence, `echo planted >>`+shellWord(path))
					if after, _ := os.ReadFile(path); string(before) != string(after) {
						t.Errorf("%s was changed", path)
					}
				}
			}
		})
	}
}
