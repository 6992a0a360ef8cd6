package messages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/worktree/process"
)

// A kit calls tools without a model.
type kit struct {
	testing.TB
	dir   string
	tools *toolset
}

func newKit(t testing.TB, changes ...func(*Config)) *kit {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Shell: process.Run, Background: process.Start}
	for _, change := range changes {
		change(&c)
	}
	o := harness.Options{Dir: dir, Env: os.Environ(), Tools: []string{"Read", "Write", "Edit", "Bash", "Glob", "Grep", "TodoWrite", "WebFetch", "BashOutput", "KillShell"}}
	tools, err := newToolset(&Harness{c: c}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.shells.close() })
	return &kit{t, dir, tools}
}

// call performs a call as the loop does, without guards.
func (k *kit) call(name string, input any) harness.Result {
	k.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		k.Fatal(err)
	}
	tool, ok := k.tools.find(name)
	if !ok {
		k.Fatalf("no tool '%s'", name)
	}
	r, err := protected(func() (harness.Result, error) { return tool.call(k.Context(), "id", raw) })
	if err != nil {
		return errorResult(err.Error())
	}
	return r
}

type in map[string]any

// good is call where the result must be no error; bad where it must be one.
func (k *kit) good(name string, input in) string {
	k.Helper()
	r := k.call(name, input)
	if r.IsError {
		k.Fatalf("%s %v: %s", name, input, r.Text)
	}
	return r.Text
}

func (k *kit) bad(name string, input in, says string) {
	k.Helper()
	if r := k.call(name, input); !r.IsError || !strings.Contains(r.Text, says) {
		k.Errorf("%s %v: error %v, %q; want %q", name, input, r.IsError, r.Text, says)
	}
}

func (k *kit) file(name, content string) string {
	k.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		k.Fatal(err)
	}
	return path
}

func (k *kit) content(path string) string {
	k.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		k.Fatal(err)
	}
	return string(b)
}

func (k *kit) link(target, name string) string {
	k.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.Symlink(target, path); err != nil {
		k.Skip("symbolic links: ", err)
	}
	return path
}

func TestReadShowsNumberedLines(t *testing.T) {
	k := newKit(t)
	p := k.file("a b.txt", "\uFEFFone\r\ntwo\n\nfour")
	if got := k.good("Read", in{"file_path": p}); got != "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n" {
		t.Errorf("%q", got)
	}
	if got := k.good("Read", in{"file_path": "a b.txt", "offset": 2, "limit": 2}); !strings.HasPrefix(got, "     2\ttwo\n     3\t\n(lines 2 to 3 of 4; go on with offset 4)") {
		t.Errorf("%q", got)
	}
	if got := k.good("Read", in{"file_path": p, "offset": 9}); got != "(the file has only 4 lines)" {
		t.Errorf("%q", got)
	}
	k.file("empty", "")
	if got := k.good("Read", in{"file_path": "empty"}); got != "(the file is empty)" {
		t.Errorf("%q", got)
	}
	k.file("long", strings.Repeat("é", 5000)+"\nnext\n")
	if got := k.good("Read", in{"file_path": "long"}); len(got) > 4200 || !strings.Contains(got, "line cut") || !strings.Contains(got, "next") {
		t.Errorf("%d bytes", len(got))
	}
	k.file("many", strings.Repeat(strings.Repeat("x", 1500)+"\n", 3000))
	if got := k.good("Read", in{"file_path": "many"}); len(got) > readText+5000 || !strings.Contains(got, "go on with offset") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestReadRefusesWhatIsNoText(t *testing.T) {
	k := newKit(t)
	k.file("bin", "ab\x00cd")
	k.bad("Read", in{"file_path": "bin"}, "binary")
	k.bad("Read", in{"file_path": "none"}, "does not exist")
	k.bad("Read", in{"file_path": k.dir}, "directory")
	k.bad("Read", in{"file_path": ""}, "empty")
	k.bad("Read", in{"file_path": "a\x00b"}, "NUL")
	k.bad("Read", in{"file_path": 7}, "does not fit")
	if runtime.GOOS != "windows" {
		k.tools.files.readable = []string{"/dev"}
		k.bad("Read", in{"file_path": "/dev/zero"}, "regular")
	}
}

func TestReadShowsPictures(t *testing.T) {
	k := newKit(t)
	png := string(pictures(t, 20, 10)["image/png"])
	p := k.file("p.txt", png) // the content counts, not the name
	r := k.call("Read", in{"file_path": p})
	if r.IsError || r.Image == nil || r.Image.MediaType != "image/png" || string(r.Image.Data) != png {
		t.Errorf("%+v", r)
	}
	k.file("big.png", png+strings.Repeat("x", maxImage))
	k.bad("Read", in{"file_path": "big.png"}, "at most")
}

func TestWriteNeedsToHaveReadWhatItReplaces(t *testing.T) {
	k := newKit(t)
	p := filepath.Join(k.dir, "deep", "er", "x")
	k.good("Write", in{"file_path": p, "content": "one"})
	k.good("Write", in{"file_path": p, "content": "two"}) // its own file is known
	q := k.file("theirs", "old")
	if err := os.Chmod(q, 0o750); err != nil {
		t.Fatal(err)
	}
	k.bad("Write", in{"file_path": q, "content": "new"}, "Read it first")
	k.good("Read", in{"file_path": q})
	k.file("theirs", "changed")
	k.bad("Write", in{"file_path": q, "content": "new"}, "changed since")
	k.good("Read", in{"file_path": q})
	k.good("Write", in{"file_path": q, "content": "new"})
	if k.content(q) != "new" || k.content(p) != "two" {
		t.Error("wrong contents")
	}
	if i, _ := os.Stat(q); runtime.GOOS != "windows" && i.Mode().Perm() != 0o750 {
		t.Errorf("mode %v", i.Mode())
	}
	k.bad("Write", in{"file_path": "y"}, "content is missing")
	k.bad("Write", in{"file_path": k.dir, "content": "x"}, "directory")
	k.good("Write", in{"file_path": "empty", "content": ""})
	left, _ := filepath.Glob(filepath.Join(k.dir, ".flower-*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestWritesDoNotFollowLinksOut(t *testing.T) {
	k := newKit(t)
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	k.tools.files.readable = []string{outside}
	k.link(victim, "link")
	k.link(outside, "dir")
	k.link(filepath.Join(outside, "nowhere"), "dangling")
	k.good("Read", in{"file_path": "link"})
	k.bad("Write", in{"file_path": "link", "content": "x"}, "leads out")
	k.bad("Edit", in{"file_path": "link", "old_string": "precious", "new_string": "x"}, "leads out")
	k.bad("Write", in{"file_path": "dir/new", "content": "x"}, "leads out")
	k.bad("Write", in{"file_path": "dangling", "content": "x"}, "to nothing")
	if k.content(victim) != "precious" || exists(filepath.Join(outside, "new")) || exists(filepath.Join(outside, "nowhere")) {
		t.Error("something was written outside")
	}
	inner := k.file("real", "a\n")
	l := k.link(inner, "inner")
	k.good("Read", in{"file_path": l})
	k.good("Edit", in{"file_path": l, "old_string": "a", "new_string": "b"})
	if i, _ := os.Lstat(l); k.content(inner) != "b\n" || i.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced instead of its file")
	}
}

func TestEditChangesOnlyWhatItSays(t *testing.T) {
	for _, c := range []struct{ name, before, old, new, after string }{
		{"plain", "a\nb\nc\n", "b", "B", "a\nB\nc\n"},
		{"no final newline", "a\nb", "b", "B", "a\nB"},
		{"dos", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"},
		{"mixed", "a\r\nb\nc\n", "b\nc", "x", "a\r\nx\n"},
		{"mark", "\uFEFFa\n", "a", "b", "\uFEFFb\n"},
		{"dollar", "a", "a", "$1", "$1"},
		{"not utf-8", "\xff a", "a", "b", "\xff b"},
	} {
		k := newKit(t)
		p := k.file("f", c.before)
		k.good("Read", in{"file_path": p})
		k.good("Edit", in{"file_path": p, "old_string": c.old, "new_string": c.new})
		if got := k.content(p); got != c.after {
			t.Errorf("%s: %q, want %q", c.name, got, c.after)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	k := newKit(t)
	p := k.file("f", "one two one\n")
	edit := func(old, new string) in { return in{"file_path": p, "old_string": old, "new_string": new} }
	k.bad("Edit", edit("two", "2"), "Read it first")
	k.good("Read", in{"file_path": p})
	k.bad("Edit", edit("three", "3"), "not in the file")
	k.bad("Edit", edit("one", "1"), "2 times")
	k.bad("Edit", edit("one", "one"), "same")
	k.bad("Edit", edit("", "x"), "empty")
	k.bad("Edit", in{"file_path": p, "old_string": "two"}, "missing")
	k.bad("Edit", in{"file_path": "none", "old_string": "a", "new_string": "b"}, "does not exist")
	k.file("f", "one two\n")
	k.bad("Edit", edit("two", "2"), "changed since")
	k.good("Read", in{"file_path": p})
	k.good("Edit", edit("two", "2"))
	k.good("Edit", in{"file_path": p, "old_string": "o", "new_string": "0", "replace_all": true}) // known without another Read
	if got := k.content(p); got != "0ne 2\n" {
		t.Errorf("%q", got)
	}
}

func TestBash(t *testing.T) {
	k := newKit(t)
	if got := k.good("Bash", in{"command": "echo hi; echo err >&2; pwd"}); got != "hi\nerr\n"+k.dir {
		t.Errorf("%q", got)
	}
	k.good("Bash", in{"command": "cd / && X=1"})
	if got := k.good("Bash", in{"command": "pwd; echo \"[$X]\""}); got != k.dir+"\n[]" {
		t.Errorf("a shell outlived its command: %q", got)
	}
	k.bad("Bash", in{"command": "echo out; exit 3"}, "out\n(exit code 3)")
	k.bad("Bash", in{"command": "sleep 60", "timeout": 50}, "not finished")
	k.bad("Bash", in{"command": " "}, "empty")
	k.bad("Bash", in{"command": "a\x00b"}, "NUL")
	if got := k.good("Bash", in{"command": "yes 0123456789 | head -n 20000"}); len(got) > bashOutput+500 {
		t.Errorf("%d bytes", len(got))
	}
}

// Models write for the shell that the tool is named after.
func TestBashIsBash(t *testing.T) {
	if process.Bash() != "bash" {
		t.Skip("missing bash")
	}
	k := newKit(t)
	k.file("venv", "V=1\n")
	if got := k.good("Bash", in{"command": "source ./venv && [[ $V == 1 ]] && cat <(echo {a,b})"}); got != "a b" {
		t.Errorf("%q", got)
	}
}

func TestBashBoundsItsTimeout(t *testing.T) {
	var limits []time.Duration
	k := newKit(t, func(c *Config) {
		c.Shell = func(_ context.Context, p process.Command) (process.Result, error) {
			limits = append(limits, p.Timeout)
			return process.Result{}, nil
		}
	})
	for _, ms := range []any{nil, 0, -5, 1000, 1e12} {
		k.good("Bash", in{"command": "x", "timeout": ms})
	}
	want := fmt.Sprint([]time.Duration{bashTimeout, bashTimeout, bashTimeout, time.Second, bashMaxTimeout})
	if fmt.Sprint(limits) != want {
		t.Errorf("%v, want %s", limits, want)
	}
	k = newKit(t, func(c *Config) {
		c.Shell = func(context.Context, process.Command) (process.Result, error) {
			return process.Result{}, errors.New("no shell")
		}
	})
	k.bad("Bash", in{"command": "x"}, "no shell")
}

func TestGlob(t *testing.T) {
	k := newKit(t)
	old := k.file("src/a.go", "")
	k.file("src/deep/b.go", "")
	k.file(".git/c.go", "")
	k.file("d.txt", "")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	b := filepath.Join(k.dir, "src/deep/b.go")
	for pattern, want := range map[string]string{
		"*.go": b + "\n" + old + "\n", "**/*.go": b + "\n" + old + "\n", "src/*.go": old + "\n", "./src/*.go": old + "\n",
		k.dir + "/src/**": b + "\n" + old + "\n", "*.{txt,md}": filepath.Join(k.dir, "d.txt") + "\n", "*.rs": "(no files)",
	} {
		if got := k.good("Glob", in{"pattern": pattern}); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	if got := k.good("Glob", in{"pattern": "*.go", "path": "src/deep"}); got != b+"\n" {
		t.Errorf("%q", got)
	}
	k.bad("Glob", in{"pattern": "["}, "no pattern")
	k.bad("Glob", in{"pattern": ""}, "no pattern")
	k.bad("Glob", in{"pattern": "*", "path": "none"}, "does not exist")
	for i := range globFiles + 7 {
		k.file(fmt.Sprintf("many/%d.x", i), "")
	}
	if got := k.good("Glob", in{"pattern": "*.x"}); !strings.Contains(got, "(7 more") {
		t.Errorf("%q", got)
	}
}

func TestGrep(t *testing.T) {
	k := newKit(t)
	a := k.file("a.go", "one\ntwo\nthree\nfour\nfive\nsix\nTwo\n")
	b := k.file("sub/b.txt", "two\r\n")
	k.file("bin", "two\x00")
	k.file(".git/x", "two")
	for _, c := range []struct {
		in   in
		want string
	}{
		{in{"pattern": "two"}, a + "\n" + b + "\n"},
		{in{"pattern": "two", "glob": "*.go"}, a + "\n"},
		{in{"pattern": "two", "glob": "sub/**"}, b + "\n"},
		{in{"pattern": "two", "path": "sub"}, b + "\n"},
		{in{"pattern": "two", "path": "a.go"}, a + "\n"},
		{in{"pattern": "two", "output_mode": "count", "-i": true}, a + ":2\n" + b + ":1\n"},
		{in{"pattern": "two", "output_mode": "content"}, a + ":2:two\n" + b + ":1:two\n"},
		{in{"pattern": "^two$", "output_mode": "content", "-n": false, "path": "a.go"}, a + ":two\n"},
		{in{"pattern": "three", "output_mode": "content", "-C": 1}, a + "-2-two\n" + a + ":3:three\n" + a + "-4-four\n"},
		{in{"pattern": "one|five", "output_mode": "content", "-A": 1, "path": "a.go"}, a + ":1:one\n" + a + "-2-two\n--\n" + a + ":5:five\n" + a + "-6-six\n"},
		{in{"pattern": "two|three", "output_mode": "content", "-B": 1, "path": "a.go"}, a + "-1-one\n" + a + ":2:two\n" + a + ":3:three\n"},
		{in{"pattern": "one.two", "multiline": true, "output_mode": "content", "path": "a.go"}, a + ":1:one\n" + a + ":2:two\n"},
		{in{"pattern": "nothing"}, "(no matches)"},
		{in{"pattern": "o", "output_mode": "content", "head_limit": 1, "path": "a.go"}, a + ":1:one\n(there is more; narrow the search or raise head_limit)\n"},
	} {
		if got := k.good("Grep", c.in); got != c.want {
			t.Errorf("%v:\n%q, want\n%q", c.in, got, c.want)
		}
	}
	k.bad("Grep", in{"pattern": "("}, "not valid")
	k.bad("Grep", in{"pattern": "x", "output_mode": "poem"}, "poem")
	k.bad("Grep", in{"pattern": "x", "path": "none"}, "does not exist")
	k.file("huge", strings.Repeat("needle in hay\n", 20_000))
	if got := k.good("Grep", in{"pattern": "needle", "output_mode": "content", "head_limit": 1_000_000}); len(got) > grepOutput+1000 {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzGrepHits(f *testing.F) {
	f.Add("a|^", "x\n\na\n")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, pattern, data string) {
		s, err := newSearch(grepInput{Pattern: pattern, Mode: "content", After: 1, Before: 1})
		if err != nil {
			return
		}
		last := -1
		hits := s.hits([]byte(data))
		for _, h := range hits {
			if h <= last || h > strings.Count(data, "\n") {
				t.Fatalf("%q in %q: hits %v", pattern, data, hits)
			}
			last = h
		}
		s.lines("f", []byte(data), hits)
	})
}

func TestSearchesStopWhenTold(t *testing.T) {
	k := newKit(t)
	k.file("a", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"Grep", "Glob", "Read"} {
		tool, _ := k.tools.find(name)
		if _, err := tool.call(ctx, "", json.RawMessage(`{"pattern":"x","file_path":"a"}`)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTodos(t *testing.T) {
	k := newKit(t)
	got := k.good("TodoWrite", in{"todos": []in{{"content": "a", "status": "completed"}, {"content": "b", "status": "pending", "activeForm": "doing b"}}})
	if !strings.Contains(got, "1 of 2 open") {
		t.Errorf("%q", got)
	}
	k.good("TodoWrite", in{"todos": []in{}})
	k.bad("TodoWrite", in{"todos": []in{{"content": "a", "status": "someday"}}}, "someday")
}
