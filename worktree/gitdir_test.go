package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hostileText is what a path or a value may hold on a bad day.
var hostileText = rapid.StringOfN(rapid.SampledFrom([]rune("ab/ \"\\\n\t\b;#=[]:'日\u00e9~%$`")), 1, 30, -1)

func TestConfigValuesReadBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	rapid.Check(t, func(t *rapid.T) {
		value := hostileText.Draw(t, "value")
		if err := os.WriteFile(file, []byte("[a]\n\tb = "+quoteValue(value)+"\n[c]\n\td = e\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := try(filepath.Dir(file), "git", "config", "--file", file, "-z", "a.b")
		if err != nil || strings.TrimSuffix(out, "\x00") != value {
			t.Fatalf("%q reads back as %q, %v", value, out, err)
		}
		if out, err := try(filepath.Dir(file), "git", "config", "--file", file, "c.d"); err != nil || out != "e" {
			t.Fatalf("%q spoils what comes after: %q, %v", value, out, err)
		}
	})
}

// Git finds objects in a folder of any name, given as an alternate in a file
// or in the environment.
func TestAlternatesOfAnyName(t *testing.T) {
	names := []string{"plain", "with blank", `"quoted"`, `back\slash`, "a:b", "new\nline", "#hash", "日本", "tab\there", `mix" :\` + "\n"}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			objects := filepath.Join(top, name)
			sh(t, top, `git init -q --bare from; git init -q --bare to`)
			id := sh(t, top, `echo hello | GIT_DIR=from git hash-object -w --stdin`)
			must(t, os.Rename(filepath.Join(top, "from", "objects"), objects))
			put(t, filepath.Join(top, "to"), map[string]string{"objects/info/alternates": quotePath(objects) + "\n"})
			if out, err := try(top, "git", "-C", "to", "cat-file", "blob", id); err != nil || out != "hello" {
				t.Errorf("from a file: %q, %v", out, err)
			}
			must(t, os.Remove(filepath.Join(top, "to", "objects", "info", "alternates")))
			env := "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quotePath(objects)
			if out, err := try(top, "env", env, "git", "-C", "to", "cat-file", "blob", id); err != nil || out != "hello" {
				t.Errorf("from the environment: %q, %v", out, err)
			}
		})
	}
}

func TestWorkersGitDirectory(t *testing.T) {
	r := newRepo(t, small)
	r.git("tag", "-a", "-m", "one", "v1")
	r.git("branch", "feature")
	r.git("config", "alias.hello", "!echo hello")
	r.git("config", "core.hooksPath", "/no/such")
	r.git("config", "core.fsmonitor", "/no/such")
	r.git("config", "core.sparseCheckout", "true")
	r.git("config", "commit.gpgSign", "true")
	r.git("config", "gpg.program", "/no/such")
	r.git("config", "diff.renames", "copies")
	put(t, filepath.Join(r.dir, ".git", "info"), map[string]string{"exclude": "*.private\n", "attributes": "*.go diff=golang\n"})
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	git := func(args ...string) string { return run(t, tree.Path, "git", args...) }

	for key, want := range map[string]string{
		"core.fsmonitor": "false", "core.hooksPath": "../git/hooks", "gc.auto": "0", "maintenance.auto": "false", "commit.gpgSign": "false",
		"core.sparseCheckout": "false", "diff.renames": "copies", "alias.hello": "!echo hello", "user.name": "Ada", "user.email": "ada@example.org", "core.bare": "false",
	} {
		if got := git("config", key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got := git("rev-parse", "--show-toplevel"); got != resolved(t, tree.Path) {
		t.Errorf("the top is %s", got)
	}
	if got := git("describe", "--always", "HEAD"); got != "v1" {
		t.Errorf("described as %s", got)
	}
	if got := git("for-each-ref", "--format=%(refname)"); got != "refs/heads/feature\nrefs/heads/main\nrefs/tags/v1" {
		t.Errorf("refs are %q", got)
	}
	if got, err := try(tree.Path, "git", "symbolic-ref", "-q", "HEAD"); err == nil {
		t.Errorf("HEAD is attached to %q", got)
	}
	sh(t, tree.Path, "echo x >x.private; echo y >y")
	if got := git("status", "--porcelain"); got != "?? y" {
		t.Errorf("status %q: the user's excludes do not count", got)
	}
	if got := git("check-attr", "diff", "main.go"); got != "main.go: diff: golang" {
		t.Errorf("attributes %q", got)
	}
	git("stash", "-u")
	git("checkout", "-q", "feature")
	git("commit", "-q", "--allow-empty", "-m", "x")
	git("checkout", "-q", "--detach")
	git("stash", "pop", "-q")
	git("fsck", "--strict")
}

func resolved(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	must(t, err)
	return real
}

// The pool's folders keep others out: trees hold whatever a repository holds.
func TestFoldersArePrivate(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	for _, dir := range []string{p.treesDir(), p.asideDir(), filepath.Dir(tree.Path), tree.GitDir} {
		info, err := os.Stat(dir)
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", dir, info.Mode())
		}
	}
}
