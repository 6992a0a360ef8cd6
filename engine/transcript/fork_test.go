package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"git-flower/engine/rawjson"
)

// A fork has the conversation under its own name, answers what is open, and is
// the same when it is made again.
func TestFork(t *testing.T) {
	entries := []json.RawMessage{
		[]byte(`{"uuid":"1","parentUuid":null,"sessionId":"a","type":"user","message":{"role":"user","content":"go"}}`),
		[]byte(`{"uuid":"2","parentUuid":"1","sessionId":"a","type":"assistant","message":{"role":"assistant","id":"m","content":[{"type":"tool_use","id":"t1","name":"dispatch","input":{}}]}}`),
	}
	at := time.Unix(0, 0)
	forked, err := Fork(entries, "", "b", at)
	if err != nil || len(forked) != 3 {
		t.Fatalf("%s, %v", forked, err)
	}
	for i, e := range forked {
		if !strings.Contains(string(e), `"sessionId":"b"`) || strings.Contains(string(e), `"sessionId":"a"`) {
			t.Errorf("entry %d: %s", i, e)
		}
	}
	if h, err := Read(forked, Options{}); err != nil || len(h.Open) != 0 || !strings.Contains(string(forked[2]), "[interrupted]") {
		t.Errorf("%+v, %v", h, err)
	}
	again, err := Fork(entries, "", "b", at)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(forked) {
		t.Errorf("made again: %s, %v", again, err)
	}
	if none, err := Fork(nil, "", "b", at); err != nil || len(none) != 0 {
		t.Errorf("of nothing: %s, %v", none, err)
	}
}

// What a reading leaves out is left out of what the model is told, never of what
// a fork keeps: its entries are those of the first session, word for word.
func TestForkKeepsWhatReadingsLeaveOut(t *testing.T) {
	refused := `"toolDenialKind":"permission-rule","toolUseResult":"copy"`
	for name, all := range map[string][]json.RawMessage{
		"stale":       looks(60, 1500),
		"long":        looks(60, 3000),
		"refused":     lines(t, strings.ReplaceAll(joinLines(looks(60, 3000)), `"toolUseResult":"copy"`, refused)),
		"interrupted": lines(t, strings.ReplaceAll(joinLines(looks(60, 3000)), `"content":[{"type":"text","text":"x`, `"is_error":true,"content":[{"type":"text","text":"[Request interrupted x`)),
	} {
		o := Options{Expires: glances, Point: folder{}.point}
		if h := mustReadAs(t, all, o); h.Mark == "" {
			t.Errorf("%s: a reading leaves nothing out", name)
		}
		forked, err := Fork(all, o.CarryOn, "b", time.Unix(0, 0))
		if err != nil || len(forked) != len(all) {
			t.Fatalf("%s: %d entries of %d, %v", name, len(forked), len(all), err)
		}
		for i, raw := range forked {
			if got := string(rawjson.Without(raw, "sessionId")); got != string(all[i]) {
				t.Fatalf("%s: forked\n%s\nof\n%s", name, got, all[i])
			}
		}
	}
}

func mustReadAs(t *testing.T, entries []json.RawMessage, o Options) *History {
	t.Helper()
	h, err := Read(entries, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A fork of a session that was made shorter is told what the API takes, and its
// thoughts stand behind the words that they were thought behind.
func TestForksOfLivingSessions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		for range rapid.IntRange(1, 4).Draw(t, "processes") {
			l.process()
		}
		forked, err := Fork(l.stored, "", "b", time.Unix(9, 0))
		if err != nil {
			t.Fatal(err)
		}
		f := &life{t: t, o: l.o, policy: l.policy, stored: forked, n: 1000}
		f.h = f.load()
		f.sent = f.h.Entries
		f.check()
	})
}
