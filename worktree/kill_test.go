package worktree

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// lived runs a child and returns the lines it printed. It is killed as soon as
// it has printed killAfter of them; 0 lets it live.
func lived(t *testing.T, r *repo, killAfter int, env ...string) (lines []string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+r.dir, childState+"="+r.state)
	cmd.Env = append(cmd.Env, env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		lines = append(lines, scanner.Text())
		if len(lines) == killAfter {
			cmd.Process.Kill()
		}
	}
	err = cmd.Wait()
	if err != nil && errs.Len() > 0 {
		t.Errorf("a child failed: %s", errs.String())
	}
	return lines, err
}

// checkAfterDeath: the next Open puts all in order, what was acknowledged is
// there, and a life that goes on ends as one that was never cut off.
func checkAfterDeath(t *testing.T, r *repo, lines []string) {
	t.Helper()
	p, err := Open(context.Background(), r.config())
	must(t, err)
	for word := range strings.FieldsSeq(states(t, p)) {
		if word != "waiting" && word != stateFree && word != stateEmpty {
			t.Errorf("after %q a tree is %q", lines, word)
		}
	}
	written := ""
	for _, line := range lines {
		what, value, _ := strings.Cut(line, " ")
		switch what {
		case "wrote":
			written = value
		case "kept", "finished":
			if got := r.show(value, written); got != written {
				t.Errorf("after %q the commit holds %q", lines, got)
			}
		}
	}
	if written != "" && lines[len(lines)-1] != "released" {
		tree, err := p.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1"})
		if err != nil && !strings.HasPrefix(lines[len(lines)-1], "checking") {
			t.Fatalf("after %q: %v", lines, err)
		}
		if err == nil {
			if text, err := os.ReadFile(filepath.Join(tree.Path, written)); err != nil || string(text) != written {
				t.Errorf("after %q: %q, %v", lines, text, err)
			}
		}
	}
	must(t, p.Close())
	r.fsck()
	checkWholeLife(t, r)
}

func checkWholeLife(t *testing.T, r *repo) {
	t.Helper()
	lines, err := lived(t, r, 0)
	must(t, err)
	tip := ""
	for _, line := range lines {
		if value, ok := strings.CutPrefix(line, "finished "); ok {
			tip = value
		}
	}
	if got := r.names(tip); got != ".gitignore|lib/a.txt|main.go|one|two|" {
		t.Errorf("in the end: %q", got)
	}
	p := r.pool()
	if got := strings.Trim(states(t, p), "fre "); got != "" {
		t.Errorf("in the end trees are %q", states(t, p))
	}
	for _, path := range []string{p.trashDir(), p.asideDir()} {
		if left, err := os.ReadDir(path); err != nil || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", path, left, err)
		}
	}
	r.fsck()
}

func TestKilledAtAnyMoment(t *testing.T) {
	whole, err := lived(t, newRepo(t, small), 0)
	must(t, err)
	for k := 1; k <= len(whole); k++ {
		t.Run(whole[k-1], func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, small)
			lines, _ := lived(t, r, k)
			checkAfterDeath(t, r, lines)
		})
	}
}

// Processes that use one pool at once do not get into each other's way, also
// when some of them are killed.
func TestManyProcessesAtOnce(t *testing.T) {
	r := newRepo(t, small)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			killAfter := 0
			if i%2 == 1 {
				killAfter = 2 + i
			}
			worker := fmt.Sprintf("%s=coder-%d", childWorker, i)
			lines, err := lived(t, r, killAfter, worker)
			if killAfter == 0 && (err != nil || lines[len(lines)-1] != "released") {
				t.Errorf("worker %d ended with %q, %v", i, lines, err)
			}
		})
	}
	wg.Wait()
	for i := range 6 {
		lines, err := lived(t, r, 0, fmt.Sprintf("%s=coder-%d", childWorker, i))
		if err != nil || lines[len(lines)-1] != "released" {
			t.Errorf("worker %d went on to %q, %v", i, lines, err)
		}
	}
	if got := strings.Trim(states(t, r.pool()), "fre "); got != "" {
		t.Errorf("states %q", got)
	}
	r.fsck()
}
