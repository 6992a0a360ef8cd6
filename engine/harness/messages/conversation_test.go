package messages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/harness/wire"
	"git-flower/engine/rawjson"
	"git-flower/engine/transcript"
)

// sent decodes what a conversation sends.
func sent(t interface{ Fatalf(string, ...any) }, c *conversation) []harnesstest.WireMessage {
	var ms []harnesstest.WireMessage
	body := append(c.appendTo([]byte("["), cacheMark), ']')
	if err := json.Unmarshal(body, &ms); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, body)
	}
	return ms
}

// whole says what the API would refuse of messages.
func refused(ms []harnesstest.WireMessage) string {
	open := map[string]bool{}
	for i, m := range ms {
		switch {
		case i == 0 && m.Role != "user":
			return "begins with " + m.Role
		case i > 0 && m.Role == ms[i-1].Role:
			return fmt.Sprintf("two messages of %s", m.Role)
		case len(m.Content) == 0:
			return "an empty message"
		}
		answered := map[string]bool{}
		for _, b := range m.Content {
			switch {
			case b.Type == "tool_result" && (!open[b.ToolUseID] || answered[b.ToolUseID]):
				return "a result too many: " + b.ToolUseID
			case b.Type == "tool_result":
				answered[b.ToolUseID] = true
			}
		}
		if m.Role == "user" && len(answered) != len(open) {
			return "a call without result"
		}
		clear(open)
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				open[b.ID] = true
			}
		}
	}
	return ""
}

// loaded is a conversation as a session resumes it.
func loaded(entries []json.RawMessage) (*conversation, error) {
	h, err := transcript.Read(entries, transcript.Options{})
	if err != nil {
		return nil, err
	}
	c := newConversation()
	c.recall(entries, h)
	return c, c.load(h.Entries)
}

func TestAnyTranscriptLoadsIntoAWholeConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []json.RawMessage
		id := rapid.SampledFrom([]string{"a", "b", "c"})
		n := rapid.IntRange(0, 12).Draw(t, "entries")
		for i := range n {
			content := rapid.SampledFrom([]string{
				`"words"`, `""`, `[]`, `[{"type":"text","text":"t"}]`, `[{"type":"text","text":""}]`,
				`[{"type":"tool_use","id":"%s","name":"Bash","input":{}}]`,
				`[{"type":"tool_use","id":"%s","name":"x","input":{}},{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}]`,
				`[{"type":"tool_result","tool_use_id":"%s","content":[{"type":"text","text":"r"}]}]`,
				`[{"type":"text","text":"w"},{"type":"tool_result","tool_use_id":"%s","content":"r","cache_control":{"type":"ephemeral"}}]`,
			}).Draw(t, "content")
			if strings.Contains(content, "%s") {
				content = fmt.Sprintf(content, id.Draw(t, "id"))
			}
			kind := rapid.SampledFrom([]string{"user", "assistant", "system"}).Draw(t, "type")
			if strings.Contains(content, "tool_use\"") && kind == "user" {
				kind = "assistant"
			}
			if strings.Contains(content, "tool_result") && kind == "assistant" {
				kind = "user"
			}
			entries = append(entries, json.RawMessage(fmt.Sprintf(`{"type":"%s","uuid":"u%d","message":{"role":"%s","content":%s}}`, kind, i, kind, content)))
		}
		c, err := loaded(entries)
		if err != nil {
			t.Fatalf("load: %v", err)
		}
		for _, k := range c.open() {
			c.addResult(k.id, resultBlock(k.id, errorResult(cutOffText)), false)
		}
		c.addText(textBlock("go on"))
		ms := sent(t, c)
		if problem := refused(ms); problem != "" {
			t.Fatalf("%s\n%s", problem, c.appendTo(nil, cacheMark))
		}
		if n := bytes.Count(c.appendTo(nil, cacheMark), []byte("cache_control")); n > 2 {
			t.Fatalf("%d cache marks", n)
		}
		if a, b := c.appendTo(nil, cacheMark), c.appendTo(nil, cacheMark); !bytes.Equal(a, b) {
			t.Fatalf("two renderings differ")
		}
	})
}

func TestResultsGoInCallOrderBeforeWords(t *testing.T) {
	c := newConversation()
	c.addText(textBlock("go"))
	c.addAssistant([]json.RawMessage{json.RawMessage(`{"type":"tool_use","id":"a","name":"x","input":{}}`), json.RawMessage(`{"type":"tool_use","id":"b","name":"x","input":{}}`)},
		[]call{{id: "a"}, {id: "b"}}, "tool_use", "")
	c.addText(textBlock("by the way"))
	c.addResult("b", resultBlock("b", harness.Result{Text: "B"}), false)
	if open := c.open(); len(open) != 1 || open[0].id != "a" {
		t.Fatalf("open %+v", open)
	}
	c.addResult("a", resultBlock("a", harness.Result{Text: "A"}), false)
	got := sent(t, c)[2].Content
	if got[0].Result() != "A" || got[1].Result() != "B" || got[2].Text != "by the way" {
		t.Errorf("sent %+v", got)
	}
}

func TestMarksAreOnTheNewestTwoUserMessages(t *testing.T) {
	c := newConversation()
	for i := range 4 {
		c.addText(textBlock(fmt.Sprint("u", i)))
		c.addAssistant([]json.RawMessage{textBlock("a")}, nil, "end_turn", "a")
	}
	c.addText(textBlock("last"))
	ms := sent(t, c)
	for i, m := range ms {
		want := i == len(ms)-1 || i == len(ms)-3
		if got := m.Content[len(m.Content)-1].Cache != nil; got != want {
			t.Errorf("message %d marked: %v", i, got)
		}
	}
}

func TestResultsOfAllKinds(t *testing.T) {
	for _, c := range []struct {
		r    harness.Result
		want string
	}{
		{harness.Result{}, `"text":"(no output)"`},
		{harness.Result{Text: "a\x00b\xffc"}, "\"text\":\"a\uFFFDb\\ufffdc\""},
		{harness.Result{Text: "x", IsError: true}, `"is_error":true`},
		{harness.Result{Image: &harness.Image{MediaType: "image/png", Data: []byte{1}}}, `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQ=="}}]`},
	} {
		if got := string(resultBlock("t", c.r)); !strings.Contains(got, c.want) || !json.Valid([]byte(got)) {
			t.Errorf("%+v: %s", c.r, got)
		}
	}
	if r := capped(harness.Result{Text: strings.Repeat("é", maxResult)}); len(r.Text) > maxResult+100 {
		t.Errorf("capped to %d bytes", len(r.Text))
	}
}

func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":{"c":[1.0,2e3]}}`, `{"a":"<&>"}`, `[1]`, `{"a":1,"a":2}`, ` { "x" : null } `, `{`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ms, err := members(json.RawMessage(s))
		if err != nil {
			return
		}
		out := object(ms)
		if !json.Valid(out) {
			t.Fatalf("%q became %q", s, out)
		}
		again, err := members(out)
		if err != nil || len(again) != len(ms) {
			t.Fatalf("%q: %v", out, err)
		}
		for i := range ms {
			if again[i].key != ms[i].key || !bytes.Equal(again[i].value, ms[i].value) {
				t.Fatalf("member %d of %q changed", i, s)
			}
		}
	})
}

// FuzzReply feeds events one a line; whatever comes, nothing panics, and what
// is kept is JSON that can be sent back.
func FuzzReply(f *testing.F) {
	f.Add(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":3}}}
{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"Bash","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
{"type":"message_stop"}`)
	f.Add(`{"type":"message_start","message":{}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"x":1}}}`)
	f.Fuzz(func(t *testing.T, lines string) {
		r := &reply{}
		for line := range strings.SplitSeq(lines, "\n") {
			var e wire.Event
			if json.Unmarshal([]byte(line), &e) != nil || r.Take(&e) != nil {
				break
			}
			r.take(&e)
		}
		turn := &turn{session: &session{convo: newConversation()}}
		a, err := turn.usable(r)
		if err != nil {
			return
		}
		if !json.Valid(r.assistantMessage(a.blocks)) {
			t.Fatalf("not JSON: %s", r.assistantMessage(a.blocks))
		}
		for _, k := range a.calls {
			if !rawjson.IsObject(k.input) || k.id == "" {
				t.Fatalf("call %+v", k)
			}
		}
		_ = r.Counted(1)
	})
}

func FuzzLoad(f *testing.F) {
	f.Add(`{"type":"user","uuid":"u","message":{"role":"user","content":"x"}}`)
	f.Add(`{"type":"assistant","uuid":"u","message":{"role":"assistant","content":[{"type":"tool_use","id":"a"}]}}`)
	f.Fuzz(func(t *testing.T, entry string) {
		c, err := loaded([]json.RawMessage{json.RawMessage(entry)})
		if err != nil {
			return
		}
		for _, k := range c.open() {
			c.addResult(k.id, resultBlock(k.id, errorResult("x")), false)
		}
		c.addText(textBlock("go"))
		if body := append(c.appendTo([]byte("["), cacheMark), ']'); !json.Valid(body) {
			t.Fatalf("%q is sent as %s", entry, body)
		}
	})
}
