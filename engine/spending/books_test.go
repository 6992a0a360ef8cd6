package spending

import (
	"encoding/json"
	"fmt"
	"pgregory.net/rapid"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
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
	books *Books
	row   *gitstate.LedgerRow
}

func (a *accounts) begin(role string, beside bool) *wakeOf {
	a.wakes++
	b := NewBooks(fmt.Sprintf("w%d", a.wakes), beside, a.journal, a.recorded)
	row := b.Open(gitstate.LedgerRow{Session: b.wake, Label: "l", Role: role}, time.Unix(0, 0))
	return &wakeOf{b, row}
}

func (a *accounts) spend(t *rapid.T, w *wakeOf, cost gitstate.MicroUSD) {
	w.books.Add(w.row, harness.Usage{}, cost)
	if err := w.books.Write(&a.journal, w.row); err != nil {
		t.Fatal(err)
	}
	a.spent += cost
}

func (a *accounts) record(t *rapid.T, w *wakeOf) {
	files, changes, err := w.books.Files(a.recorded)
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
	w.books.Recorded(changes)
}

func (a *accounts) total() gitstate.MicroUSD { return gitstate.History{Ledger: a.recorded}.Spent() }

// Whoever spends beside whom, and whoever is killed: each cent is recorded once,
// at the latest by the next wake, and no one's view of the total is too small.
func TestSpendingCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &accounts{recorded: map[string][]gitstate.LedgerRow{}}
		driver := a.begin("worker", false)
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
				asides = append(asides, a.begin(Aside, true))
			case what == 3 && len(asides) > 0:
				a.spend(t, asides[pick()], cost)
			case what == 4 && len(asides) > 0:
				a.record(t, asides[pick()])
			case what == 5 && len(asides) > 0: // killed
				i := pick()
				asides = append(asides[:i], asides[i+1:]...)
			case what == 6: // killed, and another takes over
				driver = a.begin("worker", false)
			}
			if late := sum(Unrecorded(a.journal, a.recorded)); a.total() > a.spent || a.total()+late != a.spent {
				t.Fatalf("%d are recorded, %d are not, of %d spent: %v", a.total(), late, a.spent, a.recorded)
			}
		}
		for _, w := range append(asides, driver) {
			a.record(t, w)
		}
		a.record(t, a.begin("worker", false))
		if a.total() != a.spent {
			t.Fatalf("%d are recorded of %d spent: %v", a.total(), a.spent, a.recorded)
		}
	})
}

// What another process has spent counts as soon as the journal is read anew, also
// when it was killed before it came to record it; what this one has spent itself
// does not count twice.
func TestTheJournalTellsWhatOthersSpend(t *testing.T) {
	journal := &memoryJournal{}
	b := NewBooks("w1", false, nil, nil)
	spend := func(b *Books, session string, cost gitstate.MicroUSD) {
		row := b.Open(gitstate.LedgerRow{Session: session, Role: Aside}, time.Unix(0, 0))
		b.Add(row, harness.Usage{}, cost)
		if err := b.Write(journal, row); err != nil {
			t.Fatal(err)
		}
	}
	killed := NewBooks("w2", true, nil, nil)
	for i, want := range []gitstate.MicroUSD{7, 14} {
		spend(b, "mine", 100)
		spend(killed, "aside", 7)
		if err := b.Look(journal); err != nil {
			t.Fatal(err)
		}
		if got := b.Others(nil); got != want {
			t.Errorf("look %d: others have spent %d, not %d", i, got, want)
		}
	}
	files, _, err := b.Files(nil)
	if err != nil || !strings.Contains(string(files["ledger/w1.json"]), `"aside"`) {
		t.Errorf("the next record does not hold it: %v\n%s", err, files)
	}
}

type memoryJournal []json.RawMessage

func (j *memoryJournal) Write(row json.RawMessage) error { *j = append(*j, row); return nil }

func (j *memoryJournal) Read() ([]json.RawMessage, error) { return *j, nil }

// What of a row is recorded is not told again, failed tries included.
func TestUnrecordedTries(t *testing.T) {
	row := gitstate.LedgerRow{Session: "s", Label: "work", Turns: 3, Cost: 30, Attempts: 4, Errors: []string{"a", "b", "c"}}
	line, err := json.Marshal(journalRow{Wake: "w1", Row: row})
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string][]gitstate.LedgerRow{"w1": {{Session: "s", Label: "work", Turns: 1, Cost: 10, Attempts: 2, Errors: []string{"a"}}}}
	late := Unrecorded([]json.RawMessage{line, json.RawMessage(`{"wake":`)}, recorded)
	if len(late) != 1 || late[0].Turns != 2 || late[0].Cost != 20 || late[0].Attempts != 3 || len(late[0].Errors) != 2 {
		t.Errorf("unrecorded are %+v", late)
	}
}

// A request that was refused, or never reached anybody, is none that was answered;
// one that broke off was paid for.
func TestOnlyAnsweredRequestsCount(t *testing.T) {
	b := NewBooks("w1", false, nil, nil)
	row := b.Open(gitstate.LedgerRow{Session: "mine"}, time.Unix(0, 0))
	b.Add(row, harness.Usage{}, 0)
	if row.Turns != 0 || b.Owes(nil) {
		t.Errorf("a refused request counts: %+v", *row)
	}
	b.Add(row, harness.Usage{Input: 100}, 5)
	b.Add(row, harness.Usage{Write5m: 100, Output: 10}, 0) // of a model without a price
	if row.Turns != 2 || !b.Owes(nil) {
		t.Errorf("%d of two requests count", row.Turns)
	}
}
