package engine

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

// books are the accounts of this wake: a row for each session's part in a
// step. They go into every record as ledger/<wake>.json, and each settled
// request into the machine's journal, so that what a killed wake spent after
// its last record still counts.
type books struct {
	mu    sync.Mutex
	wake  string
	rows  []*gitstate.LedgerRow
	dirty bool
	// late are ledgers of killed wakes that the journal knows better than their
	// last record; they go into the next record.
	late map[string][]gitstate.LedgerRow
}

type journalRow struct {
	Wake string             `json:"wake"`
	Row  gitstate.LedgerRow `json:"row"`
}

// open begins or continues the row of a session's part in a step.
func (b *books) open(r gitstate.LedgerRow, now time.Time) *gitstate.LedgerRow {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, old := range b.rows {
		if old.Session == r.Session && old.Label == r.Label {
			return old
		}
	}
	r.Start = stamp(now)
	r.End = r.Start
	r.Attempts = 1
	b.rows = append(b.rows, &r)
	return &r
}

func (b *books) add(row *gitstate.LedgerRow, u harness.Usage, cost gitstate.MicroUSD) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row.Turns++
	row.Input += u.Input
	row.Output += u.Output
	row.Read += u.Read
	row.Written += u.Write5m + u.Write1h
	row.Cost += cost
	row.Context = max(row.Context, u.Context())
	b.dirty = true
}

// fault notes a failed try.
func (b *books) fault(row *gitstate.LedgerRow, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row.Attempts++
	row.Errors = append(row.Errors, text)
	b.dirty = true
}

func (b *books) close(row *gitstate.LedgerRow, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row.End = stamp(now)
	b.dirty = true
}

// write puts a row as it stands into the journal.
func (b *books) write(j Journal, row gitstate.LedgerRow) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	line, err := json.Marshal(journalRow{Wake: b.wake, Row: row})
	if err != nil {
		return err
	}
	return j.Write(line)
}

// files are the ledger files for the next record, nil when nothing changed.
func (b *books) files() (map[string][]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ledgers := maps.Clone(b.late)
	if b.dirty {
		if ledgers == nil {
			ledgers = map[string][]gitstate.LedgerRow{}
		}
		for _, r := range b.rows {
			ledgers[b.wake] = append(ledgers[b.wake], *r)
		}
	}
	var files map[string][]byte
	for wake, rows := range ledgers {
		data, err := json.MarshalIndent(rows, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("encode ledger '%s': %w", wake, err)
		}
		if files == nil {
			files = map[string][]byte{}
		}
		files["ledger/"+wake+".json"] = append(data, '\n')
	}
	return files, nil
}

// recorded is called once the files are part of the history.
func (b *books) recorded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = false
	b.late = nil
}

// reconcile compares the journal of this machine with the recorded ledgers and
// returns the accounts of wakes that were killed with requests unrecorded.
// Rows in the journal are cumulative, so the last one of a session's part counts.
func reconcile(journal []json.RawMessage, recorded map[string][]gitstate.LedgerRow) map[string][]gitstate.LedgerRow {
	late := map[string][]gitstate.LedgerRow{}
	for wake, rows := range journalLedgers(journal) {
		if sum(rows) > sum(recorded[wake]) {
			late[wake] = rows
		}
	}
	return late
}

func journalLedgers(journal []json.RawMessage) map[string][]gitstate.LedgerRow {
	ledgers := map[string][]gitstate.LedgerRow{}
	for _, line := range journal {
		var j journalRow
		if json.Unmarshal(line, &j) != nil || j.Wake == "" {
			continue // a line cut off by a crash: its request was never settled
		}
		rows := ledgers[j.Wake]
		i := slices.IndexFunc(rows, func(r gitstate.LedgerRow) bool {
			return r.Session == j.Row.Session && r.Label == j.Row.Label
		})
		if i < 0 {
			ledgers[j.Wake] = append(rows, j.Row)
			continue
		}
		rows[i] = j.Row
	}
	return ledgers
}

func sum(rows []gitstate.LedgerRow) gitstate.MicroUSD {
	var total gitstate.MicroUSD
	for _, r := range rows {
		total += r.Cost
	}
	return total
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// cost is what a row has come to.
func (b *books) cost(row *gitstate.LedgerRow) gitstate.MicroUSD {
	b.mu.Lock()
	defer b.mu.Unlock()
	return row.Cost
}
