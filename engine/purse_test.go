package engine

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
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
// What another process has spent counts as soon as the journal is read anew, also
// when it was killed before it came to record it; what this one has spent itself
// does not count twice.
func TestTheJournalTellsWhatOthersSpend(t *testing.T) {
	journal := &memoryJournal{}
	b := newBooks("w1", false, nil, nil)
	spend := func(b *books, session string, cost gitstate.MicroUSD) {
		row := b.open(gitstate.LedgerRow{Session: session, Role: string(Oracle)}, newStillClock().Now())
		b.add(row, harness.Usage{}, cost)
		if err := b.write(journal, row); err != nil {
			t.Fatal(err)
		}
	}
	killed := newBooks("w2", true, nil, nil)
	for i, want := range []gitstate.MicroUSD{7, 14} {
		spend(b, "mine", 100)
		spend(killed, "aside", 7)
		if err := b.look(journal); err != nil {
			t.Fatal(err)
		}
		if got := b.others(nil); got != want {
			t.Errorf("look %d: others have spent %d, not %d", i, got, want)
		}
	}
	files, _, err := b.files(nil)
	if err != nil || !strings.Contains(string(files["ledger/w1.json"]), `"aside"`) {
		t.Errorf("the next record does not hold it: %v\n%s", err, files)
	}
}

func TestNothingIsSpentThatCannotBeWrittenDown(t *testing.T) {
	journal := &fullJournal{}
	e := &Engine{
		deps:  Deps{Journal: journal, Clock: newStillClock(), Events: &Stream{}},
		purse: &purse{price: func(string, harness.Usage) (gitstate.MicroUSD, bool) { return 7, true }},
		books: newBooks("w1", false, nil, nil),
	}
	one := gate{e: e, row: e.books.open(gitstate.LedgerRow{Session: "1"}, e.deps.Clock.Now())}
	two := gate{e: e, row: e.books.open(gitstate.LedgerRow{Session: "2"}, e.deps.Clock.Now())}
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
	if rows := lastRows(journal.memoryJournal); len(rows) != 2 || sum(rows) != 14 {
		t.Errorf("the journal holds %+v", rows)
	}
}
