package gitcmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scrub gives a test an environment without the caller's git: an own home, no
// identity, no variable that git reads.
func scrub(t *testing.T) {
	t.Helper()
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, value) // put back at the end
			os.Unsetenv(name)
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(os.Getenv("HOME"), "config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// repository makes an empty repository in a directory with a blank in its name.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "a repository")
	must(t, New("").writes(t, "init", "-q", dir))
	return dir
}

// writes runs a command of a test's preparation.
func (g Git) writes(t *testing.T, args ...string) error {
	_, err := g.Write(t.Context(), args...)
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), mode))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func line(t *testing.T, g Git, args ...string) string {
	t.Helper()
	out, err := g.Line(t.Context(), args...)
	must(t, err)
	return out
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
