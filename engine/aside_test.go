package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// accounts are a run's ledgers and its machine's journal, on which wakes come and go.
type accounts struct {
	recorded map[string][]gitstate.LedgerRow
	journal  memoryJournal
	spent    gitstate.MicroUSD
	wakes    int
}

// A wakeOf has its books and the one row that it spends on.
type wakeOf struct {
	books *books
	row   *gitstate.LedgerRow
}

func (a *accounts) begin(role Role, beside bool) *wakeOf {
	a.wakes++
	b := newBooks(fmt.Sprintf("w%d", a.wakes), beside, a.journal, a.recorded)
	row := b.open(gitstate.LedgerRow{Session: b.wake, Label: "l", Role: string(role)}, newStillClock().Now())
	return &wakeOf{b, row}
}

func (a *accounts) spend(t *rapid.T, w *wakeOf, cost gitstate.MicroUSD) {
	w.books.add(w.row, harness.Usage{}, cost)
	if err := w.books.write(&a.journal, w.row); err != nil {
		t.Fatal(err)
	}
	a.spent += cost
}

func (a *accounts) record(t *rapid.T, w *wakeOf) {
	files, changes, err := w.books.files(a.recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range files {
		var rows []gitstate.LedgerRow
		if err := json.Unmarshal(data, &rows); err != nil {
			t.Fatal(err)
		}
		a.recorded[w.books.wake] = rows
	}
	w.books.recorded(changes)
}

func (a *accounts) total() gitstate.MicroUSD { return gitstate.History{Ledger: a.recorded}.Spent() }

// Whoever spends beside whom, and whoever is killed: each cent is recorded once,
// at the latest by the next wake, and no one's view of the total is too small.
func TestSpendingCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &accounts{recorded: map[string][]gitstate.LedgerRow{}}
		driver := a.begin(Worker, false)
		var asides []*wakeOf
		pick := func() int { return rapid.IntRange(0, len(asides)-1).Draw(t, "which") }
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			what := rapid.IntRange(0, 6).Draw(t, "what")
			cost := gitstate.MicroUSD(rapid.IntRange(1, 9).Draw(t, "cost"))
			switch {
			case what == 0:
				a.spend(t, driver, cost)
			case what == 1:
				a.record(t, driver)
			case what == 2:
				asides = append(asides, a.begin(Oracle, true))
			case what == 3 && len(asides) > 0:
				a.spend(t, asides[pick()], cost)
			case what == 4 && len(asides) > 0:
				a.record(t, asides[pick()])
			case what == 5 && len(asides) > 0: // killed
				i := pick()
				asides = append(asides[:i], asides[i+1:]...)
			case what == 6: // killed, and another takes over
				driver = a.begin(Worker, false)
			}
			if a.total() > a.spent {
				t.Fatalf("%d are recorded of %d spent: %v", a.total(), a.spent, a.recorded)
			}
		}
		for _, w := range append(asides, driver) {
			a.record(t, w)
		}
		a.record(t, a.begin(Worker, false))
		if a.total() != a.spent {
			t.Fatalf("%d are recorded of %d spent: %v", a.total(), a.spent, a.recorded)
		}
	})
}

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
