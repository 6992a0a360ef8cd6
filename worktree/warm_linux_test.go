package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

func warm(t *testing.T, p *Pool, run, commit, base string) *Tree {
	t.Helper()
	tree, err := p.CheckoutWarm(t.Context(), run, commit, ProtectSpec{From: base})
	must(t, err)
	return tree
}

func inTree(t *testing.T, tree *Tree, script string) {
	t.Helper()
	if out, ok := within(t, tree, tree.Fence, script); !ok {
		t.Helper()
		t.Errorf("%s: %s", script, out)
	}
}

// Later checks of a run begin with what the first left, each with a copy; those of
// other runs, and at another base, with nothing.
func TestChecksBeginWarm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	for name, m := range ways(t) {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, small)
			p, base := fencedPool(t, r, m), r.head()
			first := warm(t, p, "run", base, base)
			inTree(t, first, `! ls "$GOCACHE"; mkdir "$GOCACHE"; echo result >"$GOCACHE/r"; chmod 755 "$GOCACHE/r"; ln -s r "$GOCACHE/link"; mkdir -p "$GOMODCACHE/m"; echo m >"$GOMODCACHE/m/f"; chmod 555 "$GOMODCACHE/m"`)
			must(t, p.KeepCaches(first, "run"))
			must(t, p.Release(t.Context(), first))
			work := r.side(base, map[string]string{"work": "x\n"})
			for range 2 {
				check := warm(t, p, "run", work, base)
				inTree(t, check, `test "$(cat "$GOCACHE/link")" = result; test -x "$GOCACHE/r"; echo new >"$GOMODCACHE/m/new"; echo planted >"$GOCACHE/r"; rm -r "$GOMODCACHE"; echo more >"$GOCACHE/more"`)
				must(t, p.Release(t.Context(), check))
			}
			last := warm(t, p, "run", work, base)
			inTree(t, last, `test "$(cat "$GOCACHE/r")" = result; ! test -e "$GOCACHE/more"; test "$(cat "$GOMODCACHE/m/f")" = m`)
			for _, cold := range []*Tree{warm(t, p, "other", work, base), warm(t, p, "run", work, work)} {
				inTree(t, cold, `! ls "$GOCACHE"`)
			}
		})
	}
}

// What a worker plants, in its own caches, in the folders where caches are kept
// and wherever it finds any, has no effect on a check.
func TestPoisonedCachesHaveNoPartInChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	for name, m := range ways(t) {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, small)
			p, base := fencedPool(t, r, m), r.head()
			first := warm(t, p, "run", base, base)
			inTree(t, first, `mkdir -p "$GOCACHE"; echo result >"$GOCACHE/r"`)
			must(t, p.KeepCaches(first, "run"))
			must(t, p.Release(t.Context(), first))
			check := warm(t, p, "run", base, base)
			worker := add(t, p, "coder-1", base)
			kept := shellWord(p.warmPath("run", base))
			inTree(t, worker, `
				mkdir -p "$GOCACHE"; echo planted >"$GOCACHE/r"
				for dir in `+kept+` `+shellWord(p.warmDir())+` `+shellWord(filepath.Dir(check.Path))+`/cache
				do
					! mkdir -p "$dir/go-build" 2>/dev/null || ! echo planted >"$dir/go-build/r"
					! mv "$dir" "$dir.old"; ! rm -rf "$dir/go-build/r" || ! test -e "$dir/go-build/r"
				done 2>/dev/null
				! ln -s "$GOCACHE" `+shellWord(p.warmPath("other", base)))
			if text, err := os.ReadFile(filepath.Join(p.warmPath("run", base), "go-build", "r")); err != nil || string(text) != "result\n" {
				t.Errorf("kept is %q, %v", text, err)
			}
			inTree(t, check, `test "$(cat "$GOCACHE/r")" = result`)
			after := warm(t, p, "run", base, base)
			inTree(t, after, `test "$(cat "$GOCACHE/r")" = result`)
			if err := p.KeepCaches(worker, "another"); err == nil {
				t.Error("a worker's caches are kept for checks")
			}
			inTree(t, warm(t, p, "other", base, base), `! ls "$GOCACHE"`)
			inTree(t, warm(t, p, "another", base, base), `! ls "$GOCACHE"`)
		})
	}
}

// Kept caches are few, and none where the copy would take the room of others.
func TestKeptCachesAreFew(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	r := newRepo(t, small)
	for _, m := range ways(t) {
		p, base := fencedPool(t, r, m), r.head()
		for _, run := range []string{"1", "2", "3", "4", "5"} {
			tree := warm(t, p, run, base, base)
			inTree(t, tree, `! ls "$GOCACHE"; mkdir "$GOCACHE"; echo result >"$GOCACHE/r"`)
			must(t, p.KeepCaches(tree, run))
			must(t, p.Release(t.Context(), tree))
			inTree(t, warm(t, p, run, base, base), `ls "$GOCACHE/r"`)
		}
		if all, err := os.ReadDir(p.warmDir()); err != nil || len(all) != warmKept {
			t.Errorf("%d are kept, %v", len(all), err)
		}
		p.c.Room = func(string) (Room, error) { return Room{Bytes: 9 << 20, AnyNumber: true}, nil }
		must(t, os.WriteFile(filepath.Join(p.warmPath("5", base), "large"), make([]byte, 5<<20), 0o600))
		inTree(t, warm(t, p, "5", base, base), `! ls "$GOCACHE"; mkdir "$GOCACHE"`)
		must(t, os.RemoveAll(p.warmDir()))
	}
}
