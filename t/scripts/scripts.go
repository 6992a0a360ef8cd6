// Package scripts runs shell scripts that report in TAP as tests of Go.
package scripts

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// limit is how long a script may run. The whole suite must stay below twelve
// minutes on two cores.
const limit = 8 * time.Minute

// atOnce is how many scripts run side by side: they wait more than they work.
const atOnce = 3

// Main runs a package's tests, so many of them side by side, however few
// processors there are.
func Main(m *testing.M) int {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(atOnce)); err != nil {
		panic(err)
	}
	return m.Run()
}

// Run builds the binary, with and without crash points, and runs every script in
// a directory whose name fits the pattern, with more variables in its environment.
// What a script skips is named in the log.
func Run(t *testing.T, dir, pattern string, env ...string) {
	shells := shellsFor(t)
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	bin := t.TempDir()
	build(t, filepath.Join(bin, "plain"))
	build(t, filepath.Join(bin, "crash"), "-tags", "flowertest")
	for _, script := range found {
		name := filepath.Base(script)
		for _, shell := range shells(name) {
			t.Run(strings.TrimSuffix(name, ".sh")+"/"+shell, func(t *testing.T) {
				t.Parallel()
				run(t, shell, dir, name, bin, env)
			})
		}
	}
}

// shellsFor says which shells a script runs under: the library's own script
// under each that is there, the others under sh.
func shellsFor(t *testing.T) func(script string) []string {
	t.Helper()
	for _, need := range []string{"sh", "git"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("missing %s", need)
		}
	}
	all := []string{"sh"}
	for _, shell := range []string{"dash", "bash"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("missing %s: the library is not tried with it", shell)
			continue
		}
		all = append(all, shell)
	}
	return func(script string) []string {
		if strings.HasPrefix(script, "t0001-") {
			return all
		}
		return all[:1]
	}
}

func build(t *testing.T, dir string, options ...string) {
	t.Helper()
	args := append([]string{"build", "-o", filepath.Join(dir, "git-flower")}, options...)
	cmd := exec.CommandContext(t.Context(), "go", append(args, "git-flower/cmd/git-flower")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(cmd.Args[1:], " "), err, out)
	}
}

func run(t *testing.T, shell, dir, script, bin string, env []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"TEST_FLOWER_BIN="+filepath.Join(bin, "plain"), "TEST_FLOWER_CRASH_BIN="+filepath.Join(bin, "crash"),
		"TEST_SHELL="+shell, "TMPDIR="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = 10 * time.Second // children that hold the pipe
	together(cmd)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("not done after %v: %w", limit, err)
	}
	report := read(out)
	for _, missing := range report.skipped {
		t.Log(missing)
	}
	if err == nil {
		err = report.check()
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
		return
	}
	if report.planned == 0 {
		t.Skip("the whole script was skipped")
	}
}

// A report is what a script said in TAP.
type report struct {
	planned, counted int
	failed           []string
	skipped          []string
	plans            int
}

var (
	testLine = regexp.MustCompile(`^(not )?ok ([0-9]+) - (.*)$`)
	planLine = regexp.MustCompile(`^1\.\.([0-9]+)(.*)$`)
)

func read(out []byte) *report {
	r := &report{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		line := lines.Text()
		if m := planLine.FindStringSubmatch(line); m != nil {
			r.plans++
			r.planned, _ = strconv.Atoi(m[1]) // the expression takes digits only
			if strings.Contains(m[2], "# skip") {
				r.skipped = append(r.skipped, line)
			}
		}
		m := testLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		r.counted++
		if m[1] != "" && !strings.Contains(m[3], "# TODO") || m[2] != fmt.Sprint(r.counted) {
			r.failed = append(r.failed, line)
		}
		if strings.Contains(m[3], "# skip") {
			r.skipped = append(r.skipped, line)
		}
	}
	return r
}

func (r *report) check() error {
	switch {
	case r.plans != 1 || r.counted != r.planned:
		return fmt.Errorf("%d tests ran, planned were %d", r.counted, r.planned)
	case len(r.failed) > 0:
		return fmt.Errorf("failed, though the script did not: %q", r.failed)
	}
	return nil
}
