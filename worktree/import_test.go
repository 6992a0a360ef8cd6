package worktree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What comes over is the commit with all it stands on, and nothing else.
func TestImportBringsWhatIsReachable(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			dice := rand.New(rand.NewPCG(seed, 9))
			r := newRepo(t, small)
			p := r.pool()
			tree := add(t, p, "coder-1", r.head())
			commits := history(t, dice, tree, 3+dice.IntN(20), r.head())
			tip := commits[dice.IntN(len(commits))]
			must(t, os.WriteFile(filepath.Join(tree.GitDir, "HEAD"), []byte(tip+"\n"), 0o600))
			run(t, tree.Path, "git", "reset", "-q", "--hard")
			if got := finish(t, p, tree); got.Tip != tip || got.Committed {
				t.Fatalf("%+v, want %s", got, tip)
			}
			want := run(t, tree.Path, "git", "rev-list", "--objects", tip)
			if got := r.git("rev-list", "--objects", tip); got != want {
				t.Error("the history is another one")
			}
			for _, other := range commits {
				_, here := try(r.dir, "git", "cat-file", "-e", other)
				_, part := try(tree.Path, "git", "merge-base", "--is-ancestor", other, tip)
				if (here == nil) != (part == nil) {
					t.Errorf("commit %s: imported %v, reachable %v", other, here == nil, part == nil)
				}
			}
			r.fsck()
		})
	}
}

// history makes commits in a worker's tree, with merges.
func history(t *testing.T, dice *rand.Rand, tree *Tree, n int, base string) []string {
	t.Helper()
	commits := []string{base}
	for i := range n {
		parent := commits[dice.IntN(len(commits))]
		script := fmt.Sprintf(`git read-tree %s; b=$(seq %d %d | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,f%d; git commit-tree -m %d -p %s`,
			parent, i, i+dice.IntN(2000), dice.IntN(5), i, parent)
		if other := commits[dice.IntN(len(commits))]; other != parent && dice.IntN(3) == 0 {
			script += " -p " + other
		}
		commits = append(commits, sh(t, tree.Path, script+" $(git write-tree)"))
	}
	return commits
}

func TestImportRefuses(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	s, err := p.slotOf(tree)
	must(t, err)
	defer s.busy.Unlock()
	tag := sh(t, tree.Path, `git tag -a -m v v; git rev-parse v`)
	scripts := map[string]string{
		"a blob":              `git rev-parse HEAD:main.go`,
		"a tree":              `git rev-parse HEAD^{tree}`,
		"a tag":               `echo ` + tag,
		"nothing":             `echo ` + strings.Repeat("1", 40),
		"a missing tree":      `printf 'tree ` + strings.Repeat("1", 40) + `\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n' | git hash-object -t commit -w --stdin --literally`,
		"a missing parent":    `printf "tree $(git rev-parse HEAD^{tree})\nparent ` + strings.Repeat("1", 40) + `\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n" | git hash-object -t commit -w --stdin --literally`,
		"a nameless author":   `printf "tree $(git rev-parse HEAD^{tree})\nauthor <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n" | git hash-object -t commit -w --stdin --literally`,
		"a tree out of order": `t2=$({ printf '100644 x\0'; printf '01234567890123456789'; printf '100644 a\0'; printf '01234567890123456789'; } | git hash-object -t tree -w --stdin --literally); git commit-tree -m x $t2`,
		"an entry named ..": `b=$(git rev-parse HEAD:main.go); t=$({ printf '100644 ..\0'; for x in $(echo $b | sed 's/../& /g'); do printf "\\$(printf %03o 0x$x)"; done; } | git hash-object -t tree -w --stdin --literally)
			git ls-tree $t | grep -q '\.\.$'; git commit-tree -m x -p HEAD $t`,
		"an evil .gitmodules":  `b=$(printf '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=x\n' | git hash-object -w --stdin); t=$(printf "100644 blob $b\t.gitmodules\n" | git mktree); git commit-tree -m x -p HEAD $t`,
		"a linked .gitmodules": `b=$(printf /etc/passwd | git hash-object -w --stdin); t=$(printf "120000 blob $b\t.gitmodules\n" | git mktree); git commit-tree -m x -p HEAD $t`,
		"a cut blob":           `echo cut >cut; git add cut; git commit -q -m cut; b=$(git rev-parse HEAD:cut); f=../git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-); chmod u+w $f; : >$f; git rev-parse HEAD`,
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			id := sh(t, tree.Path, script)
			before := r.git("cat-file", "--batch-all-objects", "--batch-check")
			if err := p.bring(ctx, s, p.borrowing(s), id, base); err == nil {
				t.Errorf("%s came in", id)
			}
			if after := r.git("cat-file", "--batch-all-objects", "--batch-check"); after != before {
				t.Errorf("it left objects:\n%s\nwere\n%s", after, before)
			}
			if _, err := os.Stat(s.incoming()); err == nil {
				t.Error("the quarantine is left")
			}
		})
	}
	r.fsck()
}

// Many objects come as one pack, few as loose objects, as git's fetch does. What
// is handed in is a pack in any case, see hold.go.
func TestImportPacksMany(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	few, many := add(t, p, "coder-1", r.head()), add(t, p, "coder-2", r.head())
	packs := func() int {
		found, err := filepath.Glob(filepath.Join(escape(r.dir), ".git", "objects", "pack", "*.pack"))
		must(t, err)
		return len(found)
	}
	sh(t, few.Path, `echo x >x; git add x; git commit -q -m x`)
	if _, err := p.Snapshot(t.Context(), few, ""); err != nil {
		t.Fatal(err)
	}
	if packs() != 0 {
		t.Error("three objects made a pack")
	}
	sh(t, many.Path, `for i in $(seq 200); do echo $i >f$i; done; git add .; git commit -q -m many`)
	got, err := p.Snapshot(t.Context(), many, "")
	must(t, err)
	if packs() != 1 {
		t.Errorf("%d packs", packs())
	}
	if text := r.show(got.Commit, "f137"); text != "137" {
		t.Errorf("f137 holds %q", text)
	}
	r.fsck()
}

func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// A worker may write while its files are kept: nothing breaks, and a file that
// rests is kept as it is.
func TestSnapshotsOfABusyTree(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	put(t, tree.Path, map[string]string{"rests": "whole\n"})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			name := filepath.Join(tree.Path, fmt.Sprintf("busy%d", i%50))
			if i%3 == 0 {
				os.RemoveAll(name)
			} else {
				os.WriteFile(name, []byte(strings.Repeat("x", i%5000)), 0o644)
			}
		}
	}()
	last := ""
	for range 15 {
		snap := snapshot(t, p, tree, last)
		last = snap.Commit
		if got := r.show(last, "rests"); got != "whole" {
			t.Errorf("rests holds %q", got)
		}
	}
	close(stop)
	<-done
	got := finish(t, p, tree)
	if d, err := p.TreeDigest(context.Background(), tree); err != nil || d != r.git("rev-parse", got.Tip+"^{tree}") {
		t.Errorf("digest %s, %v", d, err)
	}
	r.fsck()
}
