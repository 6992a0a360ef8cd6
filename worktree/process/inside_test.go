package process

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestStartedAt(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if real, err := filepath.EvalSymlinks(real); err != nil || !slices.Equal(startedAt([]string{markPrefix + "1=" + link + "/"}), []string{real}) {
		t.Error("a link is not resolved")
	}
	env := []string{"HOME=/h", markPrefix + "1=/gone/a/../b", markPrefix + "2=", "X" + markPrefix + "3=/c", markPrefix + "4"}
	if got := startedAt(env); !slices.Equal(got, []string{filepath.Clean("/gone/b")}) {
		t.Errorf("%q", got)
	}
}

// A command is found again by what is inside of it, also without its environment
// where its ancestors can be seen.
func TestInsideACommand(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"as it is", `"$PROGRAM"`},
		{"without its environment", `env -i PROCESS_TEST_INSIDE=1 "$PROGRAM"`},
		{"in a session of its own", `setsid -w env -i PROCESS_TEST_INSIDE=1 "$PROGRAM"`},
	} {
		if c.name != "as it is" && runtime.GOOS != "linux" {
			continue
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		r := sh(t, c.script, func(cmd *Command) {
			cmd.Dir, cmd.Env = dir, Env("PROGRAM="+os.Args[0], "PROCESS_TEST_INSIDE=1")
		})
		if !slices.Contains(strings.Split(r.Output, "\n"), dir) {
			t.Errorf("%s: %q, exit %d", c.name, r.Output, r.ExitCode)
		}
	}
}
