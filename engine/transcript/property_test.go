package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"git-flower/engine/rawjson"
)

// A writer writes a transcript as Claude Code does, or as our own harness.
type writer struct {
	t       *rapid.T
	entries []json.RawMessage
	n       int
	last    string
}

func (w *writer) id(kind string) string { w.n++; return fmt.Sprintf("%s-%d", kind, w.n) }

// put stores an entry below parent and returns its uuid.
func (w *writer) put(parent, kind string, fields map[string]any) string {
	e := map[string]any{"type": kind, "uuid": w.id("u"), "parentUuid": nil, "sessionId": "s", "timestamp": "2026-05-04T03:02:01.000Z"}
	if parent != "" {
		e["parentUuid"] = parent
	}
	for k, v := range fields {
		e[k] = v
	}
	raw, _ := json.Marshal(e)
	w.entries = append(w.entries, raw)
	w.last = e["uuid"].(string)
	return w.last
}

func (w *writer) message(parent, role, id string, content any, more map[string]any) string {
	m := map[string]any{"role": role, "content": content}
	if id != "" {
		m["id"] = id
	}
	fields := map[string]any{"message": m}
	for k, v := range more {
		fields[k] = v
	}
	return w.put(parent, role, fields)
}

func (w *writer) step() {
	odds := rapid.IntRange(0, 11).Draw(w.t, "step")
	switch odds {
	case 0:
		w.message(w.last, "user", "", rapid.SampledFrom([]string{"go", "and now", " ", carryOn}).Draw(w.t, "words"), nil)
	case 1:
		w.put(w.last, "attachment", map[string]any{"attachment": map[string]any{"type": "date"}})
	case 2:
		w.message(w.last, "assistant", w.id("m"), []any{text1("API Error: 403")}, map[string]any{"isApiErrorMessage": true})
	case 3:
		w.message(w.last, "assistant", w.id("m"), []any{text1("half an ans")}, map[string]any{"isAbortedMidStream": true})
	case 4: // tries again from somewhere
		if len(w.entries) > 0 {
			e, _, _ := wire(rapid.SampledFrom(w.entries).Draw(w.t, "branch"))
			w.last = e.UUID
		}
	case 5:
		w.entries = append(w.entries, json.RawMessage(`{"type":"queue-operation","operation":"enqueue"}`))
	case 6:
		w.put("", "user", map[string]any{"isSidechain": true, "message": map[string]any{"role": "user", "content": "side"}})
		w.last = w.lastOfMain()
	case 7:
		w.message(w.last, "user", "", []any{text1("a hint")}, map[string]any{"isMeta": true})
	default:
		w.answer()
	}
}

func (w *writer) lastOfMain() string {
	for _, raw := range slices.Backward(w.entries) {
		var e struct {
			UUID string
			Side bool `json:"isSidechain"`
		}
		if _ = json.Unmarshal(raw, &e); e.UUID != "" && !e.Side {
			return e.UUID
		}
	}
	return ""
}

func text1(s string) any { return map[string]any{"type": "text", "text": s} }

// answer writes an answer, whole or a block an entry, and results of its calls.
func (w *writer) answer() {
	id, whole := w.id("m"), rapid.Bool().Draw(w.t, "one entry")
	var blocks []any
	var calls []string
	for range rapid.IntRange(1, 4).Draw(w.t, "blocks") {
		switch rapid.IntRange(0, 4).Draw(w.t, "block") {
		case 0:
			blocks = append(blocks, text1(rapid.SampledFrom([]string{"yes", "\n\n", ""}).Draw(w.t, "prose")))
		case 1:
			blocks = append(blocks, map[string]any{"type": "thinking", "thinking": "hm", "signature": "x"})
		default:
			calls = append(calls, w.id("toolu"))
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": calls[len(calls)-1], "name": "Bash", "input": map[string]any{}})
		}
	}
	at := map[string]string{}
	if whole {
		uuid := w.message(w.last, "assistant", id, blocks, nil)
		for _, c := range calls {
			at[c] = uuid
		}
	} else {
		for _, b := range blocks {
			uuid := w.message(w.last, "assistant", id, []any{b}, nil)
			if c, ok := b.(map[string]any)["id"].(string); ok {
				at[c] = uuid
			}
		}
	}
	for _, c := range rapid.Permutation(calls).Draw(w.t, "order") {
		if rapid.IntRange(0, 5).Draw(w.t, "lost") > 0 {
			w.result(at[c], c)
		}
	}
}

func (w *writer) result(parent, call string) {
	if rapid.Bool().Draw(w.t, "in a row") {
		parent = w.last
	}
	content := []any{map[string]any{"type": "tool_result", "tool_use_id": call,
		"content":  rapid.SampledFrom([]any{"out", "", []any{text1("")}, []any{text1("a"), text1("")}, nil}).Draw(w.t, "result"),
		"is_error": rapid.Bool().Draw(w.t, "error")}}
	if rapid.IntRange(0, 9).Draw(w.t, "with words") == 0 {
		content = append(content, text1("besides"))
		if rapid.Bool().Draw(w.t, "words first") {
			slices.Reverse(content)
		}
	}
	w.message(parent, "user", "", content, nil)
}

func histories(t *rapid.T) []json.RawMessage {
	w := &writer{t: t}
	w.message("", "user", "", "begin", nil)
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		w.step()
	}
	return w.entries
}

// hostile are histories to which everything happened.
func hostile(t *rapid.T) []json.RawMessage {
	entries := histories(t)
	for range rapid.IntRange(0, 5).Draw(t, "faults") {
		i := rapid.IntRange(0, len(entries)-1).Draw(t, "which")
		other, _, _ := wire(entries[rapid.IntRange(0, len(entries)-1).Draw(t, "other")])
		switch rapid.IntRange(0, 5).Draw(t, "fault") {
		case 0:
			if entries = slices.Delete(slices.Clone(entries), i, i+1); len(entries) == 0 {
				return nil
			}
		case 1:
			entries[i] = rawjson.With(entries[i], "parentUuid", rawjson.Quoted(other.UUID))
		case 2:
			entries[i] = rawjson.With(entries[i], "parentUuid", rawjson.Quoted("gone"))
		case 3:
			entries[i] = rawjson.With(entries[i], "uuid", rawjson.Quoted(other.UUID))
		case 4:
			entries = append(entries, entries[i])
		case 5:
			value := rapid.SampledFrom([]string{"null", "3", `"x"`, "[]", "{}", `[3,null,{}]`, `{"role":"user","content":[{}]}`,
				`{"role":"assistant","content":"as text"}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu-3"}]}`}).Draw(t, "value")
			key := rapid.SampledFrom([]string{"message", "type", "uuid", "parentUuid", "timestamp", "attachment"}).Draw(t, "key")
			entries[i] = rawjson.With(entries[i], key, json.RawMessage(value))
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "shuffled") == 0 {
		entries = rapid.Permutation(entries).Draw(t, "order of entries")
	}
	return entries
}

func TestEveryHistoryIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { mustRead(t, histories(t)) })
}

func TestHostileHistoriesAreAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { mustRead(t, hostile(t)) })
}

func TestEveryPrefixIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := histories(t)
		for n := range entries {
			mustRead(t, entries[:n])
		}
	})
}

// Answers given now are what a later reading finds in the store.
func TestAnswersAreReadAsTheyWereGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, later := answered(t, histories(t))
		if got, want := joinLines(later.Entries), joinLines(h.Entries); got != want {
			t.Fatalf("read later\n%s\nnot\n%s", got, want)
		}
		if later.Stopped != h.Stopped || later.Last != h.Last || later.Text != h.Text || later.Stop != h.Stop {
			t.Fatalf("read later %+v, not %+v", later, h)
		}
	})
}

// Nothing is answered twice, whatever the store looks like.
func TestAnsweredCallsAreNotOpenAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if _, later := answered(t, hostile(t)); len(later.Open) > 0 {
			t.Fatalf("open again: %v", later.Open)
		}
	})
}

// Whatever the store looks like, what is said next stands behind all that a
// reading found: nothing of the conversation is lost by going on with it.
func TestWhatIsSaidNextLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := hostile(t)
		h := mustRead(t, stored)
		for n, c := range slices.Clone(h.Open) {
			e, err := h.Answer(c.ID, Result{UUID: fmt.Sprintf("answer-%d", n), Time: time.Unix(9, 0), Text: "out"})
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, e)
		}
		words, _ := json.Marshal(map[string]any{"type": "user", "uuid": "next", "parentUuid": h.Last, "message": map[string]any{"role": "user", "content": "go on"}})
		later := mustRead(t, append(slices.Clone(stored), words))
		if n := len(later.Entries) - 1; n < 0 || joinLines(later.Entries[:n]) != joinLines(h.Entries) || !strings.Contains(string(later.Entries[n]), `"next"`) {
			t.Fatalf("read later\n%s\nnot\n%s\nand the words", joinLines(later.Entries), joinLines(h.Entries))
		}
	})
}

// answered answers all open calls of a store and reads it again with the answers.
func answered(t *rapid.T, stored []json.RawMessage) (h, later *History) {
	h = mustRead(t, stored)
	for n, c := range rapid.Permutation(h.Open).Draw(t, "open") {
		e, err := h.Answer(c.ID, Result{UUID: fmt.Sprintf("answer-%d", n), Time: time.Unix(9, 0),
			Text: "out", Stops: rapid.Bool().Draw(t, "stops")})
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, e)
	}
	if why := refusal(h); why != "" || len(h.Open) > 0 {
		t.Fatalf("%s, open: %v", why, h.Open)
	}
	return h, mustRead(t, stored)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"type":"user","uuid":"a","message":{"role":"user","content":"x"}}` + "\n" +
		`{"type":"assistant","uuid":"b","parentUuid":"a","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"X","input":{}}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var entries []json.RawMessage
		for _, line := range splitLines(text) {
			if rawjson.IsObject(line) {
				entries = append(entries, line)
			}
		}
		mustRead(t, entries)
	})
}

func splitLines(text []byte) (all []json.RawMessage) {
	start := 0
	for i, b := range text {
		if b == '\n' {
			all = append(all, text[start:i])
			start = i + 1
		}
	}
	return append(all, text[start:])
}
