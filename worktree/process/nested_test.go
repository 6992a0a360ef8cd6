package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/worktree/fence"
)

// TestMain lets the test binary play a program that runs a command itself.
func TestMain(m *testing.M) {
	fence.Main()
	if os.Getenv("PROCESS_TEST_INSIDE") != "" {
		for _, dir := range Inside() {
			fmt.Println(dir)
		}
		os.Exit(0)
	}
	if script := os.Getenv("PROCESS_TEST_PEER"); script != "" {
		talkFor(script)
	}
	if script := os.Getenv("PROCESS_TEST_SCRIPT"); script != "" {
		dir, err := os.Getwd()
		if err != nil {
			os.Exit(2)
		}
		c := Command{Script: script, Dir: dir, Env: Env()}
		if os.Getenv("PROCESS_TEST_FENCE") != "" {
			c.Fence = &fence.Policy{Means: fence.Probe(context.Background()), Write: []string{dir}}
		}
		r, err := Run(context.Background(), c)
		fmt.Print(r.Output)
		if err != nil {
			os.Exit(2)
		}
		os.Exit(r.ExitCode)
	}
	os.Exit(m.Run())
}

// What a program of ours runs inside a command of ours belongs to both: ending
// the outer one ends it, also when the program itself was killed.
func TestCommandsInsideCommands(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux finds processes by their marks")
	}
	dir := t.TempDir()
	inner := `setsid sh -c 'echo $$ >pid; exec sleep 1000' & until test -s pid; do :; done; kill -9 $PPID; sleep 1000`
	r, err := Run(context.Background(), Command{
		Script: `"$PROGRAM"; echo outer`, Dir: dir, Env: Env("PROGRAM="+os.Args[0], "PROCESS_TEST_SCRIPT="+inner),
	})
	if err != nil || !strings.HasSuffix(r.Output, "outer\n") {
		t.Fatalf("%+v, %v", r, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil || alive(pid) {
		t.Errorf("process %d is left, %v", pid, err)
	}
}

func TestInnerResultComesThrough(t *testing.T) {
	r := sh(t, `"$PROGRAM"; echo $?`, func(c *Command) {
		c.Env = Env("PROGRAM="+os.Args[0], "PROCESS_TEST_SCRIPT=echo inner; exit 9")
	})
	if r.Output != "inner\n9\n" {
		t.Errorf("%+v", r)
	}
}

func TestFloodIsCutByTheClock(t *testing.T) {
	r := sh(t, "yes", func(c *Command) { c.Timeout, c.Limit = 100*time.Millisecond, 100 })
	if !r.TimedOut || !r.Truncated || r.Bytes < 1000 || len(r.Output) > 200 {
		t.Errorf("%d bytes, %+v", r.Bytes, r)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		limit, print int
		truncated    bool
	}{{1, 0, false}, {1, 1, false}, {1, 2, true}, {10, 10, false}, {10, 11, true}, {0, DefaultLimit, false}, {0, DefaultLimit + 1, true}, {-5, 100, false}} {
		r := sh(t, fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", tt.print), func(c *Command) { c.Limit = tt.limit })
		if r.Truncated != tt.truncated || r.Bytes != int64(tt.print) {
			t.Errorf("%+v: %d bytes, truncated %v", tt, r.Bytes, r.Truncated)
		}
		if !tt.truncated && len(r.Output) != tt.print {
			t.Errorf("%+v: %d kept", tt, len(r.Output))
		}
		if want := Digest([]byte(strings.Repeat("x", tt.print))); r.Digest != want {
			t.Errorf("%+v: digest %s", tt, r.Digest)
		}
	}
}

// Many commands side by side keep their outputs, exit codes and ends apart.
func TestSideBySide(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			c := Command{Script: fmt.Sprintf("echo %d; sleep 1000 & test %d -lt 10 || sleep 1000; exit %d", i, i, i), Dir: dir, Env: Env()}
			if i >= 10 {
				c.Timeout = 100 * time.Millisecond
			}
			r, err := Run(context.Background(), c)
			if err != nil {
				t.Error(err)
			}
			if r.TimedOut != (i >= 10) || !strings.HasPrefix(r.Output, fmt.Sprintf("%d\n", i)) || i < 10 && r.ExitCode != i {
				t.Errorf("command %d: %+v", i, r)
			}
		})
	}
	wg.Wait()
}

func TestDurationIsTheCommands(t *testing.T) {
	began := time.Now()
	r := sh(t, "sleep 0.2", nil)
	if r.Duration < 200*time.Millisecond || r.Duration > time.Since(began) {
		t.Errorf("took %v", r.Duration)
	}
}

// The environment is exactly what is given, besides the working directory and
// the mark.
func TestEnvironmentIsWhatIsGiven(t *testing.T) {
	t.Setenv("LEAK", "1")
	r := sh(t, "env", func(c *Command) { c.Env = []string{"PATH=" + os.Getenv("PATH"), "A=1", "A=2"} })
	seen := map[string]string{}
	for line := range strings.Lines(r.Output) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		seen[name] = value
	}
	if seen["A"] != "2" || seen["PWD"] == "" {
		t.Errorf("%q", seen)
	}
	for name := range seen {
		switch {
		case name == "PATH", name == "A", name == "PWD", name == "OLDPWD", name == "_", name == "SHLVL", strings.HasPrefix(name, markPrefix):
		default:
			t.Errorf("%s=%s came along", name, seen[name])
		}
	}
	if len(seen) < 4 {
		t.Errorf("%q", seen)
	}
}
