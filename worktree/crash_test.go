//go:build flowertest

package worktree

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestCrashPoints walks all crash points of the package, each time they are
// passed, and goes on after each death.
func TestCrashPoints(t *testing.T) {
	for _, name := range crashPoints(t) {
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
