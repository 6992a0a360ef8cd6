package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// wireEntry is an entry as the checks read it: not with the code that they check.
type wireEntry struct {
	Type    string          `json:"type"`
	UUID    string          `json:"uuid"`
	Parent  *string         `json:"parentUuid"`
	Message json.RawMessage `json:"message"`
}

type wireBlock struct {
	Type    string          `json:"type"`
	Text    *string         `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	For     string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

func wire(raw json.RawMessage) (e wireEntry, blocks []wireBlock, err error) {
	var m struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, nil, err
	}
	if e.Type != "user" && e.Type != "assistant" {
		return e, nil, nil
	}
	if err := json.Unmarshal(e.Message, &m); err != nil {
		return e, nil, err
	}
	if m.Role != e.Type {
		return e, nil, fmt.Errorf("role '%s' in an entry of type '%s'", m.Role, e.Type)
	}
	blocks, err = wireBlocks(m.Content)
	return e, blocks, err
}

func wireBlocks(content json.RawMessage) (blocks []wireBlock, err error) {
	var text string
	if content == nil {
		return nil, nil
	}
	if json.Unmarshal(content, &text) == nil {
		return []wireBlock{{Type: "text", Text: &text}}, nil
	}
	return blocks, json.Unmarshal(content, &blocks)
}

// refusal says why the API would refuse the history, or why Claude Code would
// not find all of it; empty: it would not.
func refusal(h *History) string {
	c := checker{calls: map[string]bool{}, uuids: map[string]bool{}, due: map[string]bool{}}
	for i, raw := range h.Entries {
		e, blocks, err := wire(raw)
		if err == nil {
			err = c.entry(e, blocks)
		}
		if err != nil {
			return fmt.Sprintf("entry %d: %v: %.300s", i, err, raw)
		}
	}
	switch {
	case c.thought:
		return "ends in a thought"
	case len(h.Entries) > 0 && c.last != h.end:
		return "it ends with " + h.end
	case len(c.due) != len(h.Open):
		return fmt.Sprintf("%d calls without result, %d are open", len(c.due), len(h.Open))
	}
	for _, o := range h.Open {
		if !c.due[o.ID] {
			return "open call has a result: " + o.ID
		}
	}
	return ""
}

type checker struct {
	last    string
	begun   bool // a user has spoken
	in      bool // in an answer
	words   bool // after the answer something else than results came
	thought bool
	calls   map[string]bool
	due     map[string]bool // calls of the newest answer without result
	uuids   map[string]bool
}

func (c *checker) entry(e wireEntry, blocks []wireBlock) error {
	switch {
	case e.UUID == "" || c.uuids[e.UUID]:
		return fmt.Errorf("uuid '%s'", e.UUID)
	case c.last == "" && e.Parent != nil, c.last != "" && (e.Parent == nil || *e.Parent != c.last):
		return fmt.Errorf("its parent is not '%s'", c.last)
	}
	c.last, c.uuids[e.UUID] = e.UUID, true
	switch e.Type {
	case "assistant":
		return c.assistant(blocks)
	case "user":
		return c.user(blocks)
	}
	c.words = c.words || e.Type == "attachment"
	return nil
}

func (c *checker) assistant(blocks []wireBlock) error {
	if !c.begun {
		return fmt.Errorf("no user spoke before")
	}
	if !c.in && len(c.due) > 0 {
		return fmt.Errorf("calls without result: %v", c.due)
	}
	c.in, c.words = true, false
	return c.blocks(blocks)
}

func (c *checker) user(blocks []wireBlock) error {
	if c.thought {
		return fmt.Errorf("the answer before ends in a thought")
	}
	c.begun, c.in = true, false
	return c.blocks(blocks)
}

func (c *checker) blocks(blocks []wireBlock) error {
	if len(blocks) == 0 {
		return fmt.Errorf("no content")
	}
	for _, b := range blocks {
		if err := c.block(b); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) block(b wireBlock) error {
	c.thought = b.Type == "thinking"
	switch b.Type {
	case "text":
		c.words = c.words || !c.in
		if b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			return fmt.Errorf("blank text")
		}
	case "tool_use":
		if !c.in || c.calls[b.ID] || b.ID == "" || b.Name == "" || !strings.HasPrefix(string(b.Input), "{") {
			return fmt.Errorf("call '%s'", b.ID)
		}
		c.calls[b.ID], c.due[b.ID] = true, true
	case "tool_result":
		if c.in || c.words || !c.due[b.For] {
			return fmt.Errorf("result for '%s', in an answer %v, after words %v", b.For, c.in, c.words)
		}
		delete(c.due, b.For)
		return resultFits(b)
	}
	return nil
}

func resultFits(b wireBlock) error {
	parts, err := wireBlocks(b.Content)
	for _, p := range parts {
		if p.Type == "text" && (p.Text == nil || *p.Text == "" && string(b.Content) != `""`) {
			return fmt.Errorf("blank text in a result")
		}
		if b.IsError && p.Type == "text" && strings.TrimSpace(*p.Text) == "" {
			return fmt.Errorf("nothing in an error")
		}
	}
	if b.IsError && len(parts) == 0 {
		return fmt.Errorf("nothing in an error")
	}
	return err
}

// mustRead reads and checks all that is promised of every reading.
func mustRead(t interface {
	Helper()
	Fatalf(string, ...any)
}, entries []json.RawMessage) *History {
	t.Helper()
	before := joinLines(entries)
	h, err := Read(entries, Options{CarryOn: carryOn})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if after := joinLines(entries); after != before {
		t.Fatalf("the input was changed\nfrom %s\nto   %s", before, after)
	}
	if why := refusal(h); why != "" {
		t.Fatalf("%s\nread %s\nfrom %s", why, joinLines(h.Entries), before)
	}
	again, err := Read(h.Entries, Options{CarryOn: carryOn})
	if err != nil {
		t.Fatalf("read again: %v", err)
	}
	if got, want := joinLines(again.Entries), joinLines(h.Entries); got != want {
		t.Fatalf("reading again gives\n%s\nnot\n%s\nfrom %s", got, want, before)
	}
	if twice, _ := Read(entries, Options{CarryOn: carryOn}); joinLines(twice.Entries) != joinLines(h.Entries) {
		t.Fatalf("two readings differ")
	}
	return h
}

const carryOn = "Carry the turn on."

func joinLines(entries []json.RawMessage) string {
	var b strings.Builder
	for _, e := range entries {
		b.Write(e)
		b.WriteByte('\n')
	}
	return b.String()
}

func lines(t *testing.T, text string) []json.RawMessage {
	t.Helper()
	var all []json.RawMessage
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, json.RawMessage(line))
		}
	}
	return all
}
