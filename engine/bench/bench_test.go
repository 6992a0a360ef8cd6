package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func benchIn(t *testing.T, files map[string]string) *Bench {
	t.Helper()
	b := New(t.TempDir())
	put(t, b.dir, files)
	return b
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func shown(t *testing.T, b *Bench) string {
	t.Helper()
	files, err := b.Refresh()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range files {
		lines = append(lines, f.entry(""))
	}
	return strings.Join(lines, "\n")
}

func TestSelfDescription(t *testing.T) {
	for text, want := range map[string]string{
		"#!/bin/sh\n# desc: audits it\n":          "audits it",
		"// desc: audits it":                      "audits it",
		"-- DESC： audits it":                      "audits it",
		"# one\n# two\n# desc: three":             "three",
		"#!/bin/sh\n\n# counts lines\necho":       "counts lines",
		"# ab\n# counts lines":                    "counts lines",
		"\"\"\"Counts lines.\"\"\"\nimport os":    "Counts lines.",
		"# Notes on the parser\n\ntext":           "Notes on the parser",
		"<!-- kept apart -->\n":                   "kept apart",
		"echo hello\n":                            "",
		"\n\n\n\n\n\n\n\n# desc: too late":        "",
		"# desc: " + strings.Repeat("x", 300):     strings.Repeat("x", 97) + "...",
		"# desc: a\x1b[2Jb\u202ec\u2028d\xffe\tf": "a[2Jbcde f",
		"# desc:": "",
	} {
		if got := selfDescription(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTheBenchIsIndexed(t *testing.T) {
	b := benchIn(t, map[string]string{
		"scripts/a.sh": "# desc: audits", "scripts/deep/b.sh": "echo", "artifacts/log": "text", "notes/x.md": "# Why\n",
		"scripts/.hidden": "# desc: no", "spill/0123456789abcdef.txt": "no", "other/x": "no", "top": "no",
	})
	want := "`artifacts/log` — (no description) (4 B)\n`notes/x.md` — (no description) (6 B)\n`scripts/a.sh` — audits (14 B)\n`scripts/deep/b.sh` — (no description) (4 B)"
	if got := shown(t, b); got != want {
		t.Errorf("%s", got)
	}
	index, err := os.ReadFile(b.dir + "/INDEX.md")
	if err != nil || !strings.Contains(string(index), "## scripts (2)") || !strings.Contains(string(index), "audits") {
		t.Errorf("%v\n%s", err, index)
	}
	put(t, b.dir, map[string]string{"scripts/a.sh": "# desc: audits anew"})
	if err := os.Remove(b.dir + "/artifacts/log"); err != nil {
		t.Fatal(err)
	}
	shown(t, b)
	index, err = os.ReadFile(b.dir + "/INDEX.md")
	if err != nil || !strings.Contains(string(index), "audits anew") || !strings.Contains(string(index), "## artifacts (0)\n\n- (empty)") {
		t.Errorf("%v\n%s", err, index)
	}
}

// What workers put on the bench harms nobody who looks at it.
func TestAHostileBench(t *testing.T) {
	b := benchIn(t, map[string]string{
		"scripts/a\nb": "# desc: x", "scripts/`rm`": "# desc: x", "scripts/\x1b[2J": "# desc: x", "scripts/\u202eabc": "# desc: x",
		"scripts/bin": "# desc: x\x00", "scripts/fine": "# desc: fine\n" + strings.Repeat("x", 1<<20), "notes/1/2/3/4/5/deep": "x",
	})
	outside := t.TempDir()
	put(t, outside, map[string]string{"secret": "# desc: secret", "INDEX.md": "precious"})
	for name, to := range map[string]string{"scripts/link": outside + "/secret", "artifacts": outside, "scripts/dir": outside, "INDEX.md": outside + "/INDEX.md"} {
		if err := os.Symlink(to, filepath.Join(b.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * shelfFiles {
		put(t, b.dir, map[string]string{fmt.Sprintf("notes/%04d", i): ""})
	}
	got := shown(t, b)
	for _, never := range []string{"secret", "link", "dir/", "rm", "\x1b", "\u202e", "a\nb", "deep"} {
		if strings.Contains(got, never) {
			t.Errorf("%q is shown", never)
		}
	}
	if !strings.Contains(got, "fine") || !strings.Contains(got, "`scripts/bin` — (no description)") || strings.Count(got, "\n") > shelfFiles+10 {
		t.Errorf("%.500s", got)
	}
	if data, err := os.ReadFile(outside + "/INDEX.md"); err != nil || string(data) != "precious" {
		t.Errorf("outside: %v %s", err, data)
	}
	files, _ := b.Refresh()
	block := b.Opening(files)
	if n := strings.Count(block, "\n"); n > 3*toldFirst || !strings.Contains(block, "460 more") {
		t.Errorf("%d lines: %s", n, block)
	}
	if line := b.Announcement(files); strings.Contains(line, "\n") || !strings.Contains(line, "more, see") {
		t.Errorf("%s", line)
	}
}

func TestSpillKeepsTheWhole(t *testing.T) {
	b := benchIn(t, nil)
	text := strings.Repeat("ü\xff\n", 3000)
	first, err := b.Spill(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Spill(text)
	if err != nil || again != first {
		t.Errorf("%v %s %s", err, first, again)
	}
	if data, err := os.ReadFile(first); err != nil || string(data) != text {
		t.Errorf("%v, %d bytes", err, len(data))
	}
	if left, _ := os.ReadDir(b.dir + "/spill"); len(left) != 1 || len(left[0].Name()) != len("0123456789abcdef.txt") {
		t.Errorf("%v", left)
	}
}

// A worker may put anything in the place of a spilled file.
func TestSpillTrustsNoFile(t *testing.T) {
	text := strings.Repeat("x", 5000)
	outside := t.TempDir()
	put(t, outside, map[string]string{"victim": strings.Repeat("y", 5000)})
	for name, plant := range map[string]func(path string) error{
		"other content": func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("y", 5000)), 0o644) },
		"cut":           func(path string) error { return os.WriteFile(path, []byte("x"), 0o644) },
		"link":          func(path string) error { return os.Symlink(outside+"/victim", path) },
	} {
		b := benchIn(t, map[string]string{"spill/other": ""})
		if err := plant(filepath.Join(b.dir, "spill", spillName(text))); err != nil {
			t.Fatal(err)
		}
		file, err := b.Spill(text)
		if err != nil {
			t.Fatal(name, err)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != text {
			t.Errorf("%s: %v, %.20s", name, err, data)
		}
	}
	b := benchIn(t, nil)
	if err := os.Symlink(outside, b.dir+"/spill"); err != nil {
		t.Fatal(err)
	}
	if file, err := b.Spill(text); err == nil {
		t.Errorf("spilled to %s", file)
	}
	if data, _ := os.ReadFile(outside + "/victim"); string(data) != strings.Repeat("y", 5000) {
		t.Error("outside was written")
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("%v", left)
	}
}
