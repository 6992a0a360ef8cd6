package engine

import (
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// beside is an engine of another process that asks about the rig's run.
func (r *rig) beside(t *testing.T, state State, play func(*harnesstest.FakeTurn) harness.Ended) *Engine {
	t.Helper()
	c := r.config
	c.Wake, c.Beside = "w9", true
	e, err := New(Deps{State: state, Joins: r.trees, Harness: &harnesstest.Fake{Play: play}, Journal: r.journal, Clock: r.clock, Events: &Stream{}}, c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func answering200(t *harnesstest.FakeTurn) harness.Ended {
	if err := t.Request(harness.Usage{Input: 10, Output: 200}); err != nil {
		return harness.Ended{Fault: &harness.Fault{Class: harness.Budget, Message: err.Error()}}
	}
	return t.Done("It goes well.")
}

// An aside is one record beside the driver's, whose total then holds the cost;
// it is offered nothing but looking, and told where the run stands.
func TestAside(t *testing.T) {
	r := newRig().unprotected()
	d := drive(t, r)
	q := d.question()
	var told harness.Options
	var prompt string
	e := r.beside(t, d.state, func(turn *harnesstest.FakeTurn) harness.Ended {
		told, prompt = turn.Options, turn.Said[0].Text
		return answering200(turn)
	})
	answer, err := e.Aside(t.Context(), Aside{Question: "How is it?", Driven: true, Recent: []string{"a worker began"}})
	if err != nil || answer != "It goes well." {
		t.Fatal(answer, err)
	}
	for _, want := range []string{"do it", "Which?", "A process drives", "a worker began", "How is it?"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
	if got := strings.Join(told.Tools, " "); got != "Read Glob Grep" || len(told.Custom) > 0 || told.MaxTurns != 12 {
		t.Errorf("it is offered %s and %d more, %d turns", got, len(told.Custom), told.MaxTurns)
	}
	d.wakes <- struct{}{}
	d.elsewhere(must(t)(Reply(d.state.History(), d.doc(q), "this", "", d.clock.Now())))
	d.ends(EndReached)
	if h := d.state.History(); d.out.Spent != h.Spent() || len(h.Ledger["w9"]) != 1 || h.Ledger["w9"][0].Cost != 200 {
		t.Errorf("spent %d, recorded %d: %+v", d.out.Spent, h.Spent(), h.Ledger)
	}
}

// An aside leaves a run as it stands: ended, or waiting.
func TestAsideKeepsTheStanding(t *testing.T) {
	r := newRig()
	r.state.keep(gitstate.Record{Kind: gitstate.KindEnd, Subject: "reached", Meta: gitstate.Meta{State: "reached"}})
	for range 2 {
		if _, err := r.beside(t, r.state, answering200).Aside(t.Context(), Aside{Question: "Why?"}); err != nil {
			t.Fatal(err)
		}
		last, _ := r.state.History().Last(func(gitstate.Doc) bool { return true })
		if kind, state := Standing(last.Kind, last.Meta); last.Kind != gitstate.KindNotice || kind != gitstate.KindEnd || state != "reached" {
			t.Errorf("the newest record is %+v", last)
		}
	}
}

func TestAsideStopsAtTheBudget(t *testing.T) {
	r := newRig()
	r.config.Budget = 1000
	r.state.keep(gitstate.Record{Kind: gitstate.KindNotice, Subject: "x", Files: map[string][]byte{"ledger/w0.json": []byte(`[{"session":"s","cost_micro_usd":900}]`)}})
	before := r.state.story()
	_, err := r.beside(t, r.state, answering200).Aside(t.Context(), Aside{Question: "Why?"})
	var pause *Pause
	if !errors.As(err, &pause) || pause.Reason != PauseBudget || r.state.story() != before || len(*r.journal) != 0 {
		t.Errorf("got %v, story %s, journal %s", err, r.state.story(), *r.journal)
	}
}

// What an answer that was broken off has cost is recorded with why.
func TestAsideThatFails(t *testing.T) {
	r := newRig()
	_, err := r.beside(t, r.state, func(turn *harnesstest.FakeTurn) harness.Ended {
		answering200(turn)
		return harness.Ended{Fault: &harness.Fault{Class: harness.Refused, Message: "no"}}
	}).Aside(t.Context(), Aside{Question: "Why?"})
	notice, _ := r.state.History().Current(gitstate.KindNotice)
	if err == nil || !strings.Contains(notice.Body, "not answered") || r.state.History().Spent() != 200 {
		t.Errorf("got %v, recorded %+v", err, notice)
	}
}

// One that would take more than its own limit is not begun.
func TestAsideHasItsOwnLimit(t *testing.T) {
	r := newRig()
	r.config.Price = func(_ string, u harness.Usage) (gitstate.MicroUSD, bool) {
		return gitstate.MicroUSD(u.Output * 1000), true
	}
	n := 0
	_, err := r.beside(t, r.state, func(turn *harnesstest.FakeTurn) harness.Ended {
		for {
			if err := turn.Request(harness.Usage{Output: 200}); err != nil {
				return harness.Ended{Fault: &harness.Fault{Class: harness.Budget, Message: err.Error()}}
			}
			n++
		}
	}).Aside(t.Context(), Aside{Question: "Why?"})
	if spent := r.state.History().Spent(); err == nil || n == 0 || spent > 500_000 {
		t.Errorf("%d requests cost %d: %v", n, spent, err)
	}
}
