package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// otherwise names the rows of the original's store that ask for what this one
// does not have, and says why.
var otherwise = map[string]string{
	"mtime-is-epoch-ms-and-strictly-rises":           "no clock is kept: the order is that of appending (TestEntriesStandAsTheyWereAppendedWhateverTheClock)",
	"mtime-after-restart-with-a-clock-step-back":     "no clock is kept: the order is that of appending (TestEntriesStandAsTheyWereAppendedWhateverTheClock)",
	"summary-ignores-subagents-and-shares-the-clock": "no summaries are kept: what a run is about stands in its records",
	"delete-main-cascades":                           "nothing is ever deleted: what a run no longer needs goes with the file",
	"delete-subpath-removes-only-it":                 "nothing is ever deleted: what a run no longer needs goes with the file",
	"delete-cascade-with-pattern-characters":         "nothing is ever deleted; ids are never patterns (TestIdsAreNoPatterns)",
	"last-context-scans-back-for-the-newest-usage":   "how full a context was stands in the ledger (gitstate.LedgerRow.Context), not in the store",
	"last-context-unknown-is-zero":                   "how full a context was stands in the ledger (gitstate.LedgerRow.Context), not in the store",
	"project-key-for-a-path-with-other-characters":   "sessions are found by id; the CLI's key for a folder is TestProjectKey of engine/harness/claude",
	"append-failing-half-way":                        "TestAnAppendThatFailsHalfWayStoresNothing",
}

// A storeRow is a row of the original's cases for its store.
type storeRow struct {
	Name  string
	Input struct {
		Append json.RawMessage
		Key    struct {
			Session string `json:"session_id"`
		}
		Load *struct {
			Session string `json:"session_id"`
		}
		Main []json.RawMessage `json:"append_main"`
		Sub  struct {
			Path    string `json:"subpath"`
			Entries []json.RawMessage
		} `json:"append_sub"`
		Sessions, Ask []string
	}
	Expect json.RawMessage
}

func TestStoreOfTheOriginal(t *testing.T) {
	text, err := os.ReadFile("testdata/original.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows, played := 0, 0
	for line := range strings.Lines(string(text)) {
		var r storeRow
		var name struct{ Name string }
		if err := json.Unmarshal([]byte(line), &name); err != nil {
			t.Fatal(err)
		}
		if rows++; otherwise[name.Name] != "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		played++
		t.Run(r.Name, func(t *testing.T) { r.play(t) })
	}
	if rows != 21 || played+len(otherwise) != rows {
		t.Errorf("%d rows, %d are played and %d are not, of 21", rows, played, len(otherwise))
	}
}

func (r storeRow) play(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	put := func(id string, entries []json.RawMessage) {
		if err := s.Append(t.Context(), id, entries...); err != nil {
			t.Fatal(err)
		}
	}
	var batches [][]json.RawMessage
	var projects map[string]int
	if json.Unmarshal(r.Input.Append, &batches) != nil {
		_ = json.Unmarshal(r.Input.Append, &projects)
	}
	for _, batch := range batches {
		put(r.Input.Key.Session, batch)
	}
	for id := range projects {
		put(id, []json.RawMessage{[]byte(`{}`)})
	}
	for _, id := range r.Input.Sessions {
		put(id, []json.RawMessage{[]byte(`{}`)})
	}
	if r.Input.Main != nil {
		put("main", r.Input.Main)
		put("main/"+r.Input.Sub.Path, r.Input.Sub.Entries)
	}
	lens := func(ids ...string) (n []int) {
		for _, id := range ids {
			n = append(n, len(load(t, s, id)))
		}
		return n
	}
	switch {
	case r.Input.Load != nil:
		expect(t, s, r.Input.Load.Session)
	case r.Input.Ask != nil:
		same(t, lens(r.Input.Ask...), []int{1, 0})
	case r.Input.Main != nil:
		same(t, uuids(load(t, s, "main")), []string{"m"})
		same(t, uuids(load(t, s, "main/"+r.Input.Sub.Path)), []string{"s"})
	case projects != nil:
		same(t, lens("A/s1", "B/s1", "s1"), []int{1, 1, 0})
	default:
		r.loads(t, load(t, s, r.Input.Key.Session))
	}
}

// loads compares what a session holds with what the row wants.
func (r storeRow) loads(t *testing.T, got []string) {
	t.Helper()
	var want struct {
		Load  []json.RawMessage
		UUIDs []string
		Rows  int
	}
	if err := json.Unmarshal(r.Expect, &want); err != nil {
		t.Fatal(err)
	}
	switch {
	case want.Load != nil:
		same(t, got, want.Load)
	case want.UUIDs != nil:
		same(t, uuids(got), want.UUIDs)
	default:
		same(t, len(got), want.Rows)
	}
}

func uuids(entries []string) (all []string) {
	for _, raw := range entries {
		var e struct{ UUID string }
		_ = json.Unmarshal([]byte(raw), &e) // what was stored is JSON
		all = append(all, e.UUID)
	}
	return all
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%s", got), fmt.Sprintf("%s", want); g != w {
		t.Errorf("got %s, want %s", g, w)
	}
}
