package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-flower/worktree/fence"
)

// fences are the ways in which commands can be fenced here.
func fences(t *testing.T) map[string]fence.Means {
	t.Helper()
	all := fence.Probe(t.Context())
	if !all.Any() {
		t.Skip("nothing holds here")
	}
	ways := map[string]fence.Means{"all": all}
	if all.Full() && all.Landlock > 0 {
		ways["Landlock"] = fence.Means{Landlock: all.Landlock}
		ways["namespaces"] = fence.Means{Namespaces: true}
	}
	return ways
}

func inside(m fence.Means, dir string) func(*Command) {
	return func(c *Command) { c.Dir, c.Fence = dir, &fence.Policy{Means: m, Write: []string{dir}} }
}

// A fenced command tells of itself what one without a fence does.
func TestFencedResults(t *testing.T) {
	for name, m := range fences(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, c := range []struct {
				script, output string
				code           int
				timeout        time.Duration
			}{
				{"echo hi; echo there >&2; exit 3", "hi\nthere\n", 3, 0},
				{"kill -9 $$", "", 137, 0},
				{"kill -TERM $$", "", 143, 0},
				{"nosuchprogram 2>/dev/null", "", 127, 0},
				{"echo x >/dev/null; echo y >/dev/stderr; cat /dev/stdin; head -c 2 /dev/zero | wc -c", "y\n2\n", 0, 0},
				{"trap 'echo tidied; exit 4' TERM; echo ready; while :; do :; done", "ready\ntidied\n", 4, 300 * time.Millisecond},
				{"trap '' TERM; while :; do sleep 0.05; done", "", 137, 50 * time.Millisecond},
				{"(trap 'echo left; exit' TERM; : >up; while :; do :; done) & until test -e up; do :; done; exit 5", "left\n", 5, 0},
			} {
				os.Remove(filepath.Join(dir, "up"))
				r := sh(t, c.script, func(cmd *Command) { inside(m, dir)(cmd); cmd.Timeout = c.timeout })
				if r.Output != c.output || r.ExitCode != c.code || r.TimedOut != (c.timeout > 0) {
					t.Errorf("%s: %+v", c.script, r)
				}
			}
		})
	}
}

func TestFencedNothingIsLeft(t *testing.T) {
	for name, m := range fences(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r, err := Start(t.Context(), Command{Script: `setsid sh -c 'trap "" TERM; exec 3<>fifo; : >ready; exec sleep 1000' & wait`, Dir: fifoIn(t, dir), Env: Env(), Fence: &fence.Policy{Means: m, Write: []string{dir}}})
			if err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { _, err := os.Stat(filepath.Join(dir, "ready")); return err == nil })
			if err := r.End(); err != nil || heldOpen(dir) {
				t.Errorf("left: %v, %v", heldOpen(dir), err)
			}
		})
	}
}

// fifoIn makes a pipe in dir that tells whether anybody has it open.
func fifoIn(t *testing.T, dir string) string {
	t.Helper()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skip("needs named pipes: ", err)
	}
	return dir
}

func heldOpen(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, "fifo"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}

// A program of ours that is killed leaves no fenced command behind.
func TestKilledParentTakesItsCommandAlong(t *testing.T) {
	all := fence.Probe(t.Context())
	if !all.Namespaces {
		t.Skip("no namespaces here: ", all.NoNamespaces)
	}
	dir := fifoIn(t, t.TempDir())
	cmd := exec.Command(os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PROCESS_TEST_FENCE=1",
		`PROCESS_TEST_SCRIPT=setsid sh -c 'trap "" TERM HUP; exec 3<>fifo; : >ready; exec sleep 1000' & wait`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { _, err := os.Stat(filepath.Join(dir, "ready")); return err == nil })
	if !heldOpen(dir) {
		t.Error("the command does not run")
	}
	cmd.Process.Kill()
	cmd.Wait()
	waitFor(t, func() bool { return !heldOpen(dir) })
}

func TestFenceThatCannotBePutUp(t *testing.T) {
	for name, m := range fences(t) {
		dir := t.TempDir()
		hidden := filepath.Join(dir, "hidden")
		if err := os.Mkdir(hidden, 0o755); err != nil {
			t.Fatal(err)
		}
		p := fence.Policy{Means: m, Hide: []string{dir}}
		_, err := Run(context.Background(), Command{Script: "true", Dir: hidden, Env: Env(), Fence: &p})
		if m.Namespaces != (err != nil) || err != nil && !strings.Contains(err.Error(), "which the fence hides") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFencedScriptsComeThrough(t *testing.T) {
	for name, m := range fences(t) {
		dir := t.TempDir()
		text := strings.Repeat("x'\"$\\\n日", 5000)
		r := sh(t, "cat <<'END_OF_TEXT' | wc -c\n"+text+"\nEND_OF_TEXT\n", inside(m, dir))
		if want := strconv.Itoa(len(text) + 1); strings.TrimSpace(r.Output) != want {
			t.Errorf("%s: %s, want %s", name, r.Output, want)
		}
	}
}

func TestManyFencedAtOnce(t *testing.T) {
	before := openFiles(t)
	for name, m := range fences(t) {
		done := make(chan error, 20)
		for i := range 20 {
			dir := t.TempDir()
			go func() {
				r, err := Run(context.Background(), Command{Script: "echo " + strconv.Itoa(i) + " >x; cat x", Dir: dir, Env: Env(), Fence: &fence.Policy{Means: m, Write: []string{dir}}})
				if err == nil && r.Output != strconv.Itoa(i)+"\n" {
					err = errors.New(r.Output)
				}
				done <- err
			}()
		}
		for range 20 {
			if err := <-done; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d descriptors were open, %d are", before, after)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// A pseudo-terminal can be had, and is not one of the user's.
func TestFencedTerminal(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	for name, m := range fences(t) {
		r := sh(t, `python3 -c 'import pty, sys; sys.exit(pty.spawn(["sh", "-c", "test -t 1 && echo tty"]) != 0)'`, inside(m, t.TempDir()))
		if !strings.Contains(r.Output, "tty") || r.ExitCode != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func BenchmarkFencedTrue(b *testing.B) {
	all := fence.Probe(b.Context())
	for name, m := range map[string]fence.Means{"none": {}, "Landlock": {Landlock: all.Landlock}, "both": all} {
		b.Run(name, func(b *testing.B) {
			dir, env := b.TempDir(), Env()
			p := fence.Policy{Means: m, Write: []string{dir}}
			for b.Loop() {
				if _, err := Run(context.Background(), Command{Script: "true", Dir: dir, Env: env, Fence: &p}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
