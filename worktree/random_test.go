package worktree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// A worker's life is drawn at random and lived twice: in a tree of the pool,
// with snapshots in between, and in a plain clone. What Finish makes must be
// what 'git add -A' makes of the clone.
func TestFinishAgreesWithGit(t *testing.T) {
	seeds := uint64(3)
	if long() {
		seeds = 40
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			randomLife(t, rand.New(rand.NewPCG(seed, 5)))
		})
	}
}

func randomLife(t *testing.T, dice *rand.Rand) {
	r := newRepo(t, small)
	p := r.pool()
	clone := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", ".", clone)
	sh(t, clone, "git config user.name Ada; git config user.email ada@example.org; git checkout -q --detach")
	tree := add(t, p, "coder-1", r.head())
	last := ""
	var said []string
	for range 25 {
		op := randomOp(dice)
		said = append(said, op)
		here, _ := try(tree.Path, "sh", "-c", op)
		there, _ := try(clone, "sh", "-c", op)
		if (here == "") != (there == "") {
			t.Logf("%s\nhere %s\nthere %s", op, here, there)
		}
		if dice.IntN(3) == 0 {
			snap := snapshot(t, p, tree, last)
			last = snap.Commit
			if want := addAll(t, clone); r.git("rev-parse", last+"^{tree}") != want {
				t.Fatalf("after\n%s\na snapshot holds\n%s\nand not\n%s", strings.Join(said, "\n"), r.git("ls-tree", "-r", last), run(t, clone, "git", "ls-tree", "-r", want))
			}
		}
	}
	got := finish(t, p, tree)
	want := addAll(t, clone)
	if r.git("rev-parse", got.Tip+"^{tree}") != want {
		t.Errorf("after\n%s\nthe tip holds\n%s\nnot\n%s", strings.Join(said, "\n"), r.names(got.Tip), run(t, clone, "git", "ls-tree", "-r", "--name-only", want))
	}
	if d, err := p.TreeDigest(context.Background(), tree); err != nil || d != want {
		t.Errorf("the digest is %s, want %s, %v", d, want, err)
	}
	r.fsck()
}

// addAll is the tree of everything in a clone; its own index stays as it is.
func addAll(t *testing.T, clone string) string {
	t.Helper()
	return sh(t, clone, `GIT_INDEX_FILE=.git/all; export GIT_INDEX_FILE; rm -f .git/all; exec 2>/dev/null; git read-tree HEAD; git add -A; git write-tree`)
}

func randomOp(dice *rand.Rand) string {
	names := []string{"a", "b", "lib/a.txt", "lib/b.txt", "main.go", "d/e/f", "d/e", "x y", "日", "node_modules/m", "k.secret", ".gitignore", "lib"}
	pick := func() string { return "'" + names[dice.IntN(len(names))] + "'" }
	one, two := pick(), pick()
	switch dice.IntN(14) {
	case 0, 1, 2, 3:
		return fmt.Sprintf(`mkdir -p "$(dirname %s)" && printf %d >%s`, one, dice.IntN(10), one)
	case 4:
		return fmt.Sprintf(`printf %d >>%s`, dice.IntN(10), one)
	case 5:
		return "rm -rf " + one
	case 6:
		return fmt.Sprintf("rm -rf %s; ln -s %s %s", one, two, one)
	case 7:
		return "test -f " + one + " && chmod +x " + one
	case 8:
		return fmt.Sprintf("test -e %s && mv %s %s.moved", one, one, one)
	case 9:
		return "git add -A"
	case 10:
		return "git commit -q -m x"
	case 11:
		return "git commit -q -a -m y"
	case 12:
		return "git reset -q " + []string{"--soft", "--mixed", "--hard"}[dice.IntN(3)] + " HEAD~1"
	}
	return "git stash -q -u; printf 1 >a; git add a; git stash pop -q"
}
