package worktree

import (
	"slices"
	"strings"
	"testing"
)

func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	sh(t, dir, `mkdir -p .git/x a/.git b/c/.GIT skipped/.git d/e; echo f >.git/f; echo f >a/f; : >d/.git; mkfifo d/pipe d/e/pipe; ln -s / d/root; ln -s .git d/link; echo f >skipped/f; mkfifo skipped/pipe`)
	got, err := survey(dir, []string{"a/f", "skipped"})
	must(t, err)
	if !slices.Equal(got.nested, []string{"a/.git", "b/c/.GIT", "d/.git"}) {
		t.Errorf("nested %q", got.nested)
	}
	if !slices.Equal(got.odd, []string{"d/e/pipe", "d/pipe"}) {
		t.Errorf("odd %q", got.odd)
	}
	if _, err := survey(dir+"/missing", nil); err == nil {
		t.Error("surveyed what is not there")
	}
}

func TestConflictMarkers(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	tests := []struct {
		text string
		want bool
	}{
		{"", false},
		{"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", true},
		{"x\n<<<<<<< ours\na\n||||||| base\nc\n=======\nb\n>>>>>>> theirs\nx", true},
		{"<<<<<<< ours\r\na\r\n=======\r\nb\r\n>>>>>>> theirs\r\n", true},
		{long + "\n<<<<<<< ours\n" + long + "\n=======\n" + long + "\n>>>>>>> theirs", true},
		{long + "<<<<<<< ours\n" + long + "=======\n" + long + ">>>>>>> theirs", false},
		{"Title\n=======\ntext\n", false},
		{"<<<<<<< ours\n=======\n", false},
		{">>>>>>> theirs\n=======\n<<<<<<< ours\n", false},
		{" <<<<<<< ours\n =======\n >>>>>>> theirs\n", false},
		{"\x00\x01<<<<<<< \n", false},
	}
	for _, tt := range tests {
		if got := hasMarkers(strings.NewReader(tt.text)); got != tt.want {
			t.Errorf("%.60q: %v", tt.text, got)
		}
	}
}

func TestCachesAreKnownByName(t *testing.T) {
	for _, name := range []string{"node_modules/", "a/b/node_modules/", "x.pyc", "a/__pycache__/", "target/", ".venv/"} {
		if !isCache(name) {
			t.Errorf("%s is none", name)
		}
	}
	for _, name := range []string{"node_modules.txt", "my_node_modules/", "target.secret", ".env", "big (20000000 bytes)", "node_modules/ (cannot be read)", "x.pyc (12 bytes)", "a/.git/", ""} {
		if isCache(name) {
			t.Errorf("%s is one", name)
		}
	}
}

func TestRefusedNames(t *testing.T) {
	for _, name := range []string{".GIT/x", "a/git~1/x", ".gitmodules", "a/.git /x", ".g\u200cit/x", "GIT~2"} {
		if !refused(name) {
			t.Errorf("%q passes", name)
		}
	}
	for _, name := range []string{"a", "git/x", "a.git", "x/.env", "日本", "digit~1"} {
		if refused(name) {
			t.Errorf("%q does not pass", name)
		}
	}
}

func TestDirtyPaths(t *testing.T) {
	tests := map[string][]string{
		"":                             nil,
		" M a\x00":                     {"a"},
		"R  new\x00old\x00 D gone\x00": {"new", "gone"},
		"C  a\nb\x00c\x00":             {"a\nb"},
		"?? -x\x00A   blank\x00":       {"-x", " blank"},
		"junk\x00":                     {"k"},
		"M\x00":                        nil,
		"R  alone\x00":                 {"alone"},
	}
	for out, want := range tests {
		if got := dirtyPaths(splitZ([]byte(out))); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

func TestErrorsNameAFewPaths(t *testing.T) {
	many := strings.Split("a b c d e f g", " ")
	if got := (&DirtyError{Paths: many}).Error(); !strings.Contains(got, "'e' and 2 more") || strings.Contains(got, "'f'") {
		t.Error(got)
	}
	if got := (&ConflictError{Paths: []string{"a\nb\x1b[31m"}}).Error(); strings.ContainsAny(got, "\n\x1b") {
		t.Errorf("%q", got)
	}
}

func FuzzNextObject(f *testing.F) {
	f.Add([]byte("x blob 3\nabc\ny blob 0\n\n"))
	f.Add([]byte("x missing\n"))
	f.Add([]byte("x blob 99999999999999999999\n"))
	f.Add([]byte("x blob -1\n\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for range 10 {
			text, rest, err := nextObject(out, nil)
			if err != nil {
				return
			}
			if len(text)+len(rest) >= len(out) {
				t.Fatalf("%d and %d of %d bytes", len(text), len(rest), len(out))
			}
			out = rest
		}
	})
}
