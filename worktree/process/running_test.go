package process

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// begin starts a script that is ended with the test at the latest.
func begin(t *testing.T, script string, change func(*Command)) (*Running, string) {
	t.Helper()
	c := Command{Script: script, Dir: t.TempDir(), Env: Env()}
	if change != nil {
		change(&c)
	}
	r, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.End() })
	return r, c.Dir
}

func (r *Running) all() string {
	out, _ := r.Since(0)
	return string(out)
}

func TestStartReturnsWhileTheCommandRuns(t *testing.T) {
	r, dir := begin(t, "echo one; until test -e go; do sleep 0.01; done; echo two; exit 3", nil)
	waitFor(t, func() bool { return r.all() == "one\n" })
	if code, ended := r.ExitCode(); ended {
		t.Fatalf("it has ended with %d", code)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-r.Done()
	if code, ended := r.ExitCode(); code != 3 || !ended {
		t.Errorf("exit %d, ended %v", code, ended)
	}
	if out, from := r.Since(4); string(out) != "two\n" || from != 4 {
		t.Errorf("%q from %d", out, from)
	}
	if out, from := r.Since(99); len(out) != 0 || from != 8 {
		t.Errorf("behind the end: %q from %d", out, from)
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
}

func TestStartRefuses(t *testing.T) {
	if r, err := Start(t.Context(), Command{Script: "true", Dir: "relative"}); err == nil {
		t.Errorf("%v", r.End())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Start(ctx, Command{Script: "true", Dir: t.TempDir()}); err == nil {
		t.Errorf("%v", r.End())
	}
}

// Whatever ends it, nothing is left of what it started.
func TestEverythingOfARunningEnds(t *testing.T) {
	scripts := map[string]string{
		"child":    "sleep 1000 & echo $! >pid; wait",
		"stubborn": "trap '' TERM; echo $$ >pid; while :; do sleep 0.1; done",
		"left":     "sleep 1000 & echo $! >pid", // the shell ends by itself
	}
	if runtime.GOOS == "linux" {
		scripts["session of its own"] = "setsid sh -c 'echo $$ >pid; exec sleep 1000' & wait"
	}
	ctx, cancel := context.WithCancel(t.Context())
	ends := map[string]func(*Running){
		"End":     func(r *Running) { r.End() },
		"context": func(*Running) { cancel() },
	}
	for how, end := range ends {
		var all []*Running
		var pids []int
		for _, script := range scripts {
			c := Command{Script: script, Dir: t.TempDir(), Env: Env()}
			r, err := Start(ctx, c)
			if err != nil {
				t.Fatal(err)
			}
			all, pids = append(all, r), append(pids, pidIn(t, c.Dir))
			if how == "End" {
				end(r)
			}
		}
		end(all[0])
		for i, r := range all {
			<-r.Done()
			if alive(pids[i]) {
				t.Errorf("%s: process %d is left", how, pids[i])
			}
		}
		ctx, cancel = context.WithCancel(t.Context())
	}
	cancel()
}

func pidIn(t *testing.T, dir string) int {
	t.Helper()
	pid := 0
	waitFor(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "pid"))
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && strings.HasSuffix(string(text), "\n")
	})
	return pid
}

func TestATimeLimitEndsARunning(t *testing.T) {
	r, _ := begin(t, "sleep 1000", func(c *Command) { c.Timeout = 20 * time.Millisecond })
	<-r.Done()
	if code, _ := r.ExitCode(); code != 143 {
		t.Errorf("exit %d", code)
	}
}

func TestAFloodOfARunningStaysBounded(t *testing.T) {
	before := memory(t)
	r, _ := begin(t, "head -c 67108864 /dev/zero; echo last", func(c *Command) { c.Limit = 1000 })
	<-r.Done()
	if grown := int64(memory(t)) - int64(before); grown > 16<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	out, from := r.Since(0)
	if len(out) != 1000 || from != 67108864+5-1000 || !strings.HasSuffix(string(out), "\x00last\n") {
		t.Errorf("%d bytes from %d", len(out), from)
	}
}

func TestRecentIsTheEndOfTheStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		r := newRecent(limit)
		var all []byte
		for _, p := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 80)).Draw(t, "writes") {
			r.Write(p)
			all = append(all, p...)
			offset := rapid.IntRange(0, len(all)+5).Draw(t, "offset")
			out, from := r.since(int64(offset))
			want := min(max(offset, len(all)-limit), len(all))
			if from != int64(want) || !bytes.Equal(out, all[want:]) {
				t.Fatalf("since %d of %d: %q from %d", offset, len(all), out, from)
			}
		}
	})
}
