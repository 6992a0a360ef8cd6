package spending

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// Books are the accounts of this wake: a row for each session's part in a
// step. They go into every record as ledger/<wake>.json, and each settled
// request into the machine's journal, so that what a killed wake spent after
// its last record still counts.
//
// What a wake has spent stands either in its own ledger or, as a row that names
// it, in another's: the one that found it in the journal and took the wake for
// dead. A wake that was not dead leaves out of its ledger what another has
// Recorded for it, and the other leaves out what the wake has recorded itself;
// since each record is made for the tip it is added to, nothing counts twice.
type Books struct {
	mu   sync.Mutex
	wake string
	rows []*gitstate.LedgerRow
	late []gitstate.LedgerRow // of other wakes, from the journal
	// beside: whoever made the other rows may be alive and record them. Those of
	// asides are carried all the same, since no one else may come to do it.
	beside    bool
	unwritten []*gitstate.LedgerRow // settled, and not in the journal
	// changes counts what has happened to the rows, kept how much of that is recorded.
	changes, kept int
}

// A Journal keeps what was spent between two records, durable on this machine.
type Journal interface {
	Write(row json.RawMessage) error
	Read() ([]json.RawMessage, error)
}

// Aside is the role of sessions that answer beside a run; their rows are nobody
// else's.
const Aside = "oracle"

// NewBooks begins the accounts of a wake on a machine's journal. beside says that it
// works beside the one that drives the run.
func NewBooks(wake string, beside bool, journal []json.RawMessage, recorded map[string][]gitstate.LedgerRow) *Books {
	b := &Books{wake: wake, beside: beside, late: lastRows(journal)}
	if len(b.carried(recorded)) > 0 {
		b.changes++
	}
	return b
}

// Look reads the journal anew: what others have spent beside this wake, also one
// that was killed before it came to record that.
func (b *Books) Look(j Journal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows, err := j.Read()
	if err != nil {
		return fmt.Errorf("read the spending journal: %w", err)
	}
	late := slices.DeleteFunc(lastRows(rows), func(r gitstate.LedgerRow) bool { return r.Wake == b.wake })
	if len(late) != len(b.late) || sum(late) != sum(b.late) {
		b.late = late
		b.changes++
	}
	return nil
}

type journalRow struct {
	Wake string             `json:"wake"`
	Row  gitstate.LedgerRow `json:"row"`
}

// Open begins or continues the row of a session's part in a step.
func (b *Books) Open(r gitstate.LedgerRow, now time.Time) *gitstate.LedgerRow {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, old := range b.rows {
		if old.Session == r.Session && old.Label == r.Label {
			return old
		}
	}
	r.Start = gitstate.Stamp(now)
	r.End = r.Start
	r.Attempts = 1
	b.rows = append(b.rows, &r)
	return &r
}

// Add books a settled request. One that nothing was counted of was not answered: it
// was refused, or reached nobody.
func (b *Books) Add(row *gitstate.LedgerRow, u harness.Usage, cost gitstate.MicroUSD) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if u != (harness.Usage{}) || cost > 0 {
		row.Turns++
	}
	row.Input += u.Input
	row.Output += u.Output
	row.Read += u.Read
	row.Written += u.Write5m + u.Write1h
	row.Cost += cost
	row.Context = max(row.Context, u.Context())
	b.changes++
}

// Fault notes a failed try.
func (b *Books) Fault(row *gitstate.LedgerRow, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row.Attempts++
	row.Errors = append(row.Errors, text)
	b.changes++
}

// Close notes when a row ended.
func (b *Books) Close(row *gitstate.LedgerRow, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row.End = gitstate.Stamp(now)
	b.changes++
}

// Write puts a row as it stands into the journal, and those before it that
// could not be written.
func (b *Books) Write(j Journal, row *gitstate.LedgerRow) error {
	b.mu.Lock()
	if !slices.Contains(b.unwritten, row) {
		b.unwritten = append(b.unwritten, row)
	}
	b.mu.Unlock()
	return b.Flush(j)
}

// Flush writes what could not be written before.
func (b *Books) Flush(j Journal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.unwritten) > 0 {
		line, err := json.Marshal(journalRow{Wake: b.wake, Row: *b.unwritten[0]})
		if err == nil {
			err = j.Write(line)
		}
		if err != nil {
			return fmt.Errorf("cannot write the spending journal: %w", err)
		}
		b.unwritten = b.unwritten[1:]
	}
	return nil
}

// Owes reports whether something was spent that no record holds.
func (b *Books) Owes(recorded map[string][]gitstate.LedgerRow) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(reconcile(b.late, recorded)) > 0 || slices.ContainsFunc(b.rows, func(r *gitstate.LedgerRow) bool {
		own := *r
		own.Wake = b.wake
		return beyond(own, recorded).Turns > 0
	})
}

// Files are the ledger file for the next record, nil when nothing changed, and
// how much of the changes it holds. recorded are the ledgers it is added to.
func (b *Books) Files(recorded map[string][]gitstate.LedgerRow) (files map[string][]byte, changes int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changes == b.kept {
		return nil, b.changes, nil
	}
	others := without(recorded, b.wake)
	rows := []gitstate.LedgerRow{}
	for _, r := range b.rows {
		own := *r
		own.Wake = b.wake
		own = beyond(own, others)
		own.Wake = ""
		rows = append(rows, own)
	}
	data, err := json.MarshalIndent(append(rows, b.carried(others)...), "", "  ")
	if err != nil {
		return nil, 0, fmt.Errorf("encode the ledger: %w", err)
	}
	return map[string][]byte{"ledger/" + b.wake + ".json": append(data, '\n')}, b.changes, nil
}

// Recorded is called once a file with so much of the changes is part of the history.
func (b *Books) Recorded(changes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = max(b.kept, changes)
}

// carried are the rows that killed wakes did not come to record.
func (b *Books) carried(recorded map[string][]gitstate.LedgerRow) []gitstate.LedgerRow {
	return slices.DeleteFunc(reconcile(b.late, without(recorded, b.wake)), func(r gitstate.LedgerRow) bool {
		return b.beside && r.Role != Aside
	})
}

// Others is what everybody else has spent, recorded or not.
func (b *Books) Others(recorded map[string][]gitstate.LedgerRow) gitstate.MicroUSD {
	b.mu.Lock()
	defer b.mu.Unlock()
	ledgers := without(recorded, b.wake)
	total := sum(reconcile(b.late, ledgers))
	for _, rows := range ledgers {
		for _, r := range rows {
			if r.Wake != b.wake {
				total += r.Cost
			}
		}
	}
	return total
}

func without(ledgers map[string][]gitstate.LedgerRow, wake string) map[string][]gitstate.LedgerRow {
	ledgers = maps.Clone(ledgers)
	delete(ledgers, wake)
	return ledgers
}

// Unrecorded is what a machine's journal knows to be spent beyond what the records
// hold, by wakes that work or that were killed. The journal is to be read after the
// records. A line that is no row is left out.
func Unrecorded(journal []json.RawMessage, recorded map[string][]gitstate.LedgerRow) []gitstate.LedgerRow {
	return reconcile(lastRows(journal), recorded)
}

// reconcile compares rows of this machine's journal with the recorded ledgers
// and returns what of them is not recorded. Rows in the journal are cumulative,
// so the last one of a session's part counts.
func reconcile(journal []gitstate.LedgerRow, recorded map[string][]gitstate.LedgerRow) []gitstate.LedgerRow {
	var late []gitstate.LedgerRow
	for _, spent := range journal {
		if spent = beyond(spent, recorded); spent.Cost > 0 || spent.Turns > 0 {
			late = append(late, spent)
		}
	}
	return late
}

// beyond is what a row counts beyond what ledgers hold of it.
func beyond(spent gitstate.LedgerRow, recorded map[string][]gitstate.LedgerRow) gitstate.LedgerRow {
	for wake, rows := range recorded {
		for _, r := range rows {
			if r.Session == spent.Session && r.Label == spent.Label && (r.Wake == spent.Wake || r.Wake == "" && wake == spent.Wake) {
				spent = less(spent, r)
			}
		}
	}
	return spent
}

// lastRows are the newest rows of the journal, one for each session's part in
// each wake, in the order in which they began. A line that a crash cut off is
// no row: its request was never settled.
func lastRows(journal []json.RawMessage) []gitstate.LedgerRow {
	var rows []gitstate.LedgerRow
	for _, line := range journal {
		var j journalRow
		if json.Unmarshal(line, &j) != nil || j.Wake == "" {
			continue
		}
		j.Row.Wake = j.Wake
		i := slices.IndexFunc(rows, func(r gitstate.LedgerRow) bool {
			return r.Wake == j.Wake && r.Session == j.Row.Session && r.Label == j.Row.Label
		})
		if i < 0 {
			rows = append(rows, j.Row)
			continue
		}
		rows[i] = j.Row
	}
	return rows
}

// less is what a row counts beyond another.
func less(a, b gitstate.LedgerRow) gitstate.LedgerRow {
	a.Turns -= b.Turns
	a.Input -= b.Input
	a.Output -= b.Output
	a.Read -= b.Read
	a.Written -= b.Written
	a.Cost -= b.Cost
	a.Attempts -= max(0, b.Attempts-1) // the first try is in both
	a.Errors = a.Errors[min(len(a.Errors), len(b.Errors)):]
	return a
}

func sum(rows []gitstate.LedgerRow) gitstate.MicroUSD {
	var total gitstate.MicroUSD
	for _, r := range rows {
		total += r.Cost
	}
	return total
}

// Began is when a row began, to the second.
func (b *Books) Began(row *gitstate.LedgerRow) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, _ := time.Parse(time.RFC3339, row.Start) // printed by gitstate.Stamp
	return t
}

// Requests is how many of a row's requests were answered.
func (b *Books) Requests(row *gitstate.LedgerRow) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return row.Turns
}

// Cost is what a row has come to.
func (b *Books) Cost(row *gitstate.LedgerRow) gitstate.MicroUSD {
	b.mu.Lock()
	defer b.mu.Unlock()
	return row.Cost
}
