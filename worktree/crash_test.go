//go:build flowertest

package worktree

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCrashPoints walks all crash points of the package, each time they are
// passed, and goes on after each death.
func TestCrashPoints(t *testing.T) {
	for _, name := range crashPoints(t) {
		if strings.HasPrefix(name, "worktree-land-") {
			continue // see TestCrashOnTheWayOfALanding
		}
		died := false
		for n := 1; n <= 6; n++ {
			r := newRepo(t, small)
			lines, err := lived(t, r, 0, fmt.Sprintf("GIT_FLOWER_CRASH=%s:%d", name, n))
			if err == nil {
				break
			}
			died = true
			checkAfterDeath(t, r, lines)
		}
		if !died && name != "worktree-aside-marked" {
			t.Errorf("nothing passes %s", name)
		}
	}
}

// A tree that is being moved aside is moved by the next Open.
func TestCrashOnTheWayAside(t *testing.T) {
	r := newRepo(t, small)
	lines, err := lived(t, r, 0, "GIT_FLOWER_CRASH=worktree-release-begun:2")
	if err == nil {
		t.Fatal(lines)
	}
	p := r.pool()
	tree := add(t, p, "coder-2", r.head())
	sh(t, tree.Path, "echo x >x")
	s, err := p.slotOf(tree)
	must(t, err)
	s.busy.Unlock()
	must(t, s.set(func(o *owner) { o.State, o.Reason = stateAside, "because" }))
	must(t, p.Close())
	if got := states(t, r.pool()); !strings.HasSuffix(got, stateAside) {
		t.Errorf("states %q", got)
	}
}

// A landing that is killed has happened, or the next Open makes the checkout what
// it was, to the byte.
func TestCrashOnTheWayOfALanding(t *testing.T) {
	for _, name := range crashPoints(t) {
		if !strings.HasPrefix(name, "worktree-land-") {
			continue
		}
		r, p, base, join := changedScene(t, everyKind, result)
		must(t, p.Close())
		index := filepath.Join(r.dir, ".git", "index")
		before, was := scene(t, r), readText(t, index)
		spec := childLand + "=" + base + " " + join
		if lines, err := lived(t, r, 0, spec, "GIT_FLOWER_CRASH="+name); err == nil {
			t.Errorf("passes %s: %q", name, lines)
		}
		must(t, r.pool().Close())
		if r.head() == join {
			if out := r.git("status", "--porcelain"); out != "" {
				t.Errorf("%s: status %q", name, out)
			}
			continue
		}
		if readText(t, index) != was {
			t.Errorf("%s: the index is another one", name)
		}
		if after := scene(t, r); after != before {
			t.Errorf("%s: the checkout was\n%s\nand is\n%s", name, before, after)
		}
		_, err := lived(t, r, 0, spec)
		must(t, err)
		if r.head() != join {
			t.Errorf("%s: it was not landed in the end", name)
		}
	}
}

// What the user has changed since a landing was killed is never overwritten.
func TestCrashOfALandingAndAnEditAfter(t *testing.T) {
	r, p, base, join := changedScene(t, everyKind, result)
	must(t, p.Close())
	spec := childLand + "=" + base + " " + join
	if _, err := lived(t, r, 0, spec, "GIT_FLOWER_CRASH=worktree-land-cleaned"); err == nil {
		t.Fatal("it was not killed")
	}
	sh(t, r.dir, `echo edited >lib/a.txt`)
	p = r.pool()
	if got := readText(t, filepath.Join(r.dir, "lib/a.txt")); got != "edited\n" {
		t.Errorf("the file holds %q", got)
	}
	_, err := p.Land(context.Background(), LandSpec{Base: base, Join: join})
	var cut *InterruptedError
	if !errors.As(err, &cut) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(cut.Dir, "note")); err != nil {
		t.Error(err)
	}
}

// crashPoints reads their names from the source, so that none is forgotten.
func crashPoints(t *testing.T) []string {
	t.Helper()
	var names []string
	packages, err := parser.ParseDir(token.NewFileSet(), ".", func(info os.FileInfo) bool {
		return !strings.HasSuffix(info.Name(), "_test.go")
	}, 0)
	must(t, err)
	ast.Inspect(packages["worktree"], func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "crashPoint" {
			name, err := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
			must(t, err)
			names = append(names, name)
		}
		return true
	})
	if len(names) < 8 {
		t.Errorf("only %q", names)
	}
	return names
}
