package proxy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"git-flower/engine/rawjson"
)

// notAsked is what the CLI puts into the mouth of the model when a transcript
// that it resumes ends with a user's message.
const notAsked = "No response requested."

// carriedOn is a body without the user's blocks whose text is words, and without
// the answers that the CLI made up before them. The same bytes when there are
// none, or when what is left would not be a conversation.
func carriedOn(body []byte, words string) []byte {
	words = strings.TrimSpace(words)
	list, found := rawjson.Find(body, "messages")
	if words == "" || !found {
		return body
	}
	t := &thread{words: words}
	for _, raw := range rawjson.Elements(list.Value) {
		m, ok := split(raw)
		if !ok {
			return body
		}
		t.in = append(t.in, m)
	}
	if !t.cut() {
		return body
	}
	rest := make([]json.RawMessage, len(t.out))
	for i, m := range t.out {
		rest[i] = m.bytes()
	}
	return carriedOn(list.Replaced(body, rawjson.Array(rest)), words)
}

// A message is one of a request's.
type message struct {
	raw     json.RawMessage
	role    string
	content rawjson.Member
	blocks  []json.RawMessage // a plain string is one text block
	changed bool
}

func split(raw []byte) (*message, bool) {
	role, hasRole := rawjson.Find(raw, "role")
	content, hasContent := rawjson.Find(raw, "content")
	if !hasRole || !hasContent {
		return nil, false
	}
	m := &message{raw: raw, role: rawjson.Text(role.Value), content: content}
	switch v := content.Value; v[0] {
	case '"':
		m.blocks = []json.RawMessage{slices.Concat([]byte(`{"type":"text","text":`), v, []byte(`}`))}
	case '[':
		m.blocks = rawjson.Elements(v)
	default:
		return nil, false
	}
	return m, true
}

func (m *message) bytes() json.RawMessage {
	if !m.changed {
		return m.raw
	}
	return m.content.Replaced(m.raw, rawjson.Array(m.blocks))
}

// only says whether the message is one text and nothing else.
func (m *message) only(role, words string) bool {
	return m.role == role && len(m.blocks) == 1 && says(m.blocks[0], words)
}

// says compares a block with a text, without the blanks around it: the CLI ends
// a text with a line feed when another follows.
func says(block []byte, words string) bool {
	said := rawjson.Value(block, "text")
	if said == nil || rawjson.Text(rawjson.Value(block, "type")) != "text" {
		return false
	}
	const blanks = 64
	if n := len(said); n < len(words) || n > len(`\u0000`)*(len(words)+blanks) {
		return false
	}
	return strings.TrimSpace(rawjson.Text(said)) == words
}

// A thread is a conversation from which words are cut.
type thread struct {
	words   string
	in, out []*message
	touches bool // something was cut between the newest of out and what comes next
}

// cut fills out, and says whether that differs from in.
func (t *thread) cut() bool {
	some := false
	for i := 0; i < len(t.in); i++ {
		m, made := t.in[i], (*message)(nil)
		if i+1 < len(t.in) && m.only("assistant", notAsked) && t.has(t.in[i+1]) {
			made, m = m, t.in[i+1]
		}
		switch {
		case !t.has(m) || !t.legal(m, made, t.in[min(i+1+count(made), len(t.in)):]):
			t.add(t.in[i])
			continue
		case made != nil:
			i++
			t.drop(made, func(json.RawMessage) bool { return true })
		}
		some = true
		t.drop(m, func(b json.RawMessage) bool { return says(b, t.words) })
	}
	return some
}

func count(made *message) int {
	if made == nil {
		return 0
	}
	return 1
}

func (t *thread) has(m *message) bool {
	return m.role == "user" && slices.ContainsFunc(m.blocks, func(b json.RawMessage) bool { return says(b, t.words) })
}

// legal says whether the words may be cut from a message, and the made-up answer
// before it: a conversation begins with the user, does not end with a finished
// answer, and has a system message only behind a user's, as the last or before
// an answer.
func (t *thread) legal(m, made *message, rest []*message) bool {
	var before, next string
	if n := len(t.out); n > 0 {
		before = t.out[n-1].role
		if before == "assistant" && t.out[n-1].paused() {
			before = "user"
		}
	}
	if len(rest) > 0 {
		next = rest[0].role
	}
	if !t.all(m) {
		return made == nil || before == "user"
	}
	switch before {
	case "user":
		return true
	case "assistant":
		return next == "user" || next == "assistant"
	case "system":
		return next == "" || next == "assistant"
	}
	return next == "user"
}

// all says whether the message is nothing but the words.
func (t *thread) all(m *message) bool {
	return !slices.ContainsFunc(m.blocks, func(b json.RawMessage) bool { return !says(b, t.words) })
}

// paused says whether the message ends in work of the server, which goes on
// when it is sent back.
func (m *message) paused() bool {
	if len(m.blocks) == 0 {
		return false
	}
	kind := rawjson.Text(rawjson.Value(m.blocks[len(m.blocks)-1], "type"))
	return kind == "server_tool_use" || kind != "tool_result" && strings.HasSuffix(kind, "_tool_result")
}

// drop takes blocks out of a message and adds what is left of it. The cache
// mark of a block that goes is put on the one before it.
func (t *thread) drop(m *message, goes func(json.RawMessage) bool) {
	left := &message{raw: m.raw, role: m.role, content: m.content, changed: true}
	for _, b := range m.blocks {
		if !goes(b) {
			left.blocks = append(left.blocks, b)
			continue
		}
		if mark := rawjson.Value(b, "cache_control"); mark != nil && !left.mark(mark) {
			t.mark(mark)
		}
	}
	if t.touches = len(left.blocks) == 0 || t.touches; len(left.blocks) > 0 {
		t.add(left)
	}
}

// add appends a message. When what stood between it and one of the same role
// was cut, the two become one.
func (t *thread) add(m *message) {
	n := len(t.out)
	if t.touches && n > 0 && t.out[n-1].role == m.role {
		m = &message{raw: m.raw, role: m.role, content: m.content, changed: true,
			blocks: slices.Concat(t.out[n-1].blocks, m.blocks)}
		t.out = t.out[:n-1]
	}
	t.out, t.touches = append(t.out, m), false
}

func (t *thread) mark(mark []byte) {
	for i := len(t.out) - 1; i >= 0; i-- {
		if m := *t.out[i]; m.mark(mark) {
			t.out[i] = &m
			return
		}
	}
}

// mark puts a cache mark on the newest block that can have one; false when none can.
func (m *message) mark(mark []byte) bool {
	for i := len(m.blocks) - 1; i >= 0; i-- {
		b := m.blocks[i]
		kind := rawjson.Text(rawjson.Value(b, "type"))
		switch {
		case kind == "" || strings.HasSuffix(kind, "thinking"):
			continue
		case kind == "text" && rawjson.Text(rawjson.Value(b, "text")) == "":
			continue
		case rawjson.Value(b, "cache_control") != nil:
			return true
		}
		b = bytes.TrimSpace(b)
		m.blocks = slices.Clone(m.blocks)
		m.blocks[i] = slices.Concat(b[:len(b)-1], []byte(`,"cache_control":`), mark, []byte(`}`))
		m.changed = true
		return true
	}
	return false
}
