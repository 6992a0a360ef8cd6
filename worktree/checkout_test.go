package worktree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCheckoutProtects(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, map[string]string{
		"main.go": "1\n", "main_test.go": "test 1\n", "t/run.sh": "run 1\n", "t/gone.sh": "gone 1\n", "a[1]": "odd 1\n", "t/d/e/f": "deep 1\n", "日/本": "1\n",
	})
	p, base := r.pool(), r.head()
	work := r.side(base, map[string]string{
		"main.go": "2\n", "main_test.go": "test 2\n", "t/run.sh": "run 2\n", "t/gone.sh": "", "t/added.sh": "added 2\n", "a[1]": "odd 2\n",
		"t/d/e/f": "deep 2\n", "new_test.go": "new 2\n", "日/本": "2\n",
	})
	tests := []struct {
		paths []string
		files string // "path=first line", those that differ from work
	}{
		{nil, ""},
		{[]string{"main_test.go"}, "main_test.go=test 1"},
		{[]string{"./t/"}, "t/added.sh= t/d/e/f=deep 1 t/gone.sh=gone 1 t/run.sh=run 1"},
		{[]string{"*_test.go", "t/*.sh"}, "main_test.go=test 1 new_test.go= t/added.sh= t/gone.sh=gone 1 t/run.sh=run 1"},
		{[]string{"**/f"}, "t/d/e/f=deep 1"},
		{[]string{"t/**/e"}, "t/d/e/f=deep 1"},
		{[]string{"a[1]"}, "a[1]=odd 1"},
		{[]string{"日"}, "日/本=1"},
		{[]string{"no such", "*.none", "[", "MAIN.GO"}, ""},
	}
	all := "main.go main_test.go t/run.sh t/gone.sh t/added.sh a[1] t/d/e/f new_test.go 日/本"
	for _, tt := range tests {
		spec := ProtectSpec{From: base, Paths: tt.paths}
		tree, err := p.Checkout(ctx, work, spec)
		must(t, err)
		among, err := spec.Among(strings.Fields(all))
		must(t, err)
		for name := range strings.FieldsSeq(all) {
			if changed := strings.Contains(" "+tt.files, " "+name+"="); slices.Contains(among, name) != changed {
				t.Errorf("%q: %s among the protected: %v", tt.paths, name, !changed)
			}
		}
		for name := range strings.FieldsSeq(all) {
			want, _ := try(r.dir, "git", "cat-file", "blob", work+":"+name)
			if strings.HasPrefix(want, "fatal") {
				want = ""
			}
			if i := strings.Index(" "+tt.files, " "+name+"="); i >= 0 {
				want = tt.files[i+len(name)+1:]
				for next := range strings.FieldsSeq(all) {
					want, _, _ = strings.Cut(want, " "+next+"=")
				}
			}
			got, _ := try(tree.Path, "sh", "-c", `cat "$1" 2>/dev/null`, "-", name)
			if got != want {
				t.Errorf("%q: %s holds %q, want %q", tt.paths, name, got, want)
			}
		}
		if head := run(t, tree.Path, "git", "rev-parse", "HEAD"); head != work {
			t.Errorf("HEAD is %s", head)
		}
		sh(t, tree.Path, "echo x >built; rm -r t")
		release(t, p, tree)
	}
	if got := states(t, p); got != "free" {
		t.Errorf("states: %q", got)
	}
	for _, bad := range []string{"", ".", "/etc/passwd", "..", "../x", "a/../.."} {
		if _, err := p.Checkout(ctx, work, ProtectSpec{From: base, Paths: []string{bad}}); err == nil {
			t.Errorf("path %q was taken", bad)
		}
	}
	if _, err := p.Checkout(ctx, work, ProtectSpec{From: "nothing", Paths: []string{"t"}}); err == nil {
		t.Error("protected from nothing")
	}
}

// A worker must not change what a test is by saying how it is checked out.
func TestCheckoutTakesTheAttributesOfProtectedPaths(t *testing.T) {
	r := newRepo(t, map[string]string{"t/d/run.sh": "echo 1\n", "other": "x\n", "z/file": "z\n"})
	p, base := r.pool(), r.head()
	work := r.side(base, map[string]string{
		".gitattributes": "* text eol=crlf\n", "t/.gitattributes": "run.sh text eol=crlf\n", "t/d/.gitattributes": "run.sh text eol=crlf\n",
		"z/.gitattributes": "file text eol=crlf\n", "z/file": "changed\n",
	})
	for _, path := range []string{"t/d/run.sh", "t", "**/run.sh", "t/*/*.sh", "t/[d]"} {
		tree, err := p.Checkout(t.Context(), work, ProtectSpec{From: base, Paths: []string{path}})
		must(t, err)
		if got, _ := try(tree.Path, "cat", "t/d/run.sh"); got != "echo 1" {
			t.Errorf("protecting '%s': the test reads %q", path, got)
		}
		release(t, p, tree)
	}
	tree, err := p.Checkout(t.Context(), work, ProtectSpec{From: base, Paths: []string{"t"}})
	must(t, err)
	if got := run(t, tree.Path, "od", "-c", "z/file"); !strings.Contains(got, `\r`) {
		t.Errorf("attributes that concern nothing protected were taken from the base too: %s", got)
	}
	release(t, p, tree)
}

func TestFits(t *testing.T) {
	part := rapid.StringMatching(`[ab.]{1,3}`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SliceOfN(part, 1, 4).Draw(t, "name")
		if !protected([]string{strings.Join(name, "/")}, strings.Join(name, "/")) {
			t.Fatal("a name does not protect itself")
		}
		pattern := rapid.SliceOfN(rapid.SampledFrom([]string{"*", "a", "b", "**", "a*", "?", "[ab]"}), 1, 4).Draw(t, "pattern")
		if got, want := fits(pattern, name), slowFits(pattern, name); got != want {
			t.Fatalf("%q fits %q: %v, want %v", pattern, name, got, want)
		}
	})
}

func TestManyStarsTakeNoTime(t *testing.T) {
	var pattern, name []string
	for range 2000 {
		pattern, name = append(pattern, "**", "a"), append(name, "a", "b")
	}
	if !fits(pattern, name) || fits(append(pattern, "c"), name) {
		t.Error("wrong")
	}
}

// slowFits tries all prefixes of name and all ways to spell out '**'.
func slowFits(pattern, name []string) bool {
	for end := 1; end <= len(name); end++ {
		if spelled(pattern, name[:end]) {
			return true
		}
	}
	return false
}

func spelled(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return spelled(pattern[1:], name) || len(name) > 0 && spelled(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, _ := path.Match(pattern[0], name[0])
	return ok && spelled(pattern[1:], name[1:])
}

// git writes no file again whose blob stays, whatever attributes have changed about
// it. It may look as if it did: of a file as young as the index it looks at the content.
func TestATreeUsedAgainIsAsItsAttributesSay(t *testing.T) {
	r := newRepo(t, map[string]string{"t/run.sh": "echo 1\n", "z/file": "z\n"})
	p, base := r.pool(), r.head()
	work := r.side(base, map[string]string{"t/.gitattributes": "run.sh text eol=crlf\n", "z/.gitattributes": "file text eol=crlf\n"})
	for _, tt := range []struct {
		protect []string
		test    string
	}{{nil, "echo 1\r\n"}, {[]string{"t"}, "echo 1\n"}, {nil, "echo 1\r\n"}} {
		tree, err := p.Checkout(t.Context(), work, ProtectSpec{From: base, Paths: tt.protect})
		must(t, err)
		for name, want := range map[string]string{"t/run.sh": tt.test, "z/file": "z\r\n"} {
			if got, err := os.ReadFile(filepath.Join(tree.Path, name)); string(got) != want {
				t.Errorf("protecting %q: %s holds %q, want %q, %v", tt.protect, name, got, want, err)
			}
		}
		index := p.heldSlot(tree.Slot).index()
		release(t, p, tree)
		old := time.Now().Add(-time.Hour)
		for _, name := range []string{"t/run.sh", "z/file"} {
			must(t, os.Chtimes(filepath.Join(tree.Path, name), old, old))
		}
		run(t, r.dir, "env", "GIT_INDEX_FILE="+index, "git", "--work-tree="+tree.Path, "update-index", "--refresh")
	}
}

// Nor does it when what the user has configured for files has changed.
func TestATreeUsedAgainIsAsItsConfigurationSays(t *testing.T) {
	r := newRepo(t, map[string]string{"file": "z\n", "secret": "sealed\n", ".gitattributes": "secret filter=seal\n"})
	base := r.head()
	for _, tt := range []struct{ configure, file, secret string }{
		{"true", "z\n", "sealed\n"},
		{"git config core.autocrlf true", "z\r\n", "sealed\r\n"},
		{"git config --unset core.autocrlf; git config filter.seal.smudge 'sed s/sealed/open/'; git config filter.seal.clean 'sed s/open/sealed/'", "z\n", "open\n"},
		{"git config core.attributesFile '~/used-again'; echo 'file -text' >~/used-again", "z\n", "open\n"},
		{"echo 'file text eol=crlf' >~/used-again", "z\r\n", "open\n"},
		{"rm ~/used-again", "z\n", "open\n"},
		{"mkdir -p .git/info; echo 'file eol=crlf' >.git/info/attributes", "z\r\n", "open\n"},
		{"true", "z\r\n", "open\n"},
	} {
		sh(t, r.dir, tt.configure)
		p := r.pool()
		tree, err := p.Checkout(t.Context(), base, ProtectSpec{})
		must(t, err)
		for name, want := range map[string]string{"file": tt.file, "secret": tt.secret} {
			if got, err := os.ReadFile(filepath.Join(tree.Path, name)); string(got) != want {
				t.Errorf("after '%s' %s holds %q, want %q, %v", tt.configure, name, got, want, err)
			}
		}
		release(t, p, tree)
		if got := states(t, p); got != "free" {
			t.Errorf("after '%s': %s", tt.configure, got)
		}
		must(t, p.Close())
	}
}
