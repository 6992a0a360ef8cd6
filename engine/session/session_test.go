package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/engine/session"
)

func open(t testing.TB, path string) *session.Store {
	t.Helper()
	s, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func add(t testing.TB, s *session.Store, id string, entries ...string) {
	t.Helper()
	var raw []json.RawMessage
	for _, e := range entries {
		raw = append(raw, json.RawMessage(e))
	}
	if err := s.Append(t.Context(), id, raw...); err != nil {
		t.Fatal(err)
	}
}

func load(t testing.TB, s *session.Store, id string) []string {
	t.Helper()
	entries, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, string(e))
	}
	return all
}

func expect(t testing.TB, s *session.Store, id string, want ...string) {
	t.Helper()
	if got := load(t, s, id); !slices.Equal(got, want) {
		t.Errorf("session %s holds\n%q, want\n%q", id, got, want)
	}
	if n, err := s.Len(t.Context(), id); err != nil || n != len(want) {
		t.Errorf("Len(%s) = %d, %v, want %d", id, n, err, len(want))
	}
}

func TestEntriesComeBackAsTheyWent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "session.db")
	s := open(t, path)
	one := "{ \"uuid\":\"u1\",  \"n\": 1.0, \"n\": 2e3, \"<\": \"\\u003c\xff\" }\n"
	add(t, s, "a", one, `{}`)
	add(t, s, "b", `{"uuid":"u1"}`)
	add(t, s, "a", `{"uuid":7,"timestamp":false}`, `{}`)
	want := []string{one, `{}`, `{"uuid":7,"timestamp":false}`, `{}`}
	expect(t, s, "a", want...)
	expect(t, s, "b", `{"uuid":"u1"}`)
	expect(t, s, "nobody")
	expect(t, open(t, path), "a", want...)
	if s.Damage() != nil || s.Journal() != "wal" {
		t.Errorf("damage %v, journal %q", s.Damage(), s.Journal())
	}
}

func TestAnEntryIsStoredOnce(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	add(t, s, "a", `{"uuid":"1","try":1}`, `{"uuid":"2"}`, `{"uuid":"2","again":true}`)
	add(t, s, "a", `{"uuid":"1","try":2}`, `{"uuid":"3"}`)
	expect(t, s, "a", `{"uuid":"1","try":1}`, `{"uuid":"2"}`, `{"uuid":"3"}`)
}

func TestWhatIsNoEntryIsRefusedWhole(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	big := `{"x":"` + strings.Repeat("y", session.MaxEntry) + `"}`
	for _, bad := range []string{"", " ", "null", "[]", `"x"`, "1", "{", `{"a":1} {}`, `{"a":}`, "{}x", big} {
		err := s.Append(t.Context(), "a", json.RawMessage(`{"good":1}`), json.RawMessage(bad))
		if !errors.Is(err, session.ErrEntry) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	if err := s.Append(t.Context(), "", json.RawMessage(`{}`)); err == nil {
		t.Error("a session without an id was accepted")
	}
	expect(t, s, "a")
}

func TestACancelledAppendStoresNothing(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Append(ctx, "a", json.RawMessage(`{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	expect(t, s, "a")
	add(t, s, "a", `{}`)
	expect(t, s, "a", `{}`)
}

func TestEachStopsWhenToldTo(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	add(t, s, "a", `{"n":1}`, `{"n":2}`, `{"n":3}`)
	enough := errors.New("enough")
	seen := 0
	err := s.Each(t.Context(), "a", func(json.RawMessage) error {
		// A reader does not keep writers out, and does not see them.
		add(t, s, "a", `{"later":true}`)
		if seen++; seen == 3 {
			return enough
		}
		return nil
	})
	if err != enough || seen != 3 {
		t.Errorf("%v after %d", err, seen)
	}
	if n, err := s.Len(t.Context(), "a"); n != 6 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

func TestHostilePaths(t *testing.T) {
	names := []string{"a?b#c%20.db", "a", "a b", "a%3fmode=memory", "x&_journal_mode=OFF", "日本語.db", "line\nbreak", "-x", ";'\"", "bad\xffutf8"}
	dir := t.TempDir()
	for i, name := range names {
		s := open(t, filepath.Join(dir, name))
		add(t, s, "a", fmt.Sprintf(`{"n":%d}`, i))
	}
	for i, name := range names {
		expect(t, open(t, filepath.Join(dir, name)), "a", fmt.Sprintf(`{"n":%d}`, i))
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(f.Name(), ".lock"), "-wal"), "-shm")
		if !slices.Contains(names, base) {
			t.Errorf("a file that nobody asked for: %q", f.Name())
		}
	}
}

func TestASessionIdMayBeAnything(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	ids := []string{"a", "A", "a%", "a_", "a' or '1'='1", "ä", "a\x00b", strings.Repeat("x", 10000)}
	for _, id := range ids {
		add(t, s, id, fmt.Sprintf(`{"id":%d}`, len(id)))
	}
	for _, id := range ids {
		expect(t, s, id, fmt.Sprintf(`{"id":%d}`, len(id)))
	}
}

func TestTwentyThousandEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	s := open(t, filepath.Join(t.TempDir(), "session.db"))
	const n, batch = 20000, 1000
	var raw []json.RawMessage
	for i := range n {
		raw = append(raw, json.RawMessage(fmt.Sprintf(`{"uuid":"%d","text":"%s"}`, i, strings.Repeat("x", i%4096))))
	}
	for part := range slices.Chunk(raw, batch) {
		if err := s.Append(t.Context(), "a", part...); err != nil {
			t.Fatal(err)
		}
		add(t, s, "b", `{}`)
	}
	got, err := s.Load(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, raw, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		t.Error("the entries came back otherwise than they went")
	}
}

// A map of lists is the model: whatever is appended in whatever batches, closed
// and opened again, loads as the model says.
func TestAgainstAModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(dir, rapid.StringMatching(`[a-z]{12}`).Draw(rt, "file"))
		model := map[string][]string{}
		if _, err := os.Stat(path); err == nil {
			rt.Skip("drawn before")
		}
		s, err := session.Open(t.Context(), path)
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			if err != nil {
				rt.Fatal(err)
			}
			id := rapid.SampledFrom([]string{"a", "b", "ab"}).Draw(rt, "session")
			uuids := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 5).Draw(rt, "entries")
			var raw []json.RawMessage
			for _, u := range uuids {
				e := fmt.Sprintf(`{"uuid":"%d"}`, u)
				raw = append(raw, json.RawMessage(e))
				if !slices.Contains(model[id], e) {
					model[id] = append(model[id], e)
				}
			}
			if err := s.Append(t.Context(), id, raw...); err != nil {
				rt.Fatal(err)
			}
			if rapid.Bool().Draw(rt, "reopen") {
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				s, err = session.Open(t.Context(), path)
			}
		}
		for id, want := range model {
			if got := load(t, s, id); !slices.Equal(got, want) {
				rt.Errorf("%s: %q, want %q", id, got, want)
			}
		}
		if err := s.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}
