package gitcmd

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestParseVersion(t *testing.T) {
	tests := map[string]Version{
		"git version 2.39.5":                 {2, 39, 5},
		"git version 2.39.5 (Apple Git-154)": {2, 39, 5},
		"git version 2.47.1.windows.2":       {2, 47, 1},
		"git version 2.54.0-rc1":             {2, 54, 0},
		"git version 2.54.0.rc1.12.gabcdef":  {2, 54, 0},
		"git version 2.43.GIT":               {2, 43, 0},
		"git version 2.43":                   {2, 43, 0},
		"git version 3.0.0":                  {3, 0, 0},
		"git version 2.34.1-dirty":           {2, 34, 1},
		"git version 2.39.5\r":               {2, 39, 5},
	}
	for said, want := range tests {
		if got, err := ParseVersion(said); err != nil || got != want {
			t.Errorf("%q: %v, %v", said, got, err)
		}
	}
	for _, said := range []string{
		"", "git", "git version", "git version ", "git version x.y", "git version -2.3", "git version 2.x", "git version 2", "hub version 2.39.5",
		"git version 2.99999999999999999999", " git version 2.39.5",
	} {
		if got, err := ParseVersion(said); err == nil {
			t.Errorf("%q: %v", said, got)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("git version 2.39.5")
	f.Add("git version 2.x")
	f.Fuzz(func(t *testing.T, said string) {
		v, err := ParseVersion(said)
		if err != nil {
			return
		}
		if v.Major < 0 || v.Minor < 0 || v.Patch < 0 {
			t.Errorf("%q: %v", said, v)
		}
		if again, err := ParseVersion("git version " + v.String()); err != nil || again != v {
			t.Errorf("%q: %v reads back as %v, %v", said, v, again, err)
		}
	})
}

func TestAtLeast(t *testing.T) {
	for _, test := range []struct {
		version      Version
		major, minor int
		want         bool
	}{
		{Version{2, 38, 0}, 2, 38, true}, {Version{2, 38, 9}, 2, 39, false}, {Version{3, 0, 0}, 2, 99, true}, {Version{1, 99, 0}, 2, 0, false},
	} {
		if got := test.version.AtLeast(test.major, test.minor); got != test.want {
			t.Errorf("%v at least %d.%d: %v", test.version, test.major, test.minor, got)
		}
	}
}

func TestCheckVersion(t *testing.T) {
	scrub(t)
	dir := t.TempDir()
	v, err := New(dir).CheckVersion(t.Context())
	if err != nil || !v.AtLeast(Oldest.Major, Oldest.Minor) {
		t.Errorf("this git: %v, %v", v, err)
	}
	if _, err := New(dir).CheckVersion(cancelled()); err == nil || errors.Is(err, ErrNoGit) {
		t.Errorf("a cancelled question: %v", err)
	}
	if _, err := New(filepath.Join(dir, "gone")).CheckVersion(t.Context()); err == nil || errors.Is(err, ErrNoGit) {
		t.Errorf("a missing directory: %v", err)
	}
	t.Setenv("PATH", dir)
	if _, err := New(dir).CheckVersion(t.Context()); !errors.Is(err, ErrNoGit) {
		t.Errorf("no git: %v", err)
	}
}
