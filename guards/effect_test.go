//go:build unix

package guards_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-flower/guards"
)

// scratch makes a repository with the files that the corpus speaks of, and
// returns the directory around it and the environment of its commands.
func scratch(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "LC_ALL=C", "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES=" + dir, "GIT_OPTIONAL_LOCKS=0", "PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
	repo := filepath.Join(dir, "repo")
	for _, name := range []string{"main.go", "README.md", "go.mod", "go.sum", "a.txt", "b.txt", "app.log", "a.csv", "config.json", ".gitignore",
		"docs/a.md", "internal/x.go", "build/x", "fix.patch", "--output=pwned", "-opwned"} {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("module x\nfoo TODO\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range []string{"git init -q -b main", "git config user.name x && git config user.email x@x", "git add . && git commit -qm one",
		"git branch feature", "echo more >>main.go && git commit -qam two", "echo dirty >>a.txt", "git remote add origin /nowhere", "git stash list"} {
		if out, err := sh(t, repo, env, "sh", script); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	return dir, env
}

func sh(t *testing.T, dir string, env []string, shell, script string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", script)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("%q does not end", script)
	}
	return out, err
}

// state lists everything below a directory with its content.
func state(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, fmt.Sprintf("%s %x", path, sha256.Sum256(data)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What passes is run for once, as printed, by every shell that may be asked to:
// no file, ref or setting may change by it.
func TestWhatPassesChangesNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("missing git")
	}
	dir, env := scratch(t)
	before := state(t, dir)
	ran := 0
	for _, shell := range []string{"sh", "bash"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("missing %s", shell)
			continue
		}
		for _, r := range corpus(t, "shell.jsonl") {
			printed, ok, _ := guards.Glance(r.Cmd)
			if !ok {
				continue
			}
			ran++
			_, _ = sh(t, filepath.Join(dir, "repo"), env, shell, printed) // its exit code is its own affair
			if after := state(t, dir); !slices.Equal(before, after) {
				t.Fatalf("%s -c %q changed something:\n%s", shell, printed, strings.Join(difference(before, after), "\n"))
			}
		}
	}
	t.Logf("%d commands ran", ran)
}

func difference(before, after []string) []string {
	var out []string
	for _, line := range after {
		if !slices.Contains(before, line) {
			out = append(out, "now "+line)
		}
	}
	for _, line := range before {
		if !slices.Contains(after, line) {
			out = append(out, "was "+line)
		}
	}
	return out
}
