package fence

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// asIs takes every path for one without links.
func asIs(path string) (string, error) { return filepath.Clean(path), nil }

func example() Policy {
	return Policy{
		Means: Means{Seatbelt: true},
		Write: []string{"/Users/ada/.local/state/git-flower/1/tree/1/tree", `/Users/ada/a "b"`},
		Read:  []string{"/Users/ada/.gitconfig"}, Hide: []string{"/Users/ada"}, Home: "/Users/ada",
		Temp: "/Users/ada/.local/state/git-flower/1/tree/1/temp", Ports: []uint16{443},
	}
}

const goldenProfile = `(version 1)
(allow default)
(deny file-write*)
(deny signal)
(allow signal (target same-sandbox))
(deny mach-lookup (global-name "com.apple.securityd") (global-name "com.apple.SecurityServer"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$") (regex #"^/dev/fd/"))
(deny file-read-data file-write* (subpath "/Users/ada"))
(allow file-read-metadata (subpath "/Users/ada"))
(deny network-outbound (subpath "/Users/ada"))
(allow file-read* (subpath "/Users/ada/.gitconfig"))
(deny file-write* (subpath "/Users/ada/.gitconfig"))
(allow file-read* file-write* network-outbound (subpath "/Users/ada/.local/state/git-flower/1/tree/1/temp"))
(allow file-read* file-write* network-outbound (subpath "/Users/ada/.local/state/git-flower/1/tree/1/tree"))
(allow file-read* file-write* network-outbound (subpath "/Users/ada/a \"b\""))
(deny network-outbound (remote tcp))
(allow network-outbound (remote tcp "*:443"))
`

// The profile has been tried on no Mac.
func TestSeatbeltProfile(t *testing.T) {
	if got := example().seatbelt(asIs); got != goldenProfile {
		t.Errorf("%s", got)
	}
}

// The longest path decides, so each rule stands after those it lies in, and no
// path has two.
func TestRulesAreInOrder(t *testing.T) {
	path := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a-b", "a.b", "b"}), 1, 4).Draw(t, "parts"), "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(path, 0, 6)
		p := Policy{Write: paths.Draw(t, "write"), Read: paths.Draw(t, "read"), Hide: paths.Draw(t, "hide")}
		all := p.rules(asIs)
		for i, r := range all {
			for _, later := range all[i+1:] {
				if below(r.Real, later.Real) {
					t.Fatalf("%s stands before %s", r.Real, later.Real)
				}
			}
			if slices.Contains(p.Write, r.Real) && r.Kind != writable {
				t.Fatalf("%s is no longer writable", r.Real)
			}
		}
	})
}

func TestMissingPathsAreLeftOut(t *testing.T) {
	p := Policy{Write: []string{"/there", "/missing"}, Hide: []string{"/"}}
	got := p.rules(func(path string) (string, error) {
		if path == "/missing" {
			return "", errors.New("no such file")
		}
		return path, nil
	})
	if len(got) != 1 || got[0].Real != "/there" {
		t.Errorf("%+v", got)
	}
}

func TestReadOnlyWritesNothingButTemp(t *testing.T) {
	for _, r := range example().ReadOnly().rules(asIs) {
		if r.Kind == writable && r.Real != example().Temp {
			t.Errorf("%s may be changed", r.Real)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, l := range []Level{Auto, Require, Off} {
		if got, err := ParseLevel(l.String()); err != nil || got != l {
			t.Errorf("%v: %v, %v", l, got, err)
		}
	}
	if _, err := ParseLevel("on"); err == nil {
		t.Error("'on' is a level")
	}
}

func TestHomeHoldsNoKeys(t *testing.T) {
	home := t.TempDir()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": home, "PATH": home + ":" + home + "/bin:" + home + "/x/bin:/usr/bin:" + home + "/.cargo/bin:" + home + "/.docker/bin:relative"}[name]
		return v, ok
	}
	p := ForUser(Means{Landlock: 1}, env)
	if p.Home != home || !slices.Contains(p.Hide, home) {
		t.Errorf("home is not hidden: %+v", p)
	}
	for _, name := range []string{".ssh", ".aws", ".gnupg", ".netrc", ".git-credentials", ".npmrc", ".config/gh", ".docker", ".kube", ".cargo/credentials.toml", ".config/git-flower/.env", ".claude", ".bash_history", ".local/share/keyrings", ".local/share/uv/credentials", ".gem/credentials", ".docker/config.json"} {
		for _, seen := range p.Read {
			if below(filepath.Join(home, name), seen) {
				t.Errorf("%s is seen by %s", name, seen)
			}
		}
	}
	for _, want := range []string{home + "/bin", home + "/x", home + "/.cargo/bin", home + "/.gitconfig"} {
		if !slices.Contains(p.Read, want) {
			t.Errorf("%s is not seen", want)
		}
	}
	if p := ForUser(Means{Landlock: 1}, func(string) (string, bool) { return "", false }); p.Home != "" || len(p.Hide) > 0 {
		t.Errorf("without a home: %+v", p)
	}
}

func TestGoTakesModulesFromTheUser(t *testing.T) {
	home := t.TempDir()
	env := func(name string) (string, bool) {
		if name == "HOME" {
			return home, true
		}
		return "", false
	}
	if got := goProxy(env); got != "" {
		t.Errorf("from nowhere: %s", got)
	}
	downloads := filepath.Join(home, "go", "pkg", "mod", "cache", "download")
	for path, text := range map[string]string{filepath.Join(downloads, "x"): "", filepath.Join(home, ".config", "go", "env"): "GOFLAGS=-x\nGOPROXY=https://p.example\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := goProxy(env), "file://"+filepath.ToSlash(downloads)+",https://p.example"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWhatNothingHoldsIsSaid(t *testing.T) {
	for _, m := range []Means{{}, {Landlock: 7}, {Namespaces: true}, {Landlock: 7, Namespaces: true}} {
		for _, h := range m.Holds() {
			if h.Need == "" || !m.Any() && h.By != "" {
				t.Errorf("%+v: %+v", m, h)
			}
		}
	}
	open := 0
	for _, h := range (Means{Seatbelt: true}).Holds() {
		if h.By == "" {
			open++
		}
	}
	if words := (Means{Seatbelt: true}).Words(); open == 0 || !strings.Contains(words, "never tried") {
		t.Errorf("of sandbox-exec %d things are told that it does not hold, in one line %q", open, words)
	}
}
