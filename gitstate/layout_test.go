package gitstate

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"git-flower/gitstate/gitcmd"
)

func settled(t *testing.T, dir, stateHome string) Layout {
	t.Helper()
	s := open(t, dir, Config{StateHome: stateHome})
	l, err := s.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Layout()
}

func TestOpeningWritesNothing(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	home := filepath.Join(t.TempDir(), "state")
	s := open(t, dir, Config{StateHome: home})
	if _, err := s.Runs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), "x"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if exists(filepath.Join(dir, ".git", "flower")) || exists(home) {
		t.Error("something was written")
	}
	if s.Layout().ID == "" || s.Layout().State != filepath.Join(home, "git-flower", s.Layout().ID) {
		t.Errorf("%+v", s.Layout())
	}
}

// A repository of ours that was made to point elsewhere is not taken for either; a
// linked working tree, which points by its nature, is.
func TestAGitDirectoryThatPointsElsewhere(t *testing.T) {
	t.Parallel()
	dir, other, home := newRepo(t), newRepo(t), t.TempDir()
	settled(t, dir, home)
	linked := dir + "-linked"
	run(t, dir, "worktree", "add", "-q", "--detach", linked)
	if l := open(t, linked, Config{StateHome: home}).Layout(); l.CommonDir != filepath.Join(dir, ".git") {
		t.Errorf("of the linked working tree the repository is '%s'", l.CommonDir)
	}
	pointer := filepath.Join(dir, ".git", "commondir")
	if err := os.WriteFile(pointer, []byte(filepath.Join(other, ".git")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, Config{StateHome: home}); err == nil || !strings.Contains(err.Error(), pointer) {
		t.Errorf("got %v", err)
	}
}

// TestARepositorysIDFollowsItsPath moves one, copies one, and makes one anew.
func TestARepositorysIDFollowsItsPath(t *testing.T) {
	t.Parallel()
	dir, home := newRepo(t), t.TempDir()
	first := settled(t, dir, home)
	if again := settled(t, dir, home); again.ID != first.ID {
		t.Errorf("'%s' becomes '%s' by itself", first.ID, again.ID)
	}
	copied := dir + "-copy"
	if out, err := exec.CommandContext(t.Context(), "cp", "-R", dir, copied).CombinedOutput(); err != nil {
		t.Skipf("no cp: %v %s", err, out)
	}
	other := settled(t, copied, home)
	if other.ID == first.ID {
		t.Error("a copy has the same id")
	}
	if again := settled(t, copied, home); again.ID != other.ID {
		t.Error("the copy's id does not last")
	}
	moved := dir + "-moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if at := settled(t, moved, home); at.ID != first.ID {
		t.Errorf("moved, '%s' becomes '%s'", first.ID, at.ID)
	}
	if err := os.WriteFile(filepath.Join(moved, ".git", "flower", "id"), []byte("nonsense"), 0o666); err != nil {
		t.Fatal(err)
	}
	if at := settled(t, moved, home); !isRunID(at.ID) {
		t.Errorf("after nonsense the id is '%s'", at.ID)
	}
}

func TestProcessesThatChooseAnIDAtOnceAgree(t *testing.T) {
	t.Parallel()
	dir, home := newRepo(t), t.TempDir()
	stores := make([]*Store, 5)
	for i := range stores {
		stores[i] = open(t, dir, Config{StateHome: home})
	}
	var group sync.WaitGroup
	errs := make([]error, len(stores))
	for i, s := range stores {
		group.Go(func() { errs[i] = s.Settle() })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, s := range stores {
		if s.Layout().ID != stores[0].Layout().ID || s.Machine() != stores[0].Machine() {
			t.Errorf("%+v and %+v", s.Layout(), stores[0].Layout())
		}
	}
}

func TestTheMachinesNameIsKeptAndIsNotTheHosts(t *testing.T) {
	t.Parallel()
	dir, home := newRepo(t), t.TempDir()
	a, b := open(t, dir, Config{StateHome: home}), open(t, dir, Config{StateHome: home})
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if a.Machine() != b.Machine() || !isRunID(a.Machine()) || a.Machine() == host {
		t.Errorf("'%s' and '%s'", a.Machine(), b.Machine())
	}
	nowhere := open(t, dir, Config{StateHome: filepath.Join(dir, ".git", "HEAD")})
	if name := nowhere.Machine(); !isRunID(name) || name != nowhere.Machine() {
		t.Errorf("where it cannot be kept it is '%s'", name)
	}
}

// TestOddRepositories walks a run through every kind of repository that git
// itself works in.
func TestOddRepositories(t *testing.T) {
	t.Parallel()
	for name, make := range oddRepositories() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := make(t)
			s := open(t, dir, Config{})
			r := create(t, s, "x")
			add(t, r, Record{Kind: KindBrief, Subject: "a flag", Body: "## Goal\n\nA flag", Files: map[string][]byte{"bench/scripts/a.sh": []byte("#!/bin/sh\n")}})
			fresh, err := open(t, dir, Config{}).Run(t.Context(), "x")
			if err != nil || fresh.Tip() != r.Tip() {
				t.Fatal(err)
			}
			if got := run(t, dir, "show", "flower/run/x:brief.md"); got != "## Goal\n\nA flag" {
				t.Errorf("brief.md is '%s'", got)
			}
			if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
			sound(t, dir)
		})
	}
}

func oddRepositories() map[string]func(*testing.T) string {
	return map[string]func(*testing.T) string{
		"sha256": func(t *testing.T) string { return newRepo(t, "--object-format=sha256") },
		"shared": func(t *testing.T) string { return newRepo(t, "--shared=group") },
		"bare": func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "bare.git")
			run(t, newRepo(t), "clone", "-q", "--bare", ".", dir)
			return dir
		},
		"no working tree around": func(t *testing.T) string { return filepath.Join(newRepo(t), ".git") },
		"linked worktree": func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "linked")
			run(t, newRepo(t), "worktree", "add", "-q", dir)
			return dir
		},
		"separate git dir": func(t *testing.T) string {
			return newRepo(t, "--separate-git-dir="+filepath.Join(t.TempDir(), "elsewhere"))
		},
		"borrowed objects": func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "borrower")
			run(t, newRepo(t), "clone", "-q", "--shared", ".", dir)
			return dir
		},
		"sparse": func(t *testing.T) string {
			dir := newRepo(t)
			run(t, dir, "sparse-checkout", "set", "a")
			return dir
		},
		"odd path": func(t *testing.T) string {
			if runtime.GOOS == "windows" {
				t.Skip("no newlines in names")
			}
			dir := filepath.Join(t.TempDir(), "a b\n日本 'x'")
			run(t, newRepo(t), "clone", "-q", ".", dir)
			return dir
		},
		"packed": func(t *testing.T) string {
			dir := newRepo(t)
			run(t, dir, "gc", "-q")
			return dir
		},
		"detached": func(t *testing.T) string {
			dir := newRepo(t)
			run(t, dir, "checkout", "-q", "--detach")
			return dir
		},
		"signing, own encoding, log of everything": func(t *testing.T) string {
			dir := newRepo(t)
			for _, kv := range [][2]string{{"commit.gpgSign", "true"}, {"i18n.commitEncoding", "ISO-8859-1"}, {"i18n.logOutputEncoding", "ISO-8859-1"},
				{"core.logAllRefUpdates", "always"}, {"trailer.separators", "=#"}, {"core.commentChar", "F"}, {"log.showSignature", "true"},
				{"user.name", "Jürgen Müller"}, {"core.quotePath", "true"}, {"core.autocrlf", "true"}, {"log.mailmap", "false"}} {
				run(t, dir, "config", kv[0], kv[1])
			}
			return dir
		},
	}
}

func TestWhichWriterARepositoryGets(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		native bool
		dir    func(t *testing.T) string
	}{
		"plain":        {true, func(t *testing.T) string { return newRepo(t) }},
		"sparse":       {true, oddRepositories()["sparse"]},
		"sha256":       {false, oddRepositories()["sha256"]},
		"shared":       {false, oddRepositories()["shared"]},
		"umask shared": {true, func(t *testing.T) string { return newRepo(t, "--shared=umask") }},
	} {
		s := open(t, c.dir(t), Config{})
		w, err := s.objectWriter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, native := w.(nativeWriter); native != c.native {
			t.Errorf("%s: %T", what, w)
		}
	}
}

func TestObjectsOfASharedRepositoryAreShared(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir := newRepo(t, "--shared=group")
	r := create(t, open(t, dir, Config{}), "x")
	info, err := os.Stat(filepath.Join(dir, ".git", "objects", string(r.Tip()[:2])))
	if err != nil || info.Mode().Perm()&0o070 != 0o070 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestWhereThereIsNoRepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Open(t.Context(), dir, Config{}); !errors.Is(err, ErrNotRepository) || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("%v", err)
	}
	repo := newRepo(t)
	if err := os.WriteFile(filepath.Join(repo, ".git", "config"), []byte("[nonsense"), 0o666); err != nil {
		t.Fatal(err)
	}
	var failed *gitcmd.Error
	if _, err := Open(t.Context(), repo, Config{}); err == nil || errors.Is(err, ErrNotRepository) || !errors.As(err, &failed) || failed.Stderr == "" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, newRepo(t), Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestARepositoryWithoutCommits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, dir, "init", "-q")
	s := open(t, dir, Config{})
	if _, err := s.Resolve(t.Context(), "HEAD"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	rec := Record{Kind: KindRequest, Subject: "x", Body: "x"}
	r, err := s.Create(t.Context(), "x", rec, "")
	if err != nil {
		t.Fatal(err)
	}
	if r.History().Base != "" || run(t, dir, "for-each-ref", "--format=%(refname)") != "refs/flower/run/x" {
		t.Errorf("%+v", r.History())
	}
	if _, err := s.Create(t.Context(), "y", rec, ObjectID(strings.Repeat("12", 20))); err == nil {
		t.Error("a base that is nowhere is taken")
	}
}

func TestWithoutAnIdentityGitFlowerStandsIn(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	run(t, dir, "config", "--unset", "user.name")
	run(t, dir, "config", "--unset", "user.email")
	run(t, dir, "config", "user.useConfigOnly", "true")
	s := open(t, dir, Config{})
	if who := s.Identity(t.Context()); !who.Fallback || who.String() != "git flower <flower@localhost>" {
		t.Errorf("%+v", who)
	}
	create(t, s, "x")
	if got := run(t, dir, "log", "-1", "--format=%an <%ae> %cn <%ce>", "flower/run/x"); got != "git flower <flower@localhost> git flower <flower@localhost>" {
		t.Errorf("the record is by %s", got)
	}
	known := open(t, newRepo(t), Config{})
	if who := known.Identity(t.Context()); who.Fallback || who.String() != "Ada Lovelace <ada@example.com>" {
		t.Errorf("%+v", who)
	}
}

func TestACancelledCallLeavesTheIdentityOpen(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if who := s.Identity(ctx); !who.Fallback {
		t.Errorf("%+v", who)
	}
	if who := s.Identity(t.Context()); who.Fallback {
		t.Errorf("%+v", who)
	}
	r := create(t, s, "x")
	if _, err := r.Append(ctx, Record{Kind: KindNotice, Subject: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	add(t, r, Record{Kind: KindNotice, Subject: "x"})
}
