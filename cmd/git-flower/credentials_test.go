package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A wardrobe is a home with credentials hung in chosen places.
type wardrobe struct {
	t         *testing.T
	home, dir string
	env       map[string]string
	tracked   bool
	unknown   error // of tracked
	warnings  []string
}

func newWardrobe(t *testing.T) *wardrobe {
	return &wardrobe{t: t, home: t.TempDir(), dir: t.TempDir(), env: map[string]string{}}
}

func (w *wardrobe) put(file, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wardrobe) find() (Credentials, error) {
	w.warnings = nil
	return FindCredentials(w.t.Context(), credentialSearch{
		lookup:  func(k string) (string, bool) { v, ok := w.env[k]; return v, ok },
		dir:     w.dir,
		home:    w.home,
		tracked: func(context.Context, string) (bool, error) { return w.tracked, w.unknown },
		warn:    func(text string) { w.warnings = append(w.warnings, text) },
		now:     func() time.Time { return noon },
	})
}

// fill puts a set into the place with that number, with the place in every value.
func (w *wardrobe) fill(place int) (source string) {
	set := fmt.Sprintf("ANTHROPIC_API_KEY=key-%d\nANTHROPIC_BASE_URL=https://h%d.example\nANTHROPIC_MODEL=model-%d\n", place, place, place)
	files := []string{"", filepath.Join(w.dir, "named"), filepath.Join(w.dir, ".env"),
		filepath.Join(w.home, ".config/git-flower/.env"), filepath.Join(w.home, ".config/flower/.env"),
		filepath.Join(w.home, ".claude/settings.json")}
	switch place {
	case 0:
		for line := range strings.SplitSeq(strings.TrimSpace(set), "\n") {
			key, value, _ := strings.Cut(line, "=")
			w.env[key] = value
		}
		return "the environment"
	case 1:
		w.env["FLOWER_ENV"] = files[1]
	case 5:
		set = `{"env": {"ANTHROPIC_API_KEY": "key-5", "ANTHROPIC_BASE_URL": "https://h5.example", "ANTHROPIC_MODEL": "model-5", "PATH": "/evil"}}`
	}
	w.put(files[place], set)
	return files[place]
}

// Every combination of filled places: the first one serves, whole.
func TestCredentialsComeFromTheFirstPlace(t *testing.T) {
	const places = 6
	for mask := 1; mask < 1<<places; mask++ {
		w := newWardrobe(t)
		first, source := -1, ""
		for place := range places {
			if mask&(1<<place) == 0 {
				continue
			}
			if at := w.fill(place); first < 0 {
				first, source = place, at
			}
		}
		c, err := w.find()
		want := Credentials{APIKey: fmt.Sprintf("key-%d", first), BaseURL: fmt.Sprintf("https://h%d.example", first),
			Model: fmt.Sprintf("model-%d", first), Source: source}
		if err != nil || c != want || len(w.warnings) > 0 {
			t.Errorf("places %06b: %#v, %v, %q; want %#v", mask, c, err, w.warnings, want)
		}
	}
}

// An address or model in a place without a key never meets another place's key.
func TestKeyAndAddressNeverMix(t *testing.T) {
	w := newWardrobe(t)
	w.env["ANTHROPIC_BASE_URL"] = "https://elsewhere.example"
	w.put(filepath.Join(w.dir, ".env"), "ANTHROPIC_MODEL=strange\n")
	w.put(filepath.Join(w.home, ".config/git-flower/.env"), "ANTHROPIC_AUTH_TOKEN=token\n")
	c, err := w.find()
	if err != nil || c.BaseURL != "" || c.Model != "" || c.AuthToken != "token" {
		t.Errorf("%#v, %v", c, err)
	}
	if len(w.warnings) != 2 || !strings.Contains(w.warnings[0], "ANTHROPIC_BASE_URL in the environment") {
		t.Errorf("warnings %q", w.warnings)
	}
}

func TestEmptyIsAbsent(t *testing.T) {
	w := newWardrobe(t)
	w.env["ANTHROPIC_API_KEY"] = ""
	w.put(filepath.Join(w.dir, ".env"), "ANTHROPIC_API_KEY=\nANTHROPIC_AUTH_TOKEN=\"\" # none\n")
	w.fill(4)
	if c, err := w.find(); err != nil || c.APIKey != "key-4" {
		t.Errorf("%#v, %v", c, err)
	}
}

func TestEnvFileOfTheDirectoryMustBeTheUsersOwn(t *testing.T) {
	for name, change := range map[string]func(*wardrobe){
		"tracked":        func(w *wardrobe) { w.tracked = true },
		"cannot be told": func(w *wardrobe) { w.unknown = errors.New("git is not on PATH") },
	} {
		w := newWardrobe(t)
		w.fill(2)
		w.fill(4)
		change(w)
		c, err := w.find()
		if err != nil || c.APIKey != "key-4" || c.BaseURL != "https://h4.example" {
			t.Errorf("%s: %#v, %v", name, c, err)
		}
		if len(w.warnings) != 1 || !strings.Contains(w.warnings[0], ".env: ignored") {
			t.Errorf("%s: warnings %q", name, w.warnings)
		}
	}
}

func TestEnvFileOfAnotherUser(t *testing.T) {
	w := newWardrobe(t)
	w.fill(2)
	file := filepath.Join(w.dir, ".env")
	if err := os.Chown(file, 12345, -1); err != nil {
		t.Skip("needs the right to give files away:", err)
	}
	if c, err := w.find(); err == nil || len(w.warnings) != 1 || !strings.Contains(err.Error(), "another user") {
		t.Errorf("%#v, %v, %q", c, err, w.warnings)
	}
}

func TestConfigHomeIsHonoured(t *testing.T) {
	w := newWardrobe(t)
	w.fill(3)
	w.env["XDG_CONFIG_HOME"] = filepath.Join(w.home, "elsewhere")
	w.put(filepath.Join(w.home, "elsewhere/flower/.env"), "ANTHROPIC_API_KEY=there\n")
	if c, err := w.find(); err != nil || c.APIKey != "there" {
		t.Errorf("%#v, %v", c, err)
	}
	w.env["XDG_CONFIG_HOME"] = "relative"
	if c, err := w.find(); err != nil || c.APIKey != "key-3" {
		t.Errorf("relative: %#v, %v", c, err)
	}
}

func TestMissingCredentialsNameEveryPlace(t *testing.T) {
	w := newWardrobe(t)
	w.put(filepath.Join(w.home, ".claude/settings.json"), `{"env": {}}`)
	w.put(filepath.Join(w.dir, ".env"), "ANTHROPIC_API_KEY=key\n")
	w.tracked = true
	_, err := w.find()
	var e *endError
	if !errors.As(err, &e) || e.ending != endFatal {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"the environment: ", "FLOWER_ENV is not set", filepath.Join(w.dir, ".env") + ": ignored: git tracks it",
		filepath.Join(w.home, ".config/git-flower/.env") + ": no such file", filepath.Join(w.home, ".config/flower/.env"),
		filepath.Join(w.home, ".claude/settings.json") + ": no key and no token"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	for _, want := range []string{"ANTHROPIC_API_KEY=", "ANTHROPIC_BASE_URL=", "--rehearse"} {
		if !strings.Contains(e.hint, want) {
			t.Errorf("%q is not in the hint\n%s", want, e.hint)
		}
	}
	entries, readErr := os.ReadDir(w.home)
	if readErr != nil || len(entries) != 1 {
		t.Errorf("something was written: %v, %v", entries, readErr)
	}
}

func TestOddPlaces(t *testing.T) {
	w := newWardrobe(t)
	if err := os.MkdirAll(filepath.Join(w.dir, ".env"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.put(filepath.Join(w.home, ".claude/settings.json"), "no json")
	w.put(filepath.Join(w.home, ".config/flower/.env"), strings.Repeat("#", maxCredentialFile+1))
	w.put(filepath.Join(w.home, ".config/git-flower/.env"), "ANTHROPIC_API_KEY\n")
	w.env["FLOWER_ENV"] = "nowhere"
	if _, err := w.find(); err == nil {
		t.Fatal("found something")
	}
	if len(w.warnings) != 2 || !strings.Contains(w.warnings[0], "git-flower/.env:1: ") {
		t.Errorf("warnings %q", w.warnings)
	}
	w.home = ""
	if _, err := w.find(); err == nil || !strings.Contains(err.Error(), "no home directory") {
		t.Errorf("without a home: %v", err)
	}
}

func TestWrongCredentials(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_BASE_URL":   "ftp://host",
		"ANTHROPIC_BASE_URL ":  "gateway.example",
		"ANTHROPIC_BASE_URL  ": "https://user:verysecret@host/?x=%zz",
		"ANTHROPIC_MODEL":      "a\nb",
	} {
		w := newWardrobe(t)
		w.env["ANTHROPIC_API_KEY"] = "key"
		w.env[strings.TrimSpace(name)] = value
		if _, err := w.find(); err == nil || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%s=%q: %v", name, value, err)
		}
	}
}

func TestKeyWinsOverToken(t *testing.T) {
	w := newWardrobe(t)
	w.env["ANTHROPIC_API_KEY"], w.env["ANTHROPIC_AUTH_TOKEN"] = "key", "token"
	if c, err := w.find(); err != nil || c.APIKey != "key" || c.AuthToken != "" || len(w.warnings) != 1 {
		t.Errorf("%#v, %v, %q", c, err, w.warnings)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	c := Credentials{APIKey: "sk-ant-0123456789", BaseURL: "https://user:pass@host.example/x", Source: "here"}
	for _, shown := range []string{c.String(), fmt.Sprint(c), fmt.Sprintf("%v %+v %s %#v", c, c, c, c)} {
		if strings.Contains(shown, "0123") || strings.Contains(shown, "user:pass") || !strings.Contains(shown, "sk-a… (17 characters)") {
			t.Errorf("shown as %q", shown)
		}
	}
	if got := masked("short"); strings.Contains(got, "short") {
		t.Errorf("a short secret is shown: %q", got)
	}
}

func TestTrackedFilesAreToldByGit(t *testing.T) {
	d := newDesk(t)
	tracked := func() bool {
		t.Helper()
		is, err := d.env.tracked(t.Context(), ".env")
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if tracked() {
		t.Error("tracked outside of a repository")
	}
	d.repository()
	d.write(".env", "ANTHROPIC_API_KEY=key\n")
	if tracked() {
		t.Error("tracked before it is added")
	}
	d.git("add", ".env")
	if !tracked() {
		t.Error("not tracked after it was added")
	}
	d.git("rm", "-q", "--cached", ".env")
	d.write(".ENV", "")
	d.git("add", ".ENV")
	if !tracked() {
		t.Error("another spelling is another file")
	}
}

func TestCredentialsOfTheEnvironment(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.write(".env", "ANTHROPIC_AUTH_TOKEN=from-the-file\n")
	if c, err := d.env.findCredentials(t.Context()); err != nil || c.AuthToken != "from-the-file" {
		t.Errorf("%#v, %v", c, err)
	}
	d.git("add", ".env")
	if c, err := d.env.findCredentials(t.Context()); err == nil || !strings.HasPrefix(d.err.String(), "warning: ") {
		t.Errorf("tracked: %#v, said %q", c, d.err.String())
	}
}
