package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/claude"
	"git-flower/engine/harness/messages"
	"git-flower/engine/proxy"
	"git-flower/gitstate"
)

// A harnessName is what flower.harness says, and what records call a harness.
type harnessName string

const (
	harnessAuto     harnessName = "auto"
	harnessClaude   harnessName = "claude"
	harnessMessages harnessName = "messages"
)

func parseHarness(v string) (harnessName, error) {
	switch n := harnessName(v); n {
	case harnessAuto, harnessClaude, harnessMessages:
		return n, nil
	}
	return "", fmt.Errorf("'%s' is none of auto, claude and messages", v)
}

// A choice is the harness that a run's sessions have, and why.
type choice struct {
	name harnessName
	cli  claude.CLI // of claude
	why  string     // in words, for doctor
}

// A finder finds the CLI; it is asked only where the answer matters.
type finder func() (claude.CLI, error)

// findCLI looks for the CLI that the settings name.
func (e *Env) findCLI(ctx context.Context, c Config) finder {
	return func() (claude.CLI, error) {
		program := c.Claude
		if program != "" && (filepath.IsAbs(program) || strings.ContainsRune(program, '/')) {
			program = e.path(program)
		}
		return claude.Find(ctx, program)
	}
}

// choose picks the harness. What is named is used or refused. By itself a
// rehearsal takes messages, which is faster, and a run with a model takes the CLI
// where there is one that is new enough.
func chooseHarness(named harnessName, rehearsed bool, find finder) (choice, error) {
	switch {
	case named == harnessMessages:
		return choice{name: harnessMessages, why: "that is what is set"}, nil
	case named == harnessAuto && rehearsed:
		return choice{name: harnessMessages, why: "a rehearsal is faster with it"}, nil
	}
	cli, err := find()
	switch {
	case err == nil && named == harnessClaude:
		return choice{name: harnessClaude, cli: cli, why: "that is what is set"}, nil
	case err == nil:
		return choice{name: harnessClaude, cli: cli, why: "it is here"}, nil
	case named == harnessClaude:
		return choice{}, noCLI(err)
	}
	return choice{name: harnessMessages, why: err.Error()}, nil
}

// noCLI is the way out where the CLI was asked for and cannot be used.
func noCLI(err error) error {
	hint := "--harness messages needs no CLI"
	switch {
	case errors.Is(err, claude.ErrNoCLI):
		hint = "install it, or name it with \"git config flower.claude <path>\"; " + hint
	case errors.Is(err, claude.ErrOldCLI):
		hint = "update it (\"claude update\"); " + hint
	}
	return end(endFatal, err, hint)
}

// needsKey is the way out where there is a login of the CLI's alone and the
// sessions are not the CLI's.
func (c choice) needsKey(l *login, named harnessName) error {
	hint := "\"--harness claude\" uses the login; messages needs a key: put ANTHROPIC_API_KEY=<key> into the environment or into ~/.config/git-flower/.env"
	why := "messages is set"
	if named == harnessAuto {
		why = c.why
	}
	return endf(endFatal, hint, "no key for a model, but a login that only the Claude Code CLI can use (%s); it is not used: %s", l.source, why)
}

// begunIn is the harness of a run's newest session on this machine, "" where there
// is none. The run's open sessions can be gone on with in that one only.
func begunIn(h gitstate.History, machine string) harnessName {
	last, _ := h.Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindSession && d.Meta.Machine == machine && d.Meta.Harness != ""
	})
	name, err := parseHarness(last.Meta.Harness)
	if err != nil {
		return ""
	}
	return name
}

// words name the harness for people.
func (c choice) words() string {
	if c.name == harnessClaude {
		return fmt.Sprintf("Claude Code %v", c.cli.Version)
	}
	return "messages"
}

// An access is a model's endpoint as a harness needs it.
type access struct {
	BaseURL, APIKey, AuthToken string
	Model                      string
	Models                     []harness.Model // take precedence over the table
	Stall                      time.Duration   // zero: the harness's own
	HourCache                  bool            // the endpoint keeps prompts an hour when it is asked to
	Login                      *login          // in place of a key; for the CLI alone
	Now                        func() time.Time
}

// open makes the harness ready for sessions whose transcripts are kept in t; its
// processes have their folders below sessions.
func (c choice) open(ctx context.Context, a access, t harness.Transcript, sessions string) (harness.Harness, func() error, error) {
	if c.name == harnessClaude {
		return openClaude(ctx, c.cli, a, t, sessions)
	}
	h, err := messages.New(messages.Config{
		BaseURL: a.BaseURL, APIKey: a.APIKey, AuthToken: a.AuthToken, Model: a.Model, Models: a.Models, HourCache: a.HourCache,
		Transcript: t, UserAgent: userAgent(), Stall: a.Stall,
	})
	return h, func() error { return nil }, err
}

func openClaude(ctx context.Context, cli claude.CLI, a access, t harness.Transcript, sessions string) (harness.Harness, func() error, error) {
	c := claude.Config{
		Path: cli.Path, Model: a.Model, Models: a.Models, HourCache: a.HourCache, Transcript: t,
		Folder: func(session string) string { return filepath.Join(sessions, session) },
	}
	if a.Login != nil {
		c.Login, c.Prepare = a.Login.environment(), a.Login.prepare(a.Now)
		h, err := claude.New(c)
		return h, func() error { return nil }, err
	}
	p, err := proxy.Start(ctx, proxy.Config{BaseURL: a.BaseURL, APIKey: a.APIKey, AuthToken: a.AuthToken, Models: a.Models, Stall: a.Stall})
	if err != nil {
		return nil, nil, err
	}
	c.Proxy = p
	h, err := claude.New(c)
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	return h, p.Close, nil
}
