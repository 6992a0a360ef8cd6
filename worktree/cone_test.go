package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var wide = map[string]string{"top": "t\n", "lib/a": "a\n", "lib/deep/b": "b\n", "big/x": "x\n", "big/y": "y\n", "other/z": "z\n"}

// sparseKinds are the ways to have only lib and the top.
var sparseKinds = map[string][]string{
	"folders":      {"sparse-checkout", "set", "--cone", "lib"},
	"patterns":     {"sparse-checkout", "set", "--no-cone", "/top", "/lib/"},
	"sparse index": {"sparse-checkout", "set", "--cone", "--sparse-index", "lib"},
}

func sparse(t *testing.T, test func(t *testing.T, r *repo, p *Pool)) {
	for name, args := range sparseKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, wide)
			r.git(args...)
			if _, err := os.Stat(filepath.Join(r.dir, "big")); err == nil {
				t.Fatal("the user's checkout is whole")
			}
			test(t, r, r.pool())
			r.fsck()
		})
	}
}

func listing(t *testing.T, tree *Tree) string {
	t.Helper()
	return sh(t, tree.Path, `find . -type f -not -path ./.git | sort | tr '\n' ' '`)
}

const inCone = "./lib/a ./lib/deep/b ./top "

func TestWorkersTreeIsAsSparseAsTheUsers(t *testing.T) {
	sparse(t, func(t *testing.T, r *repo, p *Pool) {
		tree := add(t, p, "coder-1", r.head())
		if got := listing(t, tree); got != inCone {
			t.Errorf("holds %q", got)
		}
		if out := run(t, tree.Path, "git", "status", "--porcelain"); out != "" {
			t.Errorf("status %q", out)
		}
		sh(t, tree.Path, "echo more >>lib/a; rm lib/deep/b; echo new >lib/new")
		snap := snapshot(t, p, tree, "")
		got := finish(t, p, tree)
		for _, commit := range []string{snap.Commit, got.Tip} {
			if names := r.names(commit); names != "big/x|big/y|lib/a|lib/new|other/z|top|" && names != "big/x|big/y|lib/a|lib/new|other/z|top" {
				t.Errorf("holds %q", names)
			}
		}
		if len(got.Notes)+len(got.LeftOut) > 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestSparseTreeIsReused(t *testing.T) {
	ctx := context.Background()
	sparse(t, func(t *testing.T, r *repo, p *Pool) {
		tree := add(t, p, "coder-1", r.head())
		sh(t, tree.Path, "echo more >>lib/a; rm top; echo x >lib/x; mkdir big; echo odd >big/new")
		got := finish(t, p, tree)
		r.git("update-ref", "refs/flower/join/x", got.Tip)
		release(t, p, tree)
		again := add(t, p, "coder-2", r.head())
		if again.Slot != tree.Slot || listing(t, again) != inCone {
			t.Errorf("slot %s holds %q", again.Slot, listing(t, again))
		}
		if d, err := p.TreeDigest(ctx, again); err != nil || d != r.git("rev-parse", "HEAD^{tree}") {
			t.Errorf("%s, %v", d, err)
		}
		release(t, p, again)
		if got := states(t, p); got != stateFree {
			t.Errorf("states %q", got)
		}
		third := add(t, p, "coder-3", got.Tip)
		if text := sh(t, third.Path, "cat lib/a lib/x big/new 2>&1 || true"); !strings.HasPrefix(text, "a\nmore\nx") {
			t.Errorf("%q", text)
		}
	})
}

// A worker that needs more takes it with plain git, and all it does there counts.
func TestWorkerWidensItsTree(t *testing.T) {
	ctx := context.Background()
	sparse(t, func(t *testing.T, r *repo, p *Pool) {
		tree := add(t, p, "coder-1", r.head())
		sh(t, tree.Path, `case $(git config core.sparseCheckoutCone) in true) git sparse-checkout add big;; *) git sparse-checkout add /big/;; esac
			echo more >>big/x; rm big/y; echo new >big/new`)
		snap := snapshot(t, p, tree, "")
		want := "big/new|big/x|lib/a|lib/deep/b|other/z|top"
		if names := strings.TrimSuffix(r.names(snap.Commit), "|"); names != want {
			t.Errorf("the snapshot holds %q", names)
		}
		other, _, err := p.Restore(ctx, Spec{Run: "run", Worker: "coder-2", Base: r.head()}, snap.Commit)
		must(t, err)
		if text := sh(t, other.Path, "cat big/x big/new; git status --porcelain -uall"); text != "x\nmore\nnew\n M big/x\n D big/y\n?? big/new" {
			t.Errorf("restored %q", text)
		}
		for _, tree := range []*Tree{tree, other} {
			got := finish(t, p, tree)
			if names := strings.TrimSuffix(r.names(got.Tip), "|"); names != want {
				t.Errorf("the commit holds %q", names)
			}
			r.git("update-ref", "refs/flower/join/"+tree.Slot, got.Tip)
			release(t, p, tree)
		}
		if got := states(t, p); got != "free free" {
			t.Errorf("states %q", got)
		}
		again := add(t, p, "coder-3", r.head())
		if got := listing(t, again); got != inCone {
			t.Errorf("holds %q", got)
		}
	})
}

func TestWorkerChangesItsCone(t *testing.T) {
	all := "big/x|big/y|lib/a|lib/deep/b|other/z|top"
	tests := map[string]struct{ script, want string }{
		"disabled":              {"git sparse-checkout disable; rm big/y", "big/x|lib/a|lib/deep/b|other/z|top"},
		"narrowed":              {"git sparse-checkout set --cone other; rm other/z", "big/x|big/y|lib/a|lib/deep/b|top"},
		"without an index":      {"rm ../git/index; git reset -q", all},
		"rules that are a mess": {"head -c 200000 /dev/zero >../git/info/sparse-checkout", all},
		"rules that are gone":   {"rm -r ../git/info", all},
		"commits outside":       {"g rm -q --sparse -r other; g commit -q -m x", "big/x|big/y|lib/a|lib/deep/b|top"},
		"a commit that adds outside": {`echo n | git hash-object -w --stdin >../id; git update-index --add --cacheinfo 100644,$(cat ../id),far/n; g commit -q -m x`,
			"big/x|big/y|far/n|lib/a|lib/deep/b|other/z|top"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, wide)
			r.git(sparseKinds["folders"]...)
			p := r.pool()
			tree := add(t, p, "coder-1", r.head())
			sh(t, tree.Path, tt.script)
			got := finish(t, p, tree)
			if names := strings.TrimSuffix(r.names(got.Tip), "|"); names != tt.want {
				t.Errorf("holds %q, want %q", names, tt.want)
			}
			release(t, p, tree)
		})
	}
}

// A worker may make a whole tree sparse; what goes out of sight is not deleted.
func TestWorkerMakesItsTreeSparse(t *testing.T) {
	r := newRepo(t, wide)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "git sparse-checkout set lib; rm lib/a")
	got := finish(t, p, tree)
	if names := strings.TrimSuffix(r.names(got.Tip), "|"); names != "big/x|big/y|lib/deep/b|other/z|top" {
		t.Errorf("holds %q", names)
	}
	r.git("update-ref", "refs/flower/join/x", got.Tip)
	release(t, p, tree)
	again := add(t, p, "coder-2", r.head())
	if got := listing(t, again); got != "./big/x ./big/y ./lib/a ./lib/deep/b ./other/z ./top " {
		t.Errorf("holds %q", got)
	}
}

func TestScenesAreWhole(t *testing.T) {
	ctx := context.Background()
	sparse(t, func(t *testing.T, r *repo, p *Pool) {
		worker := add(t, p, "coder-1", r.head())
		scene, err := p.Checkout(ctx, r.head(), ProtectSpec{})
		must(t, err)
		if got := listing(t, scene); got != "./big/x ./big/y ./lib/a ./lib/deep/b ./other/z ./top " {
			t.Errorf("holds %q", got)
		}
		release(t, p, scene)
		release(t, p, worker)
		must(t, p.Prepare(ctx, r.head(), 1))
		next := add(t, p, "coder-2", r.head())
		if next.Slot != worker.Slot || listing(t, next) != inCone {
			t.Errorf("slot %s holds %q", next.Slot, listing(t, next))
		}
	})
}

func TestReopenedSparseTree(t *testing.T) {
	sparse(t, func(t *testing.T, r *repo, first *Pool) {
		tree := add(t, first, "coder-1", r.head())
		sh(t, tree.Path, "echo more >>lib/a")
		must(t, first.Close())
		second := r.pool()
		again, err := second.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1"})
		must(t, err)
		must(t, os.RemoveAll(again.Path))
		got := finish(t, second, again)
		if names := strings.TrimSuffix(r.names(got.Tip), "|"); names != "big/x|big/y|lib/a|lib/deep/b|other/z|top" || listing(t, again) != inCone {
			t.Errorf("holds %q, the tree %q", names, listing(t, again))
		}
	})
}

// What a worker made outside is in the tree of the next one.
func TestNextWorkerSeesWhatWasMadeOutside(t *testing.T) {
	sparse(t, func(t *testing.T, r *repo, p *Pool) {
		tree := add(t, p, "coder-1", r.head())
		put(t, tree.Path, map[string]string{"far/new": "n\n", "odd [name]*": "o\n"})
		got := finish(t, p, tree)
		next := add(t, p, "coder-2", got.Tip)
		if text := sh(t, next.Path, `cat far/new "odd [name]*"; test ! -e big/x; git status --porcelain`); text != "n\no" {
			t.Errorf("%q", text)
		}
	})
}
