package gitstate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-flower/gitstate/gitcmd"
)

// TestMain gives every test an empty HOME and no configuration, so that nothing
// of the machine's user takes part.
func TestMain(m *testing.M) {
	if dir := os.Getenv(appenderDir); dir != "" {
		fmt.Fprintln(os.Stderr, appendForever(dir))
		os.Exit(1)
	}
	os.Exit(scrubbed(m))
}

func scrubbed(m *testing.M) int {
	home, err := os.MkdirTemp("", "gitstate-home")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	env := gitcmd.WithoutLocal(os.Environ())
	os.Clearenv()
	for _, kv := range env {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "XDG_CONFIG_HOME" {
			os.Setenv(name, value)
		}
	}
	os.Setenv("HOME", home)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	os.Setenv("TZ", "UTC")
	return m.Run()
}

// run runs git in a folder and returns what it printed, without the last newline.
func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return runIn(t, dir, "", args...)
}

func runIn(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// newRepo makes a repository with one commit and an identity.
func newRepo(t testing.TB, options ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	run(t, t.TempDir(), append(append([]string{"init", "-q"}, options...), dir)...)
	run(t, dir, "config", "user.name", "Ada Lovelace")
	run(t, dir, "config", "user.email", "ada@example.com")
	run(t, dir, "commit", "-q", "--allow-empty", "-m", "base")
	return dir
}

// clock ticks one second at each look, from a fixed day on.
func clock() func() time.Time {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func open(t testing.TB, dir string, c Config) *Store {
	t.Helper()
	if c.StateHome == "" {
		c.StateHome = filepath.Join(t.TempDir(), "state")
	}
	if c.Now == nil {
		c.Now = clock()
	}
	s, err := Open(t.Context(), dir, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func head(t testing.TB, s *Store) ObjectID {
	t.Helper()
	id, err := s.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func create(t testing.TB, s *Store, name string) *Run {
	t.Helper()
	r, err := s.Create(t.Context(), name, Record{Kind: KindRequest, Subject: "Add a --json flag", Body: "Add a --json flag\nto the list command"}, head(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func add(t testing.TB, r *Run, rec Record) Entry {
	t.Helper()
	e, err := r.Append(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// sound runs git's own check over a repository.
func sound(t testing.TB, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "fsck", "--strict", "--no-dangling")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "error") {
		t.Fatalf("git fsck --strict: %v\n%s", err, out)
	}
}

func entries(t testing.TB, s *Store, name string) []Entry {
	t.Helper()
	var out []Entry
	err := s.Log(t.Context(), name, func(e Entry) error {
		out = append(out, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
