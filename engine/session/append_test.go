package session_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"git-flower/engine/session"
)

// A clock that goes back, over a restart or within a run, moves nothing.
func TestEntriesStandAsTheyWereAppendedWhateverTheClock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	var want []string
	for _, at := range []string{"2033-05-18T03:33:20.000Z", "2033-05-18T03:33:19.000Z", "1999-12-31T23:59:59.999Z", "", "2033-05-18T03:33:20.000Z"} {
		e := fmt.Sprintf(`{"n":%d,"timestamp":%q}`, len(want), at)
		want = append(want, e)
		s, err := session.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		add(t, s, "a", e)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, open(t, path), "a", want...)
}

// An append that fails half way leaves none of its entries, and can be repeated.
func TestAnAppendThatFailsHalfWayStoresNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	s := open(t, path)
	add(t, s, "a", `{"uuid":"0"}`)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`create trigger full before insert on entry when new.uuid = '2' begin select raise(abort, 'full'); end`); err != nil {
		t.Fatal(err)
	}
	batch := []json.RawMessage{[]byte(`{"uuid":"1"}`), []byte(`{"uuid":"2"}`), []byte(`{"uuid":"3"}`)}
	if err := s.Append(t.Context(), "a", batch...); err == nil {
		t.Fatal("nothing failed")
	}
	expect(t, s, "a", `{"uuid":"0"}`)
	expect(t, open(t, path), "a", `{"uuid":"0"}`)
	if _, err := db.Exec(`drop trigger full`); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "a", batch...); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "a", `{"uuid":"0"}`, `{"uuid":"1"}`, `{"uuid":"2"}`, `{"uuid":"3"}`)
}

// However many entries come at once, no limit of a statement's is met: a fork
// appends a whole transcript.
func TestManyEntriesAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	raw := make([]json.RawMessage, 40_000)
	for i := range raw {
		raw[i] = fmt.Appendf(nil, `{"uuid":"%d"}`, i)
	}
	for range 2 { // again, as after an error
		if err := s.Append(t.Context(), "a", raw...); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Load(t.Context(), "a")
	if err != nil || !slices.EqualFunc(got, raw, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		t.Errorf("%d entries came back: %v", len(got), err)
	}
}

// Two sessions' ids of which one is a pattern that fits the other are two
// sessions, and nothing here takes a session away.
func TestIdsAreNoPatterns(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	add(t, s, "pX1/agent-1", `{"n":1}`)
	for _, id := range []string{"p_1/agent-1", "p%", "PX1/AGENT-1", "pX1", "p[X]1/agent-1", "p*", "%", ""} {
		entries, err := s.Load(t.Context(), id)
		if n, errLen := s.Len(t.Context(), id); err != nil || errLen != nil || len(entries)+n != 0 {
			t.Errorf("%q holds %d entries: %v", id, len(entries)+n, errors.Join(err, errLen))
		}
	}
}
