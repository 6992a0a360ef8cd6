package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sh runs a script with a clean environment.
func sh(t *testing.T, script string, change func(*Command)) Result {
	t.Helper()
	c := Command{Script: script, Dir: t.TempDir(), Env: Env()}
	if change != nil {
		change(&c)
	}
	r, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunTellsWhatHappened(t *testing.T) {
	tests := []struct {
		script, output string
		exit           int
	}{
		{"echo out; echo err >&2; echo out", "out\nerr\nout\n", 0},
		{"exit 7", "", 7},
		{"kill -9 $$", "", 137},
		{"kill $$", "", 143},
		{"cat", "", 0},
		{"read x || echo nothing", "nothing\n", 0},
		{"no-such-command-here 2>/dev/null", "", 127},
		{`printf 'a\0b\377'`, "a\x00b\xff", 0},
		{`test -t 0 || test -t 1 || (: >/dev/tty) 2>/dev/null || echo no terminal`, "no terminal\n", 0},
	}
	for _, tt := range tests {
		r := sh(t, tt.script, nil)
		if r.Output != tt.output || r.ExitCode != tt.exit || r.TimedOut || r.Truncated {
			t.Errorf("%s: %+v", tt.script, r)
		}
		if r.Bytes != int64(len(tt.output)) || r.Digest != Digest([]byte(tt.output)) {
			t.Errorf("%s: %d bytes, digest %s", tt.script, r.Bytes, r.Digest)
		}
	}
}

func TestRunInItsDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b\nc")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := sh(t, "pwd", func(c *Command) { c.Dir = dir })
	if r.Output != dir+"\n" {
		t.Errorf("ran in %q, want %q", r.Output, dir)
	}
}

func TestRunCannotStart(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, dir := range []string{missing, "relative", ""} {
		_, err := Run(context.Background(), Command{Script: "true", Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "'"+dir+"'") {
			t.Errorf("directory %q: error %v", dir, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Command{Script: "true", Dir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

func TestTimeOutEndsTheCommand(t *testing.T) {
	r := sh(t, "echo begun; sleep 1000; echo never", func(c *Command) { c.Timeout = 50 * time.Millisecond })
	if !r.TimedOut || r.Output != "begun\n" || r.ExitCode == 0 {
		t.Errorf("%+v", r)
	}
	if r.Duration > grace {
		t.Errorf("took %v", r.Duration)
	}
}

func TestTimeOutEndsTheStubborn(t *testing.T) {
	r := sh(t, "trap '' TERM; while :; do sleep 0.1; done", func(c *Command) { c.Timeout = 50 * time.Millisecond })
	if !r.TimedOut || r.ExitCode != 137 || r.Duration < grace {
		t.Errorf("%+v", r)
	}
}

func TestTermIsAskedFirst(t *testing.T) {
	r := sh(t, "trap 'echo tidied; exit 3' TERM; echo ready; while :; do sleep 0.01; done", func(c *Command) {
		c.Timeout = 200 * time.Millisecond
	})
	if !r.TimedOut || !strings.HasSuffix(r.Output, "tidied\n") || r.ExitCode != 3 {
		t.Errorf("%+v", r)
	}
}

func TestContextEndsTheCommand(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		waitFor(t, func() bool { _, err := os.Stat(filepath.Join(dir, "begun")); return err == nil })
		cancel()
	}()
	r, err := Run(ctx, Command{Script: "echo said; : >begun; sleep 1000", Dir: dir, Env: Env()})
	if !errors.Is(err, context.Canceled) || r.Output != "said\n" || r.TimedOut {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	scripts := map[string]string{
		"background":        "sleep 1000 & echo $! >pid",
		"subshell":          "(sleep 1000 & echo $! >pid)",
		"nohup":             "nohup sleep 1000 >/dev/null 2>&1 & echo $! >pid",
		"holds the output":  "sh -c 'trap \"\" TERM; echo $$ >pid; exec sleep 1000' & until test -s pid; do :; done",
		"stopped":           "sleep 1000 & echo $! >pid; kill -STOP $!",
		"killed shell":      "sleep 1000 & echo $! >pid; kill -9 $$",
		"ignores hang-up":   "sh -c 'trap \"\" HUP; echo $$ >pid; sleep 1000' & until test -s pid; do :; done",
		"in the foreground": "echo $$ >pid; exec sleep 0",
	}
	if runtime.GOOS == "linux" {
		scripts["session of its own"] = "setsid sh -c 'echo $$ >pid; exec sleep 1000' & until test -s pid; do :; done"
		scripts["double fork"] = "setsid sh -c '(setsid sh -c \"echo \\$\\$ >pid; exec sleep 1000\" &)'; until test -s pid; do :; done"
		scripts["cleared environment"] = "env -i sh -c 'echo $$ >pid; exec sleep 1000' & until test -s pid; do :; done"
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := Command{Script: script, Dir: dir, Env: Env(), Timeout: 20 * time.Second}
			r, err := Run(context.Background(), c)
			if err != nil || r.TimedOut {
				t.Fatalf("%+v, %v", r, err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if alive(pid) {
				t.Errorf("process %d is left", pid)
			}
		})
	}
}

func TestManyAtOnceEndOnlyTheirOwn(t *testing.T) {
	long := t.TempDir()
	done := make(chan Result, 1)
	go func() {
		r, err := Run(context.Background(), Command{Script: "setsid sh -c ': >up; until test -e stop; do sleep 0.01; done; : >whole' & wait", Dir: long, Env: Env()})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	waitFor(t, func() bool { _, err := os.Stat(filepath.Join(long, "up")); return err == nil })
	for range 5 {
		sh(t, "setsid sleep 1000 & sleep 1000 &", nil)
	}
	if err := os.WriteFile(filepath.Join(long, "stop"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(long, "whole")); err != nil {
		t.Error("a command was ended with another")
	}
}

func TestFloodStaysSmall(t *testing.T) {
	size := int64(1) << 30
	if testing.Short() {
		size = 64 << 20
	}
	before := memory(t)
	r := sh(t, fmt.Sprintf("echo first; head -c %d /dev/zero; echo; echo last", size), func(c *Command) { c.Limit = 1000 })
	if grown := int64(memory(t)) - int64(before); grown > 16<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	if r.Bytes != size+int64(len("first\n\nlast\n")) || !r.Truncated || len(r.Output) > 1100 {
		t.Errorf("%d bytes seen, %d kept", r.Bytes, len(r.Output))
	}
	if !strings.HasPrefix(r.Output, "first\n") || !strings.HasSuffix(r.Output, "\nlast\n") {
		t.Error("head or tail is missing")
	}
}

func memory(t *testing.T) uint64 {
	t.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// waitFor waits for a condition, a minute at most.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(end) {
			t.Error("waited too long")
			return
		}
		<-tick.C
	}
}

func TestEndLeftEndsWhatAKilledProcessLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells where processes are")
	}
	dir, elsewhere := t.TempDir(), t.TempDir()
	left := startSleep(t, dir, markPrefix+"0123456789abcdef=1")
	gone := startSleep(t, elsewhere, markPrefix+"0123456789abcdef="+filepath.Join(dir, "tree"))
	person := startSleep(t, dir, "NO=mark")
	other := startSleep(t, elsewhere, markPrefix+"0123456789abcdef="+elsewhere)
	if err := EndLeft(dir); err != nil {
		t.Fatal(err)
	}
	if alive(left) || alive(gone) || !alive(person) || !alive(other) {
		t.Errorf("left over: %v, elsewhere: %v, a person's: %v, another's: %v", alive(left), alive(gone), alive(person), alive(other))
	}
}

// startSleep starts a process that nobody waits for until the test ends.
func startSleep(t *testing.T, dir, kv string) int {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.Dir, cmd.Env = dir, []string{kv}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid
}

func BenchmarkRunTrue(b *testing.B) {
	dir, env := b.TempDir(), Env()
	for b.Loop() {
		if _, err := Run(context.Background(), Command{Script: "true", Dir: dir, Env: env}); err != nil {
			b.Fatal(err)
		}
	}
}
