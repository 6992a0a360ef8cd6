package messages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"git-flower/engine/harness/wire"
	"git-flower/engine/rawjson"
	"git-flower/engine/transcript"
)

// A conversation is the history as the API wants it: user and assistant in
// turn, every call answered in the message that follows it. It is the same
// whether it was lived through or loaded, so that a resumed session sends the
// bytes it would have sent without the crash.
type conversation struct {
	messages []*message
	ids      map[string]bool   // of tool calls, ever
	said     map[string]bool   // uuids of entries
	seen     map[string]string // sha256 of files as tools last showed or wrote them, by path
	shells   int               // how many commands were started in the background
	pictures wire.Size         // results that hold pictures
}

// A message is one API message; neighbours of one role are one message.
type message struct {
	assistant bool
	blocks    []json.RawMessage // an assistant's blocks; a user's texts and the like
	results   []toolResult      // a user's, as they came
	calls     []call            // an assistant's, for us to run
	stop      string            // an assistant's stop reason
	text      string            // an assistant's prose
	stops     bool              // a result in it ended the turn

	rendered []byte // cached; nil after a change
}

type toolResult struct {
	id  string
	raw json.RawMessage
}

// A call is a tool_use block that is ours to answer.
type call struct {
	id    string
	name  string
	input json.RawMessage
	bad   string // what the model wrote when it was no JSON object
}

func newConversation() *conversation {
	return &conversation{ids: map[string]bool{}, said: map[string]bool{}, seen: map[string]string{}}
}

func (c *conversation) last() *message {
	if len(c.messages) == 0 {
		return nil
	}
	return c.messages[len(c.messages)-1]
}

// at is the newest message if it has that role, else a new one.
func (c *conversation) at(assistant bool) *message {
	if m := c.last(); m != nil && m.assistant == assistant {
		m.rendered = nil
		return m
	}
	m := &message{assistant: assistant}
	c.messages = append(c.messages, m)
	return m
}

func (c *conversation) addText(raw json.RawMessage) {
	m := c.at(false)
	m.blocks = append(m.blocks, raw)
	m.stops = false // these words want an answer
}

func (c *conversation) addResult(id string, raw json.RawMessage, stops bool) {
	m := c.at(false)
	m.results = append(m.results, toolResult{id, raw})
	m.stops = m.stops || stops
	if bytes.Contains(raw, []byte(`"type":"base64"`)) {
		c.pictures.Bytes += int64(len(raw))
		c.pictures.Pictures++
	}
}

func (c *conversation) addAssistant(blocks []json.RawMessage, calls []call, stop, text string) {
	m := c.at(true)
	m.blocks = append(m.blocks, blocks...)
	m.calls = append(m.calls, calls...)
	m.stop, m.text = stop, text
	for _, k := range calls {
		c.ids[k.id] = true
	}
}

// open lists the calls of the newest assistant message that have no result.
func (c *conversation) open() []call {
	i := len(c.messages) - 1
	var answered []toolResult
	if i >= 0 && !c.messages[i].assistant {
		answered = c.messages[i].results
		i--
	}
	if i < 0 || !c.messages[i].assistant {
		return nil
	}
	var open []call
	for _, k := range c.messages[i].calls {
		if !slices.ContainsFunc(answered, func(r toolResult) bool { return r.id == k.id }) {
			open = append(open, k)
		}
	}
	return open
}

// recall takes from all stored entries what counts whether or not it is in the
// conversation that h is.
func (c *conversation) recall(entries []json.RawMessage, h *transcript.History) {
	c.said, c.ids = h.Said, h.Called
	for _, raw := range entries {
		if !bytes.Contains(raw, []byte(`"flowerSeen"`)) && !bytes.Contains(raw, []byte(`"flowerShells"`)) {
			continue
		}
		var e stored
		if json.Unmarshal(raw, &e) == nil {
			maps.Copy(c.seen, e.Seen)
			c.shells = max(c.shells, e.Shells)
		}
	}
}

// load rebuilds the conversation from a history's entries.
func (c *conversation) load(entries []json.RawMessage) error {
	for i, raw := range entries {
		var e stored
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("entry %d is damaged: %w", i+1, err)
		}
		if e.Type != "user" && e.Type != "assistant" {
			continue
		}
		blocks, err := contentBlocks(e.Message.Content)
		if err != nil {
			return fmt.Errorf("entry %d ('%s'): %w", i+1, e.UUID, err)
		}
		if e.Type == "assistant" {
			c.loadAssistant(&e, blocks)
		} else {
			c.loadUser(&e, blocks)
		}
	}
	return nil
}

// contentBlocks splits a message's content, which may be a plain string.
func contentBlocks(raw json.RawMessage) ([]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil || text == "" {
			return nil, err
		}
		return []json.RawMessage{textBlock(text)}, nil
	}
	var blocks []json.RawMessage
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	return blocks, nil
}

// A blockHead is what we look at in a stored block.
type blockHead struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
}

func (c *conversation) loadAssistant(e *stored, blocks []json.RawMessage) {
	var kept []json.RawMessage
	var calls []call
	var text string
	for _, raw := range blocks {
		var h blockHead
		if json.Unmarshal(raw, &h) != nil || h.Type == "text" && h.Text == "" {
			continue
		}
		if h.Type != "thinking" {
			raw = rawjson.Without(raw, "cache_control")
		}
		kept = append(kept, raw)
		switch h.Type {
		case "text":
			text += h.Text
		case "tool_use":
			calls = append(calls, call{id: h.ID, name: h.Name, input: h.Input})
		}
	}
	if len(kept) > 0 {
		c.addAssistant(kept, calls, e.Message.StopReason, text)
	}
}

func (c *conversation) loadUser(e *stored, blocks []json.RawMessage) {
	for _, raw := range blocks {
		raw = rawjson.Without(raw, "cache_control")
		var h blockHead
		switch {
		case json.Unmarshal(raw, &h) != nil || h.Type == "text" && h.Text == "":
		case h.Type == "tool_result":
			c.addResult(h.ToolUseID, raw, e.Stops)
		default:
			c.addText(raw)
		}
	}
}

// A cacheMark is put on blocks up to which the API should keep the prompt.
const (
	cacheMark     = `,"cache_control":{"type":"ephemeral"}`            // for five minutes after each use
	cacheMarkHour = `,"cache_control":{"type":"ephemeral","ttl":"1h"}` // for an hour
)

// appendTo appends the messages, comma separated, with the cache mark on the
// last block of each of the newest two user messages.
func (c *conversation) appendTo(body []byte, mark string) []byte {
	marked := c.newestUsers(2)
	var before []call
	first := true
	for i, m := range c.messages {
		if first && m.assistant {
			continue // the API wants a user's message first; what led to this one is lost
		}
		if !first {
			body = append(body, ',')
		}
		first = false
		if i >= marked && !m.assistant {
			body = m.appendTo(body, before, mark)
		} else {
			if m.rendered == nil {
				m.rendered = m.appendTo(nil, before, "")
			}
			body = append(body, m.rendered...)
		}
		before = m.calls
	}
	return body
}

// newestUsers is the index of the nth newest user message, 0 if there are fewer.
func (c *conversation) newestUsers(n int) int {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if !c.messages[i].assistant {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// appendTo appends one message, with a mark on its last block. before are the calls a
// user's message must answer.
func (m *message) appendTo(body []byte, before []call, mark string) []byte {
	blocks, role := m.blocks, "assistant"
	if !m.assistant {
		blocks, role = m.userBlocks(before), "user"
	}
	body = append(body, `{"role":"`...)
	body = append(body, role...)
	body = append(body, `","content":[`...)
	for i, b := range blocks {
		if i > 0 {
			body = append(body, ',')
		}
		if mark != "" && i == len(blocks)-1 {
			b = bytes.TrimRight(b, " \t\r\n")
			body = append(body, b[:len(b)-1]...)
			body = append(body, mark...)
			body = append(body, '}')
		} else {
			body = append(body, b...)
		}
	}
	return append(body, "]}"...)
}

// userBlocks are the results in call order, then the rest. A result whose call
// is not in the message before is left out, a call without result gets one: the
// API refuses anything else, for ever.
func (m *message) userBlocks(before []call) []json.RawMessage {
	var blocks []json.RawMessage
	for _, k := range before {
		i := slices.IndexFunc(m.results, func(r toolResult) bool { return r.id == k.id })
		if i >= 0 {
			blocks = append(blocks, m.results[i].raw)
		} else {
			blocks = append(blocks, resultBlock(k.id, errorResult(cutOffText)))
		}
	}
	blocks = append(blocks, m.blocks...)
	if len(blocks) == 0 {
		blocks = append(blocks, textBlock("[a result stood here whose call is no longer in this conversation]"))
	}
	return blocks
}
