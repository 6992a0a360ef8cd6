package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"git-flower/gitstate/gitcmd"
)

// Credentials are what a request to a model needs besides the request. They
// are one set from one place: a key never meets an address from elsewhere.
type Credentials struct {
	APIKey    string // for the x-api-key header; never set together with AuthToken
	AuthToken string // for a gateway's "Authorization: Bearer"
	BaseURL   string // without /v1; empty is Anthropic's own
	Model     string // empty: the harness's default

	OpusModel, SonnetModel, HaikuModel string // names behind the tiers
	SubagentModel, Effort              string

	Login *login // of the Claude Code CLI, when there is neither key nor token

	Source string // where the set was found, for people
}

// credentialKeys are the nine variables that make a set (spec/surface.md 2.2).
func credentialKeys() []string {
	return []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL",
		"ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL",
		"CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_EFFORT_LEVEL"}
}

// A credentialSearch says where to look.
type credentialSearch struct {
	lookup func(string) (string, bool) // the environment
	dir    string                      // whose .env counts
	home   string                      // empty: there is none
	// tracked reports whether git tracks a file in dir. An error means that it
	// cannot be told, and then the file is not used.
	tracked func(ctx context.Context, name string) (bool, error)
	warn    func(text string)
	now     func() time.Time
}

// findCredentials looks in the user's places; warnings go to standard error.
func (e *Env) findCredentials(ctx context.Context) (Credentials, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // the message about missing credentials says so
	}
	c, err := FindCredentials(ctx, credentialSearch{lookup: e.lookup, dir: e.Dir, home: home, tracked: e.tracked,
		warn: func(text string) { say(e.Err, "warning", text) }, now: e.Now})
	if err == nil {
		e.trace.printf("credentials: %v", c)
	}
	return c, err
}

// tracked asks git about a file where the user is; in another spelling it may
// be the same file. Outside of a repository nothing is tracked.
func (e *Env) tracked(ctx context.Context, name string) (bool, error) {
	if _, err := e.git().Read(ctx, "rev-parse", "--git-dir"); gitcmd.ExitCode(err) == 128 && e.store == nil {
		return false, nil
	}
	out, err := e.git().Read(ctx, "--icase-pathspecs", "ls-files", "-z", "--", name)
	return len(out) > 0, err
}

// FindCredentials returns the set of the first place that has a key or token, else
// a login of the Claude Code CLI, or an error that names every place looked at and
// the ways out. Nothing is written.
func FindCredentials(ctx context.Context, s credentialSearch) (Credentials, error) {
	var passed []place
	for _, look := range s.places() {
		p := look(ctx)
		if p.values["ANTHROPIC_API_KEY"] != "" || p.values["ANTHROPIC_AUTH_TOKEN"] != "" {
			s.warnOfPassed(passed, p)
			return newCredentials(p, s.warn)
		}
		if p.why == "" {
			p.why = "no key and no token in it"
		}
		passed = append(passed, p)
	}
	l, without := s.findLogin(s.now())
	if l == nil {
		return Credentials{}, missingCredentials(append(passed, without...))
	}
	s.warnOfPassed(passed, place{name: l.source})
	return Credentials{Login: l, Source: l.source}, nil
}

// warnOfPassed tells of addresses in places before the one that serves: whoever
// set one must know that the key does not go there.
func (s credentialSearch) warnOfPassed(passed []place, served place) {
	for _, p := range passed {
		for _, key := range credentialKeys() {
			if p.values[key] != "" {
				s.warn(fmt.Sprintf("%s in %s does not count: key and address come from %s", key, p.name, served.name))
			}
		}
	}
}

func newCredentials(p place, warn func(string)) (Credentials, error) {
	v := p.values
	for _, key := range credentialKeys() {
		if strings.IndexFunc(v[key], unicode.IsControl) >= 0 {
			return Credentials{}, endf(endFatal, "write it again on one line", "%s in %s holds a control character", key, p.name)
		}
	}
	c := Credentials{APIKey: v["ANTHROPIC_API_KEY"], AuthToken: v["ANTHROPIC_AUTH_TOKEN"],
		BaseURL: strings.TrimRight(v["ANTHROPIC_BASE_URL"], "/"), Model: v["ANTHROPIC_MODEL"],
		OpusModel: v["ANTHROPIC_DEFAULT_OPUS_MODEL"], SonnetModel: v["ANTHROPIC_DEFAULT_SONNET_MODEL"],
		HaikuModel: v["ANTHROPIC_DEFAULT_HAIKU_MODEL"], SubagentModel: v["CLAUDE_CODE_SUBAGENT_MODEL"],
		Effort: v["CLAUDE_CODE_EFFORT_LEVEL"], Source: p.name}
	if c.APIKey != "" && c.AuthToken != "" {
		warn(fmt.Sprintf("%s has both ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN; the key is used", p.name))
		c.AuthToken = ""
	}
	return c, c.checkAddress()
}

// checkAddress refuses an address that a request could not be sent to, without
// repeating a password that may stand in it.
func (c Credentials) checkAddress() error {
	if c.BaseURL == "" {
		return nil
	}
	u, err := url.Parse(c.BaseURL)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	return endf(endFatal, "it looks like https://gateway.example/anthropic, without /v1",
		"ANTHROPIC_BASE_URL in %s is no address of an endpoint", c.Source)
}

// masked shows a secret by its first four characters and its length.
func masked(secret string) string {
	if secret == "" {
		return ""
	}
	shown := []rune(secret)
	if len(shown) > 12 { // else four would be too much of it
		return fmt.Sprintf("%s… (%d characters)", string(shown[:4]), len(shown))
	}
	return fmt.Sprintf("… (%d characters)", len(shown))
}

// String describes the set without its secrets.
func (c Credentials) String() string {
	secret, kind := c.APIKey, "key"
	if c.Login != nil {
		return "a login of the Claude Code CLI from " + c.Source
	}
	if secret == "" {
		secret, kind = c.AuthToken, "token"
	}
	at := "api.anthropic.com"
	if u, err := url.Parse(c.BaseURL); err == nil && c.BaseURL != "" {
		at = u.Redacted()
	}
	return fmt.Sprintf("%s %s from %s, for %s", kind, masked(secret), c.Source, at)
}

// GoString keeps secrets out of %#v too.
func (c Credentials) GoString() string { return "Credentials{" + c.String() + "}" }

// missingCredentials names every place, what was wrong with it, and the ways out.
func missingCredentials(passed []place) error {
	var b strings.Builder
	b.WriteString("no key for a model; looked at")
	for _, p := range passed {
		fmt.Fprintf(&b, "\n    %s: %s", p.name, p.why)
	}
	return endf(endFatal, strings.Join([]string{
		"a key: put ANTHROPIC_API_KEY=<key> into the environment or into ~/.config/git-flower/.env",
		"a subscription: log in with \"claude\", which has to be installed",
		"a gateway: put ANTHROPIC_BASE_URL=<address> and ANTHROPIC_AUTH_TOKEN=<token> there",
		`without a key: "git flower start --rehearse <request>" or "git flower demo"`}, "\n"), "%s", b.String())
}
