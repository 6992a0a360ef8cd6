package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A desk is a scrubbed place to run the tool in: an empty home, no git
// configuration but its own, and what the tool printed.
type desk struct {
	t        *testing.T
	dir      string
	env      *Env
	out, err bytes.Buffer
}

// noon is the time of every test.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newDesk(t *testing.T) *desk {
	t.Helper()
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"GIT_", "FLOWER_", "ANTHROPIC_", "CLAUDE_", "XDG_", "NO_COLOR", "PAGER", "LESS"} {
			if strings.HasPrefix(name, prefix) {
				t.Setenv(name, "")
				os.Unsetenv(name)
			}
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(home))
	d := &desk{t: t, dir: t.TempDir()}
	d.reset()
	return d
}

func (d *desk) reset() {
	d.out.Reset()
	d.err.Reset()
	d.env = &Env{In: strings.NewReader(""), Out: &d.out, Err: &d.err, Dir: d.dir, Now: func() time.Time { return noon },
		editing: new(atomic.Bool), interrupt: new(atomic.Pointer[func() bool])}
}

// run runs the tool afresh and returns its exit code.
func (d *desk) run(words ...string) int {
	d.t.Helper()
	d.reset()
	return run(d.t.Context(), words, d.env)
}

// expect runs the tool and fails the test unless it exits with code.
func (d *desk) expect(code int, words ...string) {
	d.t.Helper()
	if got := d.run(words...); got != code {
		d.t.Fatalf("git-flower %q exits %d, want %d\n%s%s", words, got, code, d.out.String(), d.err.String())
	}
}

// git runs git in the desk's folder and returns its output without the last newline.
func (d *desk) git(args ...string) string {
	d.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(d.t.Context()), "git", args...)
	cmd.Dir = d.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// repository makes the desk's folder one, with one commit.
func (d *desk) repository() {
	d.t.Helper()
	d.git("init", "-q", "-b", "main")
	d.git("config", "user.name", "Ada")
	d.git("config", "user.email", "ada@example.org")
	d.write("README", "hello\n")
	d.git("add", "README")
	d.git("commit", "-q", "-m", "base")
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func TestPathsOfAnAliasCountFromWhereTheUserWas(t *testing.T) {
	d := newDesk(t)
	if got := d.env.path("f"); got != filepath.Join(d.dir, "f") {
		t.Errorf("without GIT_PREFIX: %s", got)
	}
	t.Setenv("GIT_PREFIX", "sub/")
	if got := d.env.path("f"); got != filepath.Join(d.dir, "sub", "f") {
		t.Errorf("with GIT_PREFIX: %s", got)
	}
	if got := d.env.path(filepath.Join(d.dir, "x")); got != filepath.Join(d.dir, "x") {
		t.Errorf("an absolute path changed: %s", got)
	}
}

func TestStateHome(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct{ xdg, want string }{
		{"", filepath.Join(os.Getenv("HOME"), ".local", "state")},
		{"relative", filepath.Join(os.Getenv("HOME"), ".local", "state")},
		{d.dir, d.dir},
	} {
		t.Setenv("XDG_STATE_HOME", c.xdg)
		if got, err := d.env.stateHome(); got != c.want || err != nil {
			t.Errorf("XDG_STATE_HOME=%q: %q, %v; want %q", c.xdg, got, err, c.want)
		}
	}
}

func TestHintsCanBeTurnedOff(t *testing.T) {
	d := newDesk(t)
	d.repository()
	loud := func() bool { d.run("no-such"); return strings.Contains(d.err.String(), "hint: ") }
	if !loud() {
		t.Fatal("no hint to begin with")
	}
	d.git("config", "advice.flowerHints", "false")
	if loud() {
		t.Error("advice.flowerHints=false does not silence hints")
	}
	d.git("config", "advice.flowerHints", "true")
	t.Setenv("GIT_ADVICE", "0")
	if loud() {
		t.Error("GIT_ADVICE=0 does not silence hints")
	}
}
