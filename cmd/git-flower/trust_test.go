package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine"
	"git-flower/gitstate"
)

// foreign is a wake on a run whose goal looks fetched: the ref's log does not
// name its record.
func foreign(t *testing.T, said string) (*wake, *desk) {
	t.Helper()
	d := newDesk(t)
	d.repository()
	s := d.begin("odd", "Add --json to list", true)
	s.goal()
	d.git("reflog", "expire", "--expire=all", "refs/flower/run/odd")
	d.env.In = strings.NewReader(said)
	store, err := d.env.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &wake{env: d.env, store: store, run: s.run, person: here}, d
}

func TestCommandsFromElsewhereAreAsked(t *testing.T) {
	for said, accepted := range map[string]bool{"y\n": true, " YES \n": true, "\n": false, "n\n": false, "": false, "yet\n": false, "y": true} {
		w, d := foreign(t, said+"the next line")
		if said == "y" || said == "" {
			w.env.In = strings.NewReader(said)
		}
		err := w.accept(t.Context())
		if (err == nil) != accepted {
			t.Errorf("%q: %v", said, err)
		}
		has(t, d.err.String(), "1. ./test.sh", "[y/N]")
		if strings.HasSuffix(said, "\n") {
			if rest := readLine(w.env.In); rest != "the next line" {
				t.Errorf("%q: the next reader finds %q", said, rest)
			}
		}
		w.person = nobody // remembered, or not
		if again := w.accept(t.Context()); (again == nil) != accepted {
			t.Errorf("%q, then without anybody: %v", said, again)
		}
	}
}

func TestCommandsFromElsewhereWaitNoLongerThanTheProcess(t *testing.T) {
	w, _ := foreign(t, "")
	r, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer held.Close()
	w.env.In = r
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if err := w.accept(ctx); err == nil {
		t.Error("accepted after the end")
	}
	if line, err := w.ask(ctx, "? "); line != "" || !errors.Is(err, stop) {
		t.Errorf("%v, %v", line, err)
	}
}

func TestOnlyCommandsThatWouldRunAreAsked(t *testing.T) {
	w, _ := foreign(t, "")
	w.person = nobody
	if _, commands := standingCommands(w.run.History()); len(commands) != 1 {
		t.Errorf("commands %q", commands)
	}
	if _, err := w.run.Append(t.Context(), engine.AmendmentTo("coder-1", "only you", w.env.Now())); err != nil {
		t.Fatal(err)
	}
	if err := w.accept(t.Context()); err == nil {
		t.Error("words for one worker accept the goal")
	}
	if _, err := w.run.Append(t.Context(), gitstate.Record{Kind: gitstate.KindAmendment, Subject: "more", Body: "more"}); err != nil {
		t.Fatal(err)
	}
	if err := w.accept(t.Context()); err != nil {
		t.Errorf("a goal that will be set anew: %v", err)
	}
	if _, commands := standingCommands(gitstate.History{}); commands != nil {
		t.Errorf("no goal: %q", commands)
	}
}

// Dropping checks here makes the commands of the others no more ours.
func TestDroppingChecksAcceptsNoCommands(t *testing.T) {
	w, _ := foreign(t, "")
	w.person = nobody
	goal, _ := w.run.History().Current(gitstate.KindGoal)
	add := func(r gitstate.Record, err error) {
		t.Helper()
		if err == nil {
			_, err = w.run.Append(t.Context(), r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add(gitstate.Record{Kind: gitstate.KindQuestion, Subject: "1 of 2 checks", Body: "1 of 2 checks\n1. keep: a\n2. drop: b\n3. stop: c",
		Meta: gitstate.Meta{Step: "goal", From: []string{goal.Name()}}}, nil)
	add(engine.Reply(w.run.History(), engine.OpenQuestions(w.run.History())[0], "drop", "", w.env.Now()))
	dropped, _ := w.run.History().Current(gitstate.KindGoal)
	if dropped.Name() == goal.Name() {
		t.Fatal("nothing was dropped")
	}
	if err := (gate{w}).Accept(t.Context(), dropped); !errors.Is(err, engine.ErrForeign) {
		t.Errorf("what was left over: %v", err)
	}
	if err := w.accept(t.Context()); err == nil {
		t.Error("accepted before the run goes on")
	}
}

func TestRememberedAfterATornLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "trusted")
	blob := strings.Repeat("ab", 20)
	if known, err := isTrusted(file, blob); known || err != nil {
		t.Errorf("%v, %v", known, err)
	}
	for _, id := range []string{"torn", blob} {
		if err := remember(file, id); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]bool{blob: true, blob[:39]: false, strings.Repeat("cd", 20): false} {
		if known, err := isTrusted(file, id); known != want || err != nil {
			t.Errorf("%s: %v, %v", id, known, err)
		}
	}
}
