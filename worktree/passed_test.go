package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Changes of a sparse checkout are those of the files that are there: what is
// outside of its cone is not deleted, and what the user has put there goes along.
func TestChangesOfASparseCheckout(t *testing.T) {
	ctx := context.Background()
	sparse(t, func(t *testing.T, r *repo, p *Pool) {
		sh(t, r.dir, `echo x >>lib/a; mkdir -p big new; echo mine >big/x; echo n >new/n; rm lib/deep/b`)
		before := scene(t, r)
		c, err := p.KeepChanges(ctx)
		must(t, err)
		if got := strings.Join(c.Paths, " "); got != "big/x lib/a lib/deep/b new/n" || len(c.LeftOut) > 0 {
			t.Errorf("%+v", c)
		}
		if after := scene(t, r); after != before {
			t.Errorf("the checkout was\n%s\nand is\n%s", before, after)
		}
		tree := add(t, p, "coder-1", c.Commit)
		if out := sh(t, tree.Path, `cat lib/a big/x new/n | tr '\n' ' '; test ! -e other; test ! -e big/y; git status --porcelain`); !strings.HasSuffix(out, "x mine n ") {
			t.Errorf("the worker sees %q", out)
		}
		put(t, tree.Path, map[string]string{"new/n": "worked\n"})
		got := finish(t, p, tree)
		if len(got.LeftOut)+len(got.Notes) > 0 || r.names(got.Tip) != "big/x|big/y|lib/a|new/n|other/z|top|" {
			t.Errorf("%+v: %s", got, r.names(got.Tip))
		}
		must(t, p.Release(ctx, tree))
		_, err = p.Land(ctx, LandSpec{Join: got.Tip, Base: c.Commit, Message: "land"})
		must(t, err)
		// Outside of the cone git keeps them in the commit alone.
		if text := sh(t, r.dir, `git show HEAD:big/x HEAD:new/n | tr '\n' ' '; test ! -e other; git status --porcelain`); text != "mine worked " {
			t.Errorf("landed: %q", text)
		}
	})
}

// Until something writes the user's index, it still says that a file which is
// there is not.
func TestChangesOutsideOfTheConeThatGitHasNotNoticed(t *testing.T) {
	sparse(t, func(t *testing.T, r *repo, p *Pool) {
		put(t, r.dir, map[string]string{"big/x": "mine\n"})
		c, err := p.KeepChanges(t.Context())
		must(t, err)
		if got := strings.Join(c.Paths, " "); got != "big/x" {
			t.Errorf("kept %q", got)
		}
	})
}

// Where the user has said where a submodule comes from, the worker's git knows.
func TestSubmoduleComesFromWhereTheUserSays(t *testing.T) {
	inner, r := newRepo(t, small), newRepo(t, small)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
	r.git("config", "-f", ".gitmodules", "submodule.sub.url", "file:///nowhere")
	r.git("commit", "-q", "-a", "-m", "submodule")
	p, base := r.pool(), r.head()
	before := sh(t, r.dir, `find .git/modules -type f | sort | xargs -d '\n' sha1sum; cat .git/config`)
	tree := add(t, p, "coder-1", base)
	sh(t, tree.Path, `test -z "$(ls -A sub)"; git -c protocol.file.allow=always submodule --quiet update --init; test -f sub/main.go; test -z "$(git status --porcelain)"`)
	if got := finish(t, p, tree); got.Tip != base {
		t.Errorf("%+v", got)
	}
	if after := sh(t, r.dir, `find .git/modules -type f | sort | xargs -d '\n' sha1sum; cat .git/config`); after != before {
		t.Errorf("what is the user's changed:\n%s\n%s", before, after)
	}
}

// In a partial clone the worker's own git fetches what is missing, into its own
// objects.
func TestPromisorServesTheWorker(t *testing.T) {
	from := newRepo(t, small)
	old := from.side(from.head(), map[string]string{"lib/a.txt": "of old\n"})
	from.git("branch", "old", old)
	from.git("config", "uploadpack.allowFilter", "true")
	from.git("config", "uploadpack.allowAnySHA1InWant", "true")
	r := &repo{t: t, dir: filepath.Join(filepath.Dir(from.dir), "partial"), state: from.state}
	from.git("clone", "-q", "--filter=blob:none", "file://"+from.dir, r.dir)
	blob := from.git("rev-parse", old+":lib/a.txt")
	missing := func() bool {
		return strings.Contains(r.git("rev-list", "--objects", "--missing=print", "--all"), "?"+blob)
	}
	if !missing() {
		t.Fatal("nothing is missing in a partial clone")
	}
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `test "$(git cat-file blob origin/old:lib/a.txt)" = "of old"; git checkout -q origin/old; grep "of old" lib/a.txt; git log -p --all >/dev/null; git checkout -q -; echo x >x; git add x; git commit -q -m x`)
	if !missing() {
		t.Error("it came into the user's objects")
	}
	got := finish(t, p, tree)
	if r.show(got.Tip, "x") != "x" || len(got.LeftOut)+len(got.Notes) > 0 {
		t.Errorf("%+v", got)
	}
	must(t, p.Release(context.Background(), tree))
	if _, err := os.Stat(filepath.Join(r.dir, "x")); err == nil {
		t.Error("it came into the checkout")
	}
}
