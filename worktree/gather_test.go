package worktree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// However many files git cannot take, they are the ones told, and all others
// are stored.
func TestBadPathsNeverStopTheRest(t *testing.T) {
	r := newRepo(t, map[string]string{".gitattributes": "*.bad filter=broken\n", "tracked.bad": "x\n"})
	r.git("config", "filter.broken.clean", "false")
	r.git("config", "filter.broken.smudge", "cat")
	r.git("config", "filter.broken.required", "true")
	p, base := r.pool(), r.head()
	for seed := range uint64(5) {
		dice := rand.New(rand.NewPCG(seed, 1))
		tree := add(t, p, fmt.Sprintf("coder-%d", seed), base)
		var good, bad []string
		for i := range 30 {
			name := fmt.Sprintf("d%d/f%02d", i%3, i)
			if dice.IntN(4) == 0 {
				name += ".bad"
				bad = append(bad, name)
			} else {
				good = append(good, name)
			}
			put(t, tree.Path, map[string]string{name: name})
		}
		put(t, tree.Path, map[string]string{"tracked.bad": "changed\n"})
		bad = append(bad, "tracked.bad")
		got := finish(t, p, tree)
		var told []string
		for _, line := range got.LeftOut {
			name, why, _ := strings.Cut(line, " (")
			if told = append(told, name); why == "" {
				t.Errorf("%q does not say why", line)
			}
		}
		slices.Sort(told)
		slices.Sort(bad)
		if !slices.Equal(told, bad) {
			t.Errorf("told %q, want %q", told, bad)
		}
		for _, name := range good {
			if text := r.show(got.Tip, name); text != name {
				t.Errorf("%s holds %q", name, text)
			}
		}
		if text := r.show(got.Tip, "tracked.bad"); text != "x" {
			t.Errorf("what could not be stored became %q", text)
		}
	}
}

// A file that git reads itself and refuses stays as it was; all else is kept.
func TestRefusedContentIsLeftOut(t *testing.T) {
	r := newRepo(t, map[string]string{".gitattributes": "*.x text\n", "a": "a\n"})
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	evil := "[submodule \"x\"]\n\tpath = x\n\turl = --upload-pack=evil\n"
	put(t, tree.Path, map[string]string{".gitmodules": evil, ".gitattributes": "*.x text\n" + strings.Repeat("y", 5000) + " text\n", "a": "b\n", "sub/.gitmodules": evil})
	got := finish(t, p, tree)
	if text := r.show(got.Tip, "a") + r.show(got.Tip, ".gitattributes"); text != "b*.x text" {
		t.Errorf("the tip holds %q", text)
	}
	contains(t, got.LeftOut, ".gitmodules (git refuses")
	last := snapshot(t, p, tree, got.Tip)
	if last.Commit != got.Tip {
		t.Errorf("a snapshot of it is %s", last.Commit)
	}
	if again := finish(t, p, tree); again.Tip != got.Tip || again.Committed {
		t.Errorf("a second time it is %s", again.Tip)
	}
	release(t, p, tree)
	if got := states(t, p); got != stateAside {
		t.Errorf("state %q", got)
	}
	r.fsck()
}

// Git's own files may be changed in ways git likes.
func TestGitsOwnFilesMayChange(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	put(t, tree.Path, map[string]string{".gitmodules": "[submodule \"x\"]\n\tpath = x\n\turl = https://example.org/x\n", ".gitattributes": "*.x text\n", ".gitignore": "new\n", ".github/workflows/ci.yml": "on: push\n"})
	got := finish(t, p, tree)
	if len(got.LeftOut) > 0 || r.names(got.Tip) != ".gitattributes|.github/workflows/ci.yml|.gitignore|.gitmodules|lib/a.txt|lib/b.txt|main.go|" {
		t.Errorf("%+v, %q", got, r.names(got.Tip))
	}
}

func TestPlainTextStaysPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		got := plain(raw)
		if !utf8.ValidString(got) || plain(got) != got {
			t.Fatalf("%q becomes %q, then %q", raw, got, plain(got))
		}
		for line := range strings.SplitSeq(got, "\n") {
			if strings.TrimRight(line, " \t") != line || strings.ContainsAny(line, "\x00\r\x1b\u202e\u2066") {
				t.Fatalf("%q keeps %q", raw, line)
			}
		}
	})
	for _, keep := range []string{"", "a", "a\nb", "\ta", "日本 🌸", "a\n\nb"} {
		if got := plain(keep); got != keep {
			t.Errorf("%q becomes %q", keep, got)
		}
	}
}

func TestNamesAreShownOnOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		shown := quoteName(name)
		if strings.ContainsAny(shown, "\n\r\x1b\x00\u2028") || !utf8.ValidString(shown) {
			t.Fatalf("%q is shown as %q", name, shown)
		}
	})
	for name, want := range map[string]string{"a b": "a b", "日本": "日本", "a\nb": `"a\nb"`, `"`: `"\""`, "\u202e": `"\u202e"`} {
		if got := quoteName(name); got != want {
			t.Errorf("%q is shown as %s", name, got)
		}
	}
}

// Modes travel: an executable stays one, through commit, check and reuse.
func TestModesAreKept(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "echo '#!/bin/sh' >run; chmod 755 run; ln -s run link; chmod 600 main.go")
	got := finish(t, p, tree)
	if out := r.git("ls-tree", got.Tip, "run", "link", "main.go"); !strings.Contains(out, "100755 blob") || !strings.Contains(out, "120000 blob") || strings.Count(out, "100644 blob") != 1 {
		t.Errorf("%s", out)
	}
	check, err := p.Checkout(context.Background(), got.Tip, ProtectSpec{From: r.head(), Paths: []string{"main.go"}})
	must(t, err)
	info, err := os.Stat(filepath.Join(check.Path, "run"))
	must(t, err)
	if info.Mode()&0o111 == 0 {
		t.Errorf("the check's run is %v", info.Mode())
	}
	if target, err := os.Readlink(filepath.Join(check.Path, "link")); err != nil || target != "run" {
		t.Errorf("the check's link is %q, %v", target, err)
	}
}
