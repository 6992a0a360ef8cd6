package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"git-flower/engine"
	"git-flower/engine/harness"
	"git-flower/engine/rehearse"
	"git-flower/engine/spending"
)

// A modelSource is where a run's model comes from.
type modelSource interface {
	// open makes the harness ready; the model is closed after the wake. Processes of
	// sessions have their folders below sessions.
	open(ctx context.Context, t harness.Transcript, sessions string) (*model, error)
	// describe tells people what it is, in a line and without a secret.
	describe() string
}

// A model is a harness with what the engine must know of it.
type model struct {
	harness  harness.Harness
	name     string
	price    spending.Price
	patience engine.Patience
	windows  engine.Windows
	close    func() error
}

// endpoint is a real model, reached with the user's credentials.
type endpoint struct {
	credentials Credentials
	config      Config
	choice      choice
	now         func() time.Time
	learned     string // the file of what was learned of windows
}

// model is what the user asked for, else what comes with the key, else ours.
func (s endpoint) model() string {
	for _, name := range []string{s.config.Model, s.credentials.Model} {
		if name != "" {
			return name
		}
	}
	return harness.DefaultModel
}

// describe names the models, the endpoint's host, and where the key was found.
func (s endpoint) describe() string {
	text := oneLine(s.model())
	for _, role := range slices.Sorted(maps.Keys(s.config.Roles)) {
		if other := s.config.Roles[role].Model; other != "" && other != s.model() {
			text += fmt.Sprintf(", %s %s", role, oneLine(other))
			if learned := s.windows().words(other); learned != "" {
				text += " (" + learned + ")"
			}
		}
	}
	kind := "key"
	if s.credentials.Login != nil {
		kind = "login (which workers' commands can read)"
	}
	text = fmt.Sprintf("%s; %s at %s, %s from %s", text, s.choice.words(), s.host(), kind, oneLine(s.credentials.Source))
	if learned := s.windows().words(s.model()); learned != "" {
		text += "; " + learned
	}
	return text
}

// host is where requests go. What an address may hold besides can be secret.
func (s endpoint) host() string {
	if s.credentials.BaseURL == "" {
		return "Anthropic"
	}
	u, err := url.Parse(s.credentials.BaseURL)
	if err != nil || u.Host == "" {
		return "an address of yours"
	}
	return oneLine(u.Host)
}

// place tells endpoints apart, those of one host too, without what an address may
// hold besides.
func (s endpoint) place() string {
	if s.credentials.BaseURL == "" {
		return s.host()
	}
	sum := sha256.Sum256([]byte(s.credentials.BaseURL))
	return fmt.Sprintf("%s#%x", s.host(), sum[:6])
}

// hourCache says whether prompts may be kept an hour. Anthropic's own endpoint does
// that; one that does not know of it would refuse every request.
func (s endpoint) hourCache() bool {
	if s.config.LongCache == nil {
		host := s.host()
		return host == "Anthropic" || host == "api.anthropic.com"
	}
	return *s.config.LongCache
}

func (s endpoint) open(ctx context.Context, t harness.Transcript, sessions string) (*model, error) {
	name := s.model()
	h, done, err := s.choice.open(ctx, access{
		BaseURL: s.credentials.BaseURL, APIKey: s.credentials.APIKey, AuthToken: s.credentials.AuthToken,
		Model: name, Models: s.unknown(name), Login: s.credentials.Login, Now: s.now, HourCache: s.hourCache(),
	}, t, sessions)
	if err != nil {
		return nil, err
	}
	return &model{harness: h, name: name, price: priceOf(harness.Lookup), patience: engine.DefaultPatience(), windows: s.windows(), close: done}, nil
}

// check refuses, before anything is spent, a model whose window or price is not
// known: without a price the budget could not be kept.
func (s endpoint) check() error {
	names := map[string]bool{s.model(): true}
	for _, role := range s.config.Roles {
		if role.Model != "" {
			names[role.Model] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		m, known := harness.Lookup(name)
		if !known && s.config.Window == 0 {
			return endf(endFatal, "give its context window with --window <tokens>", "model '%s' is not in the table of models", name)
		}
		if !m.Priced() && s.config.Budget > 0 {
			return endf(endFatal, "--budget none runs without one", "the price of model '%s' is not known, so a budget cannot be kept", name)
		}
	}
	return nil
}

// unknown is the row of a model that the table lacks: its window is the user's
// word, its price is not known.
func (s endpoint) unknown(name string) []harness.Model {
	if _, known := harness.Lookup(name); known && s.config.Window == 0 {
		return nil
	}
	m, _ := harness.Lookup(name)
	m.ID, m.Window = name, s.config.Window
	return []harness.Model{m}
}

// windows are those of the models: the user's word counts for all of them, else
// what an endpoint's refusals have taught, else the table.
func (s endpoint) windows() *windows {
	return &windows{
		given: s.config.Window, file: s.learned, endpoint: s.place(), now: s.now,
		table: func(name string) int64 { m, _ := harness.Lookup(name); return m.Window },
	}
}

// rehearsalStall is how long a scripted model may say nothing that it is not
// told to: it thinks for no time at all, but the machine may be busy.
const rehearsalStall = 3 * time.Second

// rehearsal is a scripted model on loopback: everything but the model is real.
type rehearsal struct {
	script *rehearse.Script
	choice choice
	window int64 // the user's word; zero: the script's
}

func (s rehearsal) describe() string {
	text := "rehearsal: a scripted model, no key and no cost; everything else is real"
	if s.choice.name == harnessClaude {
		text += ", " + s.choice.words() + " too"
	}
	return text
}

func (s rehearsal) open(ctx context.Context, t harness.Transcript, sessions string) (*model, error) {
	server, err := rehearse.Start(ctx, s.script, rehearse.Config{})
	if err != nil {
		return nil, fmt.Errorf("start the rehearsal: %w", err)
	}
	h, done, err := s.choice.open(ctx, access{
		BaseURL: server.URL(), APIKey: server.Key(), Model: harness.DefaultModel, Stall: rehearsalStall + s.script.Longest(), HourCache: true,
	}, t, sessions)
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	// A scripted endpoint recovers as soon as the script says so, or never.
	patience := engine.DefaultPatience()
	patience.Base, patience.Max, patience.Failing = 20*time.Millisecond, 200*time.Millisecond, 2*rehearsalStall
	return &model{harness: h, name: harness.DefaultModel, price: priceOf(harness.Lookup), patience: patience,
		windows: &windows{given: s.window, table: s.script.Window, now: time.Now},
		close:   func() error { return errors.Join(done(), server.Close()) }}, nil
}

func newRehearsal(script []byte, c choice, window int64) (modelSource, error) {
	s, err := rehearse.Parse(script)
	if err != nil {
		return nil, endf(endFatal, "docs/rehearsal.md describes the form", "read the rehearsal script: %w", err)
	}
	return rehearsal{script: s, choice: c, window: window}, nil
}

// scriptFile keeps a run's script beside its other local state, so that
// resuming plays the same one.
const scriptFile = "rehearsal.yaml"

// readScript finds a rehearsal's script: "" and "default" are the one that
// works in any repository, "demo" is the demo's, the rest are files.
func readScript(env *Env, name string) ([]byte, error) {
	switch name {
	case "", "default":
		return rehearse.Source("anything")
	case "demo":
		return rehearse.Source("demo")
	}
	data, err := os.ReadFile(scriptPath(env, name))
	if err != nil {
		return nil, endf(endFatal, "\"git flower help start\" tells what --rehearse takes", "read the rehearsal script: %w", err)
	}
	return data, nil
}

// scriptPath is where a script is: the name of one of ours, or a file.
func scriptPath(env *Env, name string) string {
	switch name {
	case "", "default", "demo":
		return name
	}
	return env.path(name)
}

func keepScript(dir string, script []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keep the rehearsal script: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, scriptFile), script, 0o644); err != nil {
		return fmt.Errorf("keep the rehearsal script: %w", err)
	}
	return nil
}

// keptScript is the script a rehearsal was begun with. Scripts do not travel: in
// another clone it is the built-in one, and kept is false.
func keptScript(dir string) (script []byte, kept bool, err error) {
	script, err = os.ReadFile(filepath.Join(dir, scriptFile))
	if errors.Is(err, os.ErrNotExist) {
		script, err = rehearse.Source("anything")
		return script, false, err
	}
	return script, true, err
}
