package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-flower/engine"
	"git-flower/gitstate"
)

func TestMissing(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("x", "do it", false)
	w := &wake{run: s.run}
	if got := w.missing(engine.EndFailed); got != "" {
		t.Errorf("nothing is known yet, but %q", got)
	}
	goal := s.goal()
	if got := w.missing(engine.EndFailed); got != "" {
		t.Errorf("nobody has judged, but %q", got)
	}
	s.verdict(goal, 1, false)
	got := w.missing(engine.EndNotReached)
	has(t, got, "check 2  failed: the help names --json", "judge    the help was read")
	if strings.Contains(got, "check 1") {
		t.Errorf("what passed is missing: %s", got)
	}
	s.tell(gitstate.Record{Kind: gitstate.KindQuestion, Subject: "which?", Body: "Which\x1b[2J format?\nTell."})
	has(t, w.missing(engine.NeedsHuman), "question 5: Which format?")
	if strings.Contains(w.missing(engine.NeedsHuman), "\x1b") {
		t.Error("a control character reaches the terminal")
	}
	s.verdict(goal, 2, true)
	if got := w.missing(engine.EndReached); got != "" {
		t.Errorf("it is reached, but %q", got)
	}
}

func TestBannerNamesAModelWithoutItsSecrets(t *testing.T) {
	for base, host := range map[string]string{"": "Anthropic", "https://user:pa55@gate.example:8443/path?key=pa55": "gate.example:8443", "::pa55": "an address of yours"} {
		s := endpoint{credentials: Credentials{BaseURL: base, APIKey: "sk-secret", Model: "claude-x", Source: "the environment"},
			choice: choice{name: harnessMessages}, config: Config{Roles: map[string]RoleConfig{"judge": {Model: "claude-y"}, "worker": {Model: "claude-x"}}}}
		got := s.describe()
		has(t, got, "claude-x, judge claude-y; messages at "+host, "key from the environment")
		for _, secret := range []string{"pa55", "sk-", "path"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q is in %q", secret, got)
			}
		}
	}
}

func TestBannerTellsOfALearnedWindow(t *testing.T) {
	s := endpoint{credentials: Credentials{APIKey: "sk-secret", Model: "claude-opus-5-5"}, choice: choice{name: harnessMessages},
		now: func() time.Time { return time.Date(2030, 5, 6, 7, 8, 9, 0, time.UTC) }, learned: filepath.Join(t.TempDir(), "windows.json")}
	if got := s.describe(); strings.Contains(got, "window") {
		t.Errorf("nothing was learned, but %q", got)
	}
	if err := s.windows().Overflowed(s.model(), 123_456); err != nil {
		t.Fatal(err)
	}
	has(t, s.describe(), "window 123456 tokens", "2030-05-06", "--window")
	s.config.Roles = map[string]RoleConfig{"judge": {Model: "claude-haiku-5-5"}}
	if err := s.windows().Overflowed("claude-haiku-5-5", 98_765); err != nil {
		t.Fatal(err)
	}
	has(t, s.describe(), "judge claude-haiku-5-5 (window 98765 tokens")
	s.config.Window = 200_000
	if got := s.describe(); strings.Contains(got, "123456") {
		t.Errorf("the user's word counts, but %q", got)
	}
}
