package transcript

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A life is a session over several processes, with a model whose thoughts are
// sealed with all that stood before them.
type life struct {
	t      *rapid.T
	o      Options
	policy policy
	stored []json.RawMessage
	n      int

	h    *History
	sent []json.RawMessage // the conversation as this process has it
}

// newLife begins one in which few results stay.
func newLife(t *rapid.T) *life {
	l := &life{t: t, o: Options{Expires: glances, Point: folder{}.point}, policy: usual()}
	l.policy.keepGlances, l.policy.keepLong = rapid.IntRange(0, 2).Draw(t, "glances"), rapid.IntRange(0, 2).Draw(t, "long")
	l.policy.requests = rapid.SampledFrom([]int{0, 5, 35, 10_000}).Draw(t, "requests")
	return l
}

func (l *life) id(kind string) string { l.n++; return fmt.Sprintf("%s-%d", kind, l.n) }

func (l *life) load() *History {
	h, err := read(l.stored, l.o, l.policy)
	if err != nil {
		l.t.Fatal(err)
	}
	if why := refusal(h); why != "" {
		l.t.Fatalf("%s\n%s", why, joinLines(h.Entries))
	}
	if twice, _ := read(l.stored, l.o, l.policy); joinLines(twice.Entries) != joinLines(h.Entries) || twice.Mark != h.Mark {
		l.t.Fatal("two readings differ")
	}
	return h
}

// seal is what a thought is bound to: every block before it.
func seal(entries []json.RawMessage, before []any) string {
	sum := sha256.New()
	for _, raw := range entries {
		var e struct {
			Message struct {
				Content []any `json:"content"`
			} `json:"message"`
		}
		_ = json.Unmarshal(raw, &e)
		for _, b := range append(e.Message.Content, before...) {
			if len(e.Message.Content) > 0 {
				text, _ := json.Marshal(b)
				sum.Write(text)
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:6])
}

// put stores an entry of this process.
func (l *life) put(role string, content []any, more map[string]any) {
	e := map[string]any{"type": role, "uuid": l.id("u"), "parentUuid": nil, "sessionId": "s", "timestamp": "2026-05-04T03:02:01.000Z"}
	if len(l.sent) > 0 {
		last, _, _ := wire(l.sent[len(l.sent)-1])
		e["parentUuid"] = last.UUID
	}
	m := map[string]any{"role": role, "content": content}
	if role == "assistant" {
		m["id"] = l.id("m")
		if l.h.Mark != "" {
			e["flowerLoaded"] = l.h.Mark
		}
	}
	e["message"] = m
	for k, v := range more {
		e[k] = v
	}
	raw, _ := json.Marshal(e)
	l.stored, l.sent = append(l.stored, raw), append(l.sent, raw)
}

// process lives from one start to one end, which may be in the middle of a call.
func (l *life) process() {
	l.h = l.load()
	for _, c := range append([]Call(nil), l.h.Open...) {
		stored, err := l.h.Answer(c.ID, Result{UUID: l.id("u"), Time: time.Unix(9, 0), Text: CutOff})
		if err != nil {
			l.t.Fatal(err)
		}
		l.stored = append(l.stored, stored)
	}
	l.sent = append([]json.RawMessage(nil), l.h.Entries...)
	l.check()
	l.whole()
	if len(l.h.Open) == 0 && (len(l.sent) == 0 || rapid.Bool().Draw(l.t, "words")) {
		l.put("user", []any{text1(l.id("words"))}, nil)
	}
	for range rapid.IntRange(0, 10).Draw(l.t, "answers") {
		if !l.answer() {
			return
		}
	}
}

// answer is one answer with its results; false: the process died before the last.
func (l *life) answer() bool {
	var blocks []any
	if rapid.IntRange(0, 2).Draw(l.t, "thinks") > 0 {
		blocks = append(blocks, map[string]any{"type": "thinking", "thinking": "hm", "signature": seal(l.sent, nil)})
	}
	calls := rapid.IntRange(0, 2).Draw(l.t, "calls")
	if calls == 0 {
		l.put("assistant", append(blocks, text1("yes")), nil)
		l.put("user", []any{text1(l.id("words"))}, nil)
		return true
	}
	var ids []string
	for range calls {
		command := rapid.SampledFrom([]string{"git status", "ls", "make"}).Draw(l.t, "command")
		ids = append(ids, l.id("toolu"))
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": ids[len(ids)-1], "name": "Bash", "input": map[string]any{"command": command}})
	}
	l.put("assistant", blocks, nil)
	for i, id := range ids {
		if i == len(ids)-1 && rapid.IntRange(0, 7).Draw(l.t, "dies") == 0 {
			return false
		}
		l.result(id)
	}
	return true
}

func (l *life) result(id string) {
	var more map[string]any
	text := strings.Repeat("x", rapid.SampledFrom([]int{1, 300, 2500}).Draw(l.t, "size"))
	failed := false
	switch rapid.IntRange(0, 7).Draw(l.t, "result") {
	case 0:
		text, failed, more = "refused", true, map[string]any{"toolDenialKind": "permission-rule", "toolUseResult": "refused"}
	case 1:
		text, failed = "[Request interrupted by user for tool use]", true
	}
	l.put("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}}, more)
}

// check: every thought stands behind the very words that it was thought behind.
func (l *life) check() {
	for i, raw := range l.sent {
		var e struct {
			Message struct {
				Content []struct{ Type, Signature string } `json:"content"`
			} `json:"message"`
		}
		_ = json.Unmarshal(raw, &e)
		for _, b := range e.Message.Content {
			if b.Type == "thinking" && b.Signature != seal(l.sent[:i], nil) {
				l.t.Fatalf("entry %d: a thought is behind other words\n%s\nstored:\n%s", i, joinLines(l.sent), joinLines(l.stored))
			}
		}
	}
}

// whole: the newest answer has its thoughts, which the API wants back with its calls.
func (l *life) whole() {
	stored := map[string]json.RawMessage{}
	for _, raw := range l.stored {
		e, _, _ := wire(raw)
		stored[e.UUID] = raw
	}
	for _, raw := range slices.Backward(l.sent) {
		e, _, _ := wire(raw)
		if e.Type != "assistant" {
			continue
		}
		if was := string(stored[e.UUID]); strings.Contains(was, "tool_use") && strings.Contains(was, "signature") && !strings.Contains(string(raw), "signature") {
			l.t.Fatalf("the newest answer lost its thoughts: %s\nwas %s", raw, was)
		}
		return
	}
}

// same: while no version is made anew, a process starts from the very bytes that
// the one before it ended with, so that the API's cache holds.
func (l *life) same(before *History, sent []json.RawMessage) {
	if before == nil || len(l.h.Open) > 0 || l.h.Mark != before.Mark {
		return
	}
	for i, raw := range sent {
		if i >= len(l.h.Entries) || string(raw) != string(l.h.Entries[i]) {
			l.t.Fatalf("entry %d differs\nfrom %s\nin %s\nwas %s", i, raw, joinLines(l.h.Entries), joinLines(sent))
		}
	}
}

func TestThoughtsStayBehindTheirWords(t *testing.T) {
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		for range rapid.IntRange(1, 5).Draw(t, "processes") {
			before, sent := l.h, l.sent
			l.process()
			l.same(before, sent)
			if l.h.Mark != "" {
				changed++
			}
		}
		l.load()
	})
	if changed == 0 {
		t.Error("no reading changed anything")
	}
}
