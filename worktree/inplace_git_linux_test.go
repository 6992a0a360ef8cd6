package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/worktree/fence"
)

// planted are names in the git directory that are not there and that git obeys.
// kept says that they stay where no namespace holds them.
var planted = []struct {
	name  string
	kept  bool
	moved bool // however commands are held
}{
	{name: "commondir", moved: true}, {name: "gitdir", moved: true},
	{name: "config.worktree"}, {name: "hooks/pre-commit"}, {name: "info/grafts"}, {name: "info/attributes"}, {name: "objects/info/alternates"},
	{name: "modules/sub/config", kept: true}, {name: "worktrees/x/config.worktree", kept: true}, {name: "refs/flower/run/x", kept: true},
}

// bareSeat is a seat in a repository without what can be planted.
func bareSeat(t *testing.T, m fence.Means) *seat {
	t.Helper()
	r := newRepo(t, small)
	begin := sit
	if m.Any() {
		begin = func(t *testing.T, r *repo) *seat { return fencedSeat(t, r, m) }
	}
	s := begin(t, r)
	r.git("pack-refs", "--all")
	sh(t, r.dir, "cd .git && rm -rf hooks info modules worktrees refs/flower objects/info/alternates config.worktree")
	return s
}

// What a worker plants for git to obey is gone before git can, and is told.
func TestInPlaceNothingIsPlanted(t *testing.T) {
	all := ways(t)
	all["off"] = fence.Means{}
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			for _, p := range planted {
				t.Run(strings.ReplaceAll(p.name, "/", " "), func(t *testing.T) {
					t.Parallel()
					plant(t, bareSeat(t, m), m, p.name, p.moved || !p.kept && !m.Namespaces, p.kept && !m.Namespaces)
				})
			}
		})
	}
}

func plant(t *testing.T, s *seat, m fence.Means, name string, moved, kept bool) {
	tree := s.add("coder-1")
	path := filepath.Join(s.r.dir, ".git", filepath.FromSlash(name))
	out, _ := within(t, tree, tree.Fence, "mkdir -p "+shellWord(filepath.Dir(path))+"\necho /nowhere >"+shellWord(path))
	if m.Any() && moved != strings.Contains(out, "aside") {
		t.Errorf("the worker is told:\n%s", out)
	}
	if m.Any() {
		checkPlanted(t, path, kept)
	}
	r := s.finish(tree)
	checkPlanted(t, path, kept)
	if notes := strings.Join(r.Notes, "\n"); moved != strings.Contains(notes, filepath.Join("aside", "1", filepath.FromSlash(name[:min(5, len(name))]))) {
		t.Errorf("the notes say:\n%s", notes)
	}
	must(t, s.Release(context.Background(), tree))
	first, _, _ := strings.Cut(name, "/")
	if _, err := os.Lstat(filepath.Join(s.r.dir, ".git", first)); first != "objects" && first != "refs" && !kept && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("'%s' was left: %v", first, err)
	}
	s.r.git("status")
	if again := s.finish(s.add("coder-2")).Notes; strings.Contains(strings.Join(again, "\n"), "aside") {
		t.Errorf("it is told again: %v", again)
	}
}

func checkPlanted(t *testing.T, path string, kept bool) {
	t.Helper()
	if text, _ := os.ReadFile(path); (len(text) > 0) != kept {
		t.Errorf("'%s' holds '%s'", path, text)
	}
}

// What a process that was killed left planted is moved by the one that goes on.
func TestInPlaceNothingIsPlantedBeforeItGoesOn(t *testing.T) {
	for _, name := range []string{"commondir", "gitdir", "config.worktree", "hooks"} {
		s := bareSeat(t, fence.Means{})
		s.add("coder-1")
		must(t, s.Close())
		path := filepath.Join(s.r.dir, ".git", name)
		must(t, os.WriteFile(path, []byte("/nowhere\n"), 0o644))
		s.open()
		must(t, s.Resume(context.Background(), s.note))
		tree, err := s.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1", Base: s.join})
		must(t, err)
		checkPlanted(t, path, false)
		if notes := strings.Join(s.finish(tree).Notes, "\n"); !strings.Contains(notes, "aside") {
			t.Errorf("%s: the notes say: %s", name, notes)
		}
	}
}

// A process that goes on may hold its commands by other means than the one before:
// what was kept free by the old ones is kept free by the new ones.
func TestInPlaceNothingIsPlantedWhenTheMeansChange(t *testing.T) {
	held := fence.Means{Landlock: 1, Namespaces: true}
	for name, test := range map[string]struct {
		before, after fence.Means
		planted       bool
	}{
		"none any more":          {before: held, planted: true},
		"namespaces now":         {after: held},
		"namespaces all along":   {before: held, after: held},
		"none, nothing planted":  {},
		"none all along":         {planted: true},
		"none any more, nothing": {before: held},
	} {
		t.Run(name, func(t *testing.T) {
			s := bareSeat(t, test.before)
			s.add("coder-1")
			must(t, s.Close())
			s.p = fencedPool(t, s.r, test.after)
			s.open()
			must(t, s.Resume(context.Background(), s.note))
			tree, err := s.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1", Base: s.join})
			must(t, err)
			hook := filepath.Join(s.r.dir, ".git", "hooks", "pre-commit")
			if test.planted {
				sh(t, s.r.dir, "mkdir -p .git/hooks && echo /nowhere >.git/hooks/pre-commit")
			}
			if notes := strings.Join(s.finish(tree).Notes, "\n"); test.planted != strings.Contains(notes, "aside") {
				t.Errorf("the notes say: %s", notes)
			}
			checkPlanted(t, hook, false)
			must(t, s.Release(context.Background(), tree))
			checkNothingMade(t, s.r)
		})
	}
}

// A worker that does not get the checkout leaves nothing of ours in the git directory.
func TestInPlaceNothingIsLeftOfAFailure(t *testing.T) {
	held := fence.Means{Landlock: 1, Namespaces: true}
	spec := Spec{Run: "run", Worker: "coder-1"}
	for name, get := range map[string]func(s *seat) error{
		"what was moved aside cannot be read": func(s *seat) error {
			must(t, os.WriteFile(filepath.Join(s.r.dir, ".git", asideFolder), nil, 0o644))
			_, err := s.Add(context.Background(), spec)
			return err
		},
		"the note cannot be written": func(s *seat) error {
			s.file = filepath.Join(s.r.dir, "main.go", "note")
			_, err := s.Add(context.Background(), spec)
			return err
		},
		"nor when it is asked for again": func(s *seat) error {
			tree := s.add("coder-1")
			s.p.takeAway(s.InPlace.note.Made)
			s.file = filepath.Join(s.r.dir, "main.go", "note")
			_, err := s.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1", Base: tree.Base})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := bareSeat(t, held)
			spec.Base = s.join
			if get(s) == nil {
				t.Fatal("it had the checkout")
			}
			checkNothingMade(t, s.r)
		})
	}
}

// checkNothingMade: there is nothing in the git directory of what bareSeat removed.
func checkNothingMade(t *testing.T, r *repo) {
	t.Helper()
	for _, name := range []string{"hooks", "info", "modules", "worktrees", "refs/flower", "objects/info/alternates", "config.worktree"} {
		if _, err := os.Lstat(filepath.Join(r.dir, ".git", name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("'%s' was left: %v", name, err)
		}
	}
}

// A folder that leads elsewhere does not have files elsewhere moved.
func TestInPlaceMovesNothingOutside(t *testing.T) {
	s := bareSeat(t, fence.Means{})
	tree := s.add("coder-1")
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "alternates"), []byte("mine\n"), 0o644))
	sh(t, s.r.dir, "rm -rf .git/objects/info && ln -s "+shellWord(outside)+" .git/objects/info")
	if _, err := s.Finish(context.Background(), tree, CommitMessage{Subject: "work"}); err == nil {
		t.Error("the link was taken")
	}
	if readText(t, filepath.Join(outside, "alternates")) != "mine\n" {
		t.Error("a file outside was moved")
	}
}
