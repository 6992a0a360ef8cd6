package engine

import (
	"encoding/json"
	"errors"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/spending"
	"git-flower/gitstate"
)

type fullJournal struct {
	memoryJournal
	full bool
}

func (j *fullJournal) Write(row json.RawMessage) error {
	if j.full {
		return errors.New("no space left")
	}
	return j.memoryJournal.Write(row)
}

// What cannot be written down cannot be spent: a crash would forget it.
func TestNothingIsSpentThatCannotBeWrittenDown(t *testing.T) {
	journal := &fullJournal{}
	e := &Engine{
		deps:  Deps{Journal: journal, Clock: newStillClock(), Events: &Stream{}},
		purse: spending.NewPurse(func(string, harness.Usage) (gitstate.MicroUSD, bool) { return 7, true }, 0, 0),
		books: spending.NewBooks("w1", false, nil, nil),
	}
	one := gate{e: e, row: e.books.Open(gitstate.LedgerRow{Session: "1"}, e.deps.Clock.Now())}
	two := gate{e: e, row: e.books.Open(gitstate.LedgerRow{Session: "2"}, e.deps.Clock.Now())}
	ask := func(g gate) error { return g.Admit(t.Context(), harness.Request{}) }

	journal.full = true
	one.Settle(t.Context(), harness.Request{}, harness.Usage{})
	two.Settle(t.Context(), harness.Request{}, harness.Usage{})
	for _, g := range []gate{one, two} {
		if err := ask(g); err == nil || errors.Is(err, harness.ErrBudget) {
			t.Errorf("asked with a full journal: %v", err)
		}
	}
	journal.full = false
	if err := ask(one); err != nil {
		t.Fatal(err)
	}
	if spent := e.books.Others(nil); len(journal.memoryJournal) == 0 || spent != 0 {
		t.Errorf("others have spent %d", spent)
	}
	if err := e.books.Look(journal); err != nil {
		t.Fatal(err)
	}
	next := spending.NewBooks("w2", false, journal.memoryJournal, nil)
	if spent := next.Others(nil); spent != 14 {
		t.Errorf("the journal holds %d", spent)
	}
}
