package worktree

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// started is how many git processes something starts.
func started(t *testing.T, something func()) int {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("GIT_TRACE2_EVENT", trace)
	something()
	t.Setenv("GIT_TRACE2_EVENT", "0")
	return strings.Count(readText(t, trace), `{"event":"start"`)
}

var fileKinds = []string{"txt", "bin", "id", "crlf"}

// TestProcessesDoNotGrowWithFiles: what is asked about files is asked about all of
// them at once, of whatever kind they are.
func TestProcessesDoNotGrowWithFiles(t *testing.T) {
	base := map[string]string{".gitattributes": "*.bin filter=lfs -text\n*.id ident\n*.crlf eol=crlf\n"}
	for i := range 20 {
		base[fmt.Sprintf("%d.id", i)], base[fmt.Sprintf("%d.crlf", i)] = "$Id$\n", "a\n"
	}
	for _, modes := range []string{"true", "false"} {
		t.Run("core.filemode "+modes, func(t *testing.T) {
			r := newRepo(t, base)
			r.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
			r.git("config", "core.filemode", modes)
			p := r.pool()
			few, many := processesFor(t, p, r.head(), 2), processesFor(t, p, r.head(), 20)
			if few != many || few[0] == 0 {
				t.Errorf("Snapshot, SnapshotPaths and Finish of 2 files of each kind start %v processes, of 20 %v", few, many)
			}
		})
	}
}

func processesFor(t *testing.T, p *Pool, base string, n int) (all [3]int) {
	t.Helper()
	tree := add(t, p, fmt.Sprintf("coder-%d", n), base)
	var names []string
	change := func(content string) {
		files := map[string]string{}
		for i := range n {
			for _, kind := range fileKinds {
				files[fmt.Sprintf("%d.%s", i, kind)] = fmt.Sprintf("%s %d\n", content, i)
			}
		}
		names = slices.Collect(maps.Keys(files))
		put(t, tree.Path, files)
	}
	var snap Snapshot
	change("first")
	all[0] = started(t, func() { snap = snapshot(t, p, tree, "") })
	change("second")
	all[1] = started(t, func() {
		var err error
		snap, err = p.SnapshotPaths(context.Background(), tree, snap.Commit, names)
		must(t, err)
	})
	change("third")
	all[2] = started(t, func() { finish(t, p, tree) })
	if len(snap.LeftOut) > 0 {
		t.Errorf("left out: %q", snap.LeftOut)
	}
	release(t, p, tree)
	return all
}
