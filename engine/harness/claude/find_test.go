package claude

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for said, want := range map[string]Version{
		"2.1.332 (Claude Code)\n": {2, 1, 332}, "10.0.0 (Claude Code)": {10, 0, 0}, "2.1.332 (Claude Code)\nA newer one is there.\n": {2, 1, 332},
	} {
		if got, err := parseVersion(said); err != nil || got != want {
			t.Errorf("%q: %v, %v", said, got, err)
		}
	}
	for _, said := range []string{"", "2.1.332", "2.1 (Claude Code)", "2.1.332.1 (Claude Code)", "v2.1.332 (Claude Code)", "2.1.-1 (Claude Code)",
		"2.1.99999999999 (Claude Code)", "2.1.332-beta (Claude Code)", "\n2.1.332 (Claude Code)", "claude 2.1.332 (Claude Code)", "2.1.332 (Something Else)"} {
		if got, err := parseVersion(said); err == nil {
			t.Errorf("%q is taken for %v", said, got)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("2.1.332 (Claude Code)\n")
	f.Add("2.1.332\n\x1b[2J")
	f.Fuzz(func(t *testing.T, said string) {
		v, err := parseVersion(said)
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("the error holds what is no text: %q", err)
		}
		if again, _ := parseVersion(v.String() + " (Claude Code)"); err == nil && again != v {
			t.Errorf("%q: %v, then %v", said, v, again)
		}
	})
}

func TestVersionsAreOrdered(t *testing.T) {
	ordered := []Version{{1, 9, 9}, {2, 0, 400}, {2, 1, 9}, {2, 1, 331}, {2, 1, 332}, {2, 2, 0}, {10, 0, 0}}
	for i, v := range ordered {
		for j, w := range ordered {
			if v.Before(w) != (i < j) {
				t.Errorf("%v before %v: %v", v, w, v.Before(w))
			}
		}
	}
}

// scriptCLI is a program that says of itself what a shell script says.
func scriptCLI(t *testing.T, dir, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell scripts here")
	}
	path := filepath.Join(dir, "claude")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	path := scriptCLI(t, dir, `test "$1" = --version && echo "2.1.900 (Claude Code)"`)
	for _, named := range []string{"", path} {
		if c, err := Find(t.Context(), named); err != nil || c != (CLI{path, Version{2, 1, 900}}) {
			t.Errorf("Find(%q): %+v, %v", named, c, err)
		}
	}
	scriptCLI(t, dir, `echo "2.1.331 (Claude Code)"`)
	if c, err := Find(t.Context(), ""); !errors.Is(err, ErrOldCLI) || c.Version.Patch != 331 {
		t.Errorf("an old one: %+v, %v", c, err)
	}
	scriptCLI(t, dir, `echo "command not found"`)
	if _, err := Find(t.Context(), ""); err == nil || errors.Is(err, ErrOldCLI) || errors.Is(err, ErrNoCLI) {
		t.Errorf("something else: %v", err)
	}
	if _, err := Find(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, ErrNoCLI) {
		t.Errorf("none: %v", err)
	}
	if _, err := Find(t.Context(), "claude"); !errors.Is(err, ErrNoCLI) {
		t.Errorf("a name without a path: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(t.Context(), ""); !errors.Is(err, ErrNoCLI) {
		t.Errorf("none on the PATH: %v", err)
	}
}

// What the model's key is called is none of the CLI's business when it is asked
// for its version.
func TestFindHandsNoKeyOn(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
	path := scriptCLI(t, t.TempDir(), `test -z "$ANTHROPIC_API_KEY" && echo "2.1.900 (Claude Code)"`)
	if _, err := Find(t.Context(), path); err != nil {
		t.Error(err)
	}
}

func TestFindTheRealOne(t *testing.T) {
	path := realCLI(t)
	if c, err := Find(t.Context(), path); err != nil || c.Version.Before(Oldest) {
		t.Errorf("%+v, %v", c, err)
	}
}

// The fence shows the CLI under the name it is started by, and never the home
// directory with it.
func TestProgramPlaces(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, lib := filepath.Join(root, "u", "home"), filepath.Join(root, "u", "home", "lib")
	if err := os.MkdirAll(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{lib, home, filepath.Dir(home), root} {
		scriptCLI(t, dir, "")
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(lib, "claude"), link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		link: lib, filepath.Join(lib, "claude"): lib,
		filepath.Join(home, "claude"): filepath.Join(home, "claude"), filepath.Join(root, "u", "claude"): filepath.Join(root, "u", "claude"),
	} {
		if got := programPlaces(path, home); !slices.Equal(got, []string{path, want}) {
			t.Errorf("%s is seen with %v", path, got)
		}
	}
	if got := programPlaces(filepath.Join(root, "none"), home); len(got) != 1 {
		t.Errorf("none: %v", got)
	}
	if got := programPlaces(link, ""); got[1] != lib {
		t.Errorf("without a home: %v", got)
	}
}
