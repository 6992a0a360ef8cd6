package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-flower/gitstate/gitcmd"
	"git-flower/worktree/fence"
)

// TestMain gives every test the same small world: an empty HOME, no system
// configuration, and nothing inherited that ties git to a repository.
func TestMain(m *testing.M) {
	fence.Main()
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"),
	} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// long reports whether random tests are to be run whole.
func long() bool { return os.Getenv("TEST_LONG") != "" }

// A repo is a user's repository.
type repo struct {
	t     *testing.T
	dir   string
	state string
	sides int
}

// newRepo makes a repository with an identity and one commit of files.
func newRepo(t *testing.T, files map[string]string, initArgs ...string) *repo {
	t.Helper()
	top := t.TempDir()
	r := &repo{t: t, dir: filepath.Join(top, "the user's"), state: filepath.Join(top, "state of it")}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	r.git("config", "user.name", "Ada")
	r.git("config", "user.email", "ada@example.org")
	r.write(files)
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "base")
	return r
}

func (r *repo) write(files map[string]string) {
	r.t.Helper()
	put(r.t, r.dir, files)
}

// put writes files, making their folders.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	return run(r.t, r.dir, "git", args...)
}

func (r *repo) head() string { return r.git("rev-parse", "HEAD") }

// run runs a command as a user or a worker would and returns what it printed.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := try(dir, name, args...)
	if err != nil {
		t.Fatalf("%s %q in %s: %v\n%s", name, args, dir, err, out)
	}
	return out
}

func try(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	const g = `g() { git -c user.name=Eve -c user.email=eve@example.org "$@"; }` + "\n"
	return run(t, dir, "sh", "-e", "-c", g+script)
}

func (r *repo) config() Config {
	gitDir := r.git("rev-parse", "--absolute-git-dir")
	common := r.git("rev-parse", "--path-format=absolute", "--git-common-dir")
	return Config{
		Git: gitcmd.New(r.dir), GitDir: gitDir, CommonDir: common, State: r.state, NoSync: true,
		Now: func() time.Time { return time.Unix(1_700_000_000, 0).UTC() },
	}
}

func (r *repo) pool() *Pool {
	r.t.Helper()
	p, err := Open(context.Background(), r.config())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return p
}

// add is Add that must succeed.
func add(t *testing.T, p *Pool, worker, base string) *Tree {
	t.Helper()
	tree, err := p.Add(context.Background(), Spec{Run: "run", Worker: worker, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func finish(t *testing.T, p *Pool, tree *Tree) Result {
	t.Helper()
	r, err := p.Finish(context.Background(), tree, CommitMessage{Subject: "work", Trailers: []string{"Flower-Run: 1"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func release(t *testing.T, p *Pool, tree *Tree) {
	t.Helper()
	var aside *AsideError
	if err := p.Release(context.Background(), tree); err != nil && !errors.As(err, &aside) {
		t.Fatal(err)
	}
}

// files lists what a commit holds, "path" or "path=content" for small ones.
func (r *repo) show(commit, path string) string {
	r.t.Helper()
	return r.git("cat-file", "blob", commit+":"+path)
}

func (r *repo) names(commit string) string {
	return strings.ReplaceAll(r.git("ls-tree", "-r", "-z", "--name-only", commit), "\x00", "|")
}

// fsck checks the user's repository the strict way.
func (r *repo) fsck() {
	r.t.Helper()
	if out, err := try(r.dir, "git", "fsck", "--strict", "--no-dangling"); err != nil {
		r.t.Errorf("the user's repository is damaged: %v\n%s", err, out)
	}
}

func contains(t *testing.T, list []string, word string) {
	t.Helper()
	for _, s := range list {
		if strings.Contains(s, word) {
			return
		}
	}
	t.Errorf("nothing in %q names %q", list, word)
}

func states(t *testing.T, p *Pool) string {
	t.Helper()
	all, err := p.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, i := range all {
		words = append(words, i.State)
	}
	return strings.Join(words, " ")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isType[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
