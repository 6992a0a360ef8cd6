package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"git-flower/engine/harness/claude"
	"git-flower/gitstate"
)

func TestChooseHarness(t *testing.T) {
	there := claude.CLI{Path: "/bin/claude", Version: claude.Oldest}
	none, old := fmt.Errorf("none: %w", claude.ErrNoCLI), fmt.Errorf("old: %w", claude.ErrOldCLI)
	for _, c := range []struct {
		named     harnessName
		rehearsed bool
		missing   error
		want      harnessName // "": refused
		asked     bool
	}{
		{harnessAuto, false, nil, harnessClaude, true},
		{harnessAuto, false, none, harnessMessages, true},
		{harnessAuto, false, old, harnessMessages, true},
		{harnessAuto, false, errors.New("odd"), harnessMessages, true},
		{harnessAuto, true, nil, harnessMessages, false},
		{harnessMessages, false, nil, harnessMessages, false},
		{harnessMessages, true, nil, harnessMessages, false},
		{harnessClaude, false, nil, harnessClaude, true},
		{harnessClaude, true, nil, harnessClaude, true},
		{harnessClaude, true, none, "", true},
		{harnessClaude, false, old, "", true},
	} {
		asked := false
		got, err := chooseHarness(c.named, c.rehearsed, func() (claude.CLI, error) { asked = true; return there, c.missing })
		if got.name != c.want || (err != nil) != (c.want == "") || asked != c.asked {
			t.Errorf("%+v: %+v, %v; asked: %v", c, got, err, asked)
		}
		if err != nil && (asEnding(err).ending != endFatal || !strings.Contains(asEnding(err).hint, "--harness messages")) {
			t.Errorf("%+v: no way out of %v", c, err)
		}
		if err == nil && got.why == "" {
			t.Errorf("%+v: it does not say why", c)
		}
	}
}

// A run goes on in the harness that its newest session here was begun in.
func TestBegunIn(t *testing.T) {
	session := func(machine, harness string) gitstate.Doc {
		return gitstate.Doc{Kind: gitstate.KindSession, Meta: gitstate.Meta{Machine: machine, Harness: harness}}
	}
	for _, c := range []struct {
		docs []gitstate.Doc
		want harnessName
	}{
		{nil, ""},
		{[]gitstate.Doc{session("here", "claude")}, harnessClaude},
		{[]gitstate.Doc{session("here", "claude"), session("here", "messages")}, harnessMessages},
		{[]gitstate.Doc{session("here", "claude"), session("there", "messages")}, harnessClaude},
		{[]gitstate.Doc{session("there", "messages")}, ""},
		{[]gitstate.Doc{session("here", "")}, ""},
		{[]gitstate.Doc{session("here", "another")}, ""},
	} {
		if got := begunIn(gitstate.History{Docs: c.docs}, "here"); got != c.want {
			t.Errorf("%+v: %q", c.docs, got)
		}
	}
}

// fakeClaude puts a CLI of some version on the PATH.
func fakeClaude(t *testing.T, version string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell scripts here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "claude")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+version+" (Claude Code)'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return path
}

func TestDoctorTellsOfTheCLI(t *testing.T) {
	d := newDesk(t)
	d.repository()
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-one")
	path := fakeClaude(t, "3.0.1")
	d.expect(0, "doctor")
	has(t, unfolded(d), "claude: sessions in the Claude Code CLI", "flower.harness is auto", "'"+path+"' is Claude Code 3.0.1")
	d.git("config", "flower.harness", "messages")
	d.expect(0, "doctor")
	has(t, unfolded(d), "messages: our own loop", "since that is what is set", "is Claude Code 3.0.1")

	fakeClaude(t, "1.0.0")
	d.git("config", "flower.harness", "auto")
	d.expect(0, "doctor")
	has(t, unfolded(d), "messages: our own loop", "is 1.0.0, and "+claude.Oldest.String()+" or newer is needed")
	d.git("config", "flower.harness", "claude")
	d.expect(1, "doctor")
	has(t, d.err.String(), "too old", "--harness messages")
	d.git("config", "flower.claude", "/nowhere/claude")
	d.expect(1, "doctor")
	has(t, d.err.String(), "/nowhere/claude", "flower.claude")
}

func unfolded(d *desk) string { return strings.Join(strings.Fields(d.out.String()), " ") }

// A login without a key is for the CLI alone.
func TestALoginNeedsTheCLI(t *testing.T) {
	d := newDesk(t)
	d.repository()
	t.Setenv("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-secret")
	fakeClaude(t, claude.Oldest.String())
	d.expect(128, "start", "--harness", "messages", "do it")
	has(t, d.err.String(), "only the Claude Code CLI can use", "--harness claude")
	d.expect(0, "doctor")
	has(t, unfolded(d), "a login of the Claude Code CLI from CLAUDE_CODE_OAUTH_TOKEN")
	d.git("config", "flower.harness", "messages")
	d.expect(1, "doctor")
	has(t, d.err.String(), "only the Claude Code CLI can use")
	if strings.Contains(d.out.String()+d.err.String(), "secret") {
		t.Error("the token was printed")
	}
	fakeClaude(t, "1.0.0")
	d.expect(128, "start", "--harness", "auto", "do it")
	has(t, d.err.String(), "is 1.0.0", "only the Claude Code CLI can use")
}
