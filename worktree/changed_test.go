package worktree

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestChangedAndDiffstat(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	r.git("config", "diff.external", "/no/such")
	r.git("config", "diff.noprefix", "true")
	r.git("config", "color.ui", "always")
	r.git("config", "diff.renames", "copies")
	p, base := r.pool(), r.head()
	next := r.side(base, map[string]string{"lib/a.txt": "", "moved.txt": "one\ntwo\nthree\n", "日\n本": "x\n", "-n": "x\n"})
	got, err := p.Changed(ctx, base, next)
	must(t, err)
	if want := []string{"-n", "lib/a.txt", "moved.txt", "日\n本"}; !slices.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
	if got, err := p.Changed(ctx, base, base); err != nil || len(got) != 0 {
		t.Errorf("nothing changed: %q, %v", got, err)
	}
	stat, err := p.Diffstat(ctx, base, next)
	must(t, err)
	if !strings.Contains(stat, "moved.txt") || strings.Contains(stat, "\x1b") || !strings.Contains(stat, "changed") {
		t.Errorf("%q", stat)
	}
	for _, bad := range [][2]string{{base, "nothing"}, {"--help", base}, {base, "--output=/tmp/x"}} {
		if out, err := p.Diffstat(ctx, bad[0], bad[1]); err == nil {
			t.Errorf("%q: %q", bad, out)
		}
		if out, err := p.Changed(ctx, bad[0], bad[1]); err == nil {
			t.Errorf("%q: %q", bad, out)
		}
	}
}

// Attribute files are taken as data; a link is none.
func TestAttributesAreData(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, map[string]string{".gitattributes": "a\n", "d/.gitattributes": "b\n", "d/e/x": "x\n"})
	sh(t, r.dir, `ln -s /etc/passwd d/e/.gitattributes; git add .; git commit -q -m link`)
	p := r.pool()
	dir, err := p.attributes(ctx, r.head())
	must(t, err)
	if out := sh(t, dir, `find . -type f -o -type l | sort | xargs grep .`); out != "./.gitattributes:a\n./d/.gitattributes:b" {
		t.Errorf("%q", out)
	}
	sh(t, dir, `rm -r "$PWD"`)
	if _, err := p.attributes(ctx, "nothing"); err == nil {
		t.Error("attributes of nothing")
	}
}
