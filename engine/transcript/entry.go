package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/rawjson"
)

// An entry is a stored entry, as far as its place in a conversation goes.
type entry struct {
	raw    json.RawMessage
	at     int // its place in the store
	kind   string
	uuid   string
	parent string // empty: none
	time   string

	carried []string // uuids of words that came into this entry and have none of their own

	context bool   // what Claude Code attached for the model to know
	aside   bool   // of a sub-agent or a team-mate, or without uuid: not in the main thread
	meta    bool   // not what a person or a model said
	made    bool   // Claude Code's own account of a fault, or an answer that was interrupted
	stops   bool   // ended the turn
	summary bool   // of what a compaction dropped: all that is left of it
	denied  bool   // its result refuses a call by a rule
	mark    string // of the version that it was said after; see version.go

	id     string  // the message's
	stop   string  // an assistant's stop reason
	blocks []block // of the message; those that the API takes
	edited bool    // blocks are not those of raw any more
	single bool    // the second copy of its result has to go
}

// A block is a part of a message's content.
type block struct {
	raw  json.RawMessage
	kind string
	text string // of a text
	id   string // of a call, or of the call that a result is for

	name  string // of a call
	input json.RawMessage
}

func (e *entry) isUser() bool      { return e.kind == "user" }
func (e *entry) isAssistant() bool { return e.kind == "assistant" }

// isTurn says whether somebody speaks.
func (e *entry) isTurn() bool { return e.isUser() || e.isAssistant() }

// keep drops the blocks that f does not want.
func (e *entry) keep(f func(block) bool) {
	kept := slices.DeleteFunc(slices.Clone(e.blocks), func(b block) bool { return !f(b) })
	if len(kept) < len(e.blocks) {
		e.blocks, e.edited = kept, true
	}
}

// says whether an entry holds anything but results.
func (e *entry) says() bool {
	return slices.ContainsFunc(e.blocks, func(b block) bool { return !b.isResult() })
}

// answers says whether an entry holds results.
func (e *entry) answers() bool { return slices.ContainsFunc(e.blocks, block.isResult) }

func (b block) isCall() bool   { return b.kind == "tool_use" }
func (b block) isResult() bool { return b.kind == "tool_result" }
func (b block) isThought() bool {
	return b.kind == "thinking" || b.kind == "redacted_thinking"
}

// parse reads the entries; one that is no JSON object is an error.
func parse(entries []json.RawMessage) ([]*entry, error) {
	all := make([]*entry, len(entries))
	for i, raw := range entries {
		if !rawjson.IsObject(raw) {
			return nil, fmt.Errorf("entry %d is damaged: no JSON object", i+1)
		}
		all[i] = newEntry(raw, i)
	}
	return all, nil
}

func newEntry(raw json.RawMessage, at int) *entry {
	e := &entry{raw: raw, at: at}
	var message json.RawMessage
	for m := range rawjson.Members(raw) {
		is := string(m.Value) == "true"
		switch string(m.Key) {
		case "type":
			e.kind = rawjson.Text(m.Value)
		case "uuid":
			e.uuid = rawjson.Text(m.Value)
		case "parentUuid":
			e.parent = rawjson.Text(m.Value)
		case "timestamp":
			e.time = rawjson.Text(m.Value)
		case "isSidechain":
			e.aside = e.aside || is
		case "teamName":
			e.aside = e.aside || rawjson.Text(m.Value) != ""
		case "isMeta":
			e.meta = is
		case "isApiErrorMessage", "isAbortedMidStream":
			e.made = e.made || is
		case "flowerStops":
			e.stops = is
		case "mergedSendUuids":
			e.carried = append(e.carried, texts(m.Value)...)
		case "flowerLoaded":
			e.mark = rawjson.Text(m.Value)
		case "isCompactSummary":
			e.summary = is
		case "toolDenialKind":
			e.denied = rawjson.Text(m.Value) == "permission-rule"
		case "attachment":
			e.context = opens(m.Value)
			e.carried = append(e.carried, queuedUUID(m.Value)...)
			e.stops = e.stops || isHookStop(m.Value)
		case "message":
			message = m.Value
		}
	}
	e.aside = e.aside || e.uuid == ""
	if e.isTurn() && opens(message) {
		e.readMessage(message)
	}
	return e
}

// isHookStop says whether an attachment is Claude Code's note that a hook ended the turn.
func isHookStop(attachment json.RawMessage) bool {
	return rawjson.Text(rawjson.Value(attachment, "type")) == "hook_stopped_continuation"
}

// queuedUUID is the uuid under which words were sent that Claude Code took up
// within a turn; none when the attachment is something else.
func queuedUUID(attachment json.RawMessage) []string {
	if id := rawjson.Text(rawjson.Value(attachment, "source_uuid")); id != "" {
		return []string{id}
	}
	return nil
}

// readMessage reads the message of a user or an assistant. One of another role
// than the entry's type has no blocks.
func (e *entry) readMessage(message json.RawMessage) {
	var role string
	var content json.RawMessage
	for m := range rawjson.Members(message) {
		switch string(m.Key) {
		case "role":
			role = rawjson.Text(m.Value)
		case "id":
			e.id = rawjson.Text(m.Value)
		case "model":
			e.made = e.made || rawjson.Text(m.Value) == "<synthetic>"
		case "stop_reason":
			e.stop = rawjson.Text(m.Value)
		case "content":
			content = m.Value
		}
	}
	if role != e.kind || len(content) == 0 {
		return
	}
	switch content[0] {
	case '"':
		if words := rawjson.Text(content); strings.TrimSpace(words) != "" {
			raw := slices.Concat([]byte(`{"type":"text","text":`), content, []byte("}"))
			e.blocks = []block{{raw: raw, kind: "text", text: words}}
		}
	case '[':
		e.readBlocks(rawjson.Elements(content))
	}
}

func (e *entry) readBlocks(stored []json.RawMessage) {
	for _, raw := range stored {
		b, ok := newBlock(raw)
		if ok && e.takes(b) {
			e.blocks = append(e.blocks, b)
		}
		if !ok || !e.takes(b) || !bytes.Equal(b.raw, raw) {
			e.edited = true
		}
	}
}

// takes says whether the API takes such a block from that role.
func (e *entry) takes(b block) bool {
	switch b.kind {
	case "tool_use", "thinking", "redacted_thinking":
		return e.isAssistant()
	case "tool_result", "image", "document":
		return e.isUser()
	}
	return true
}

// newBlock reads a block. False: the API would refuse it.
func newBlock(raw json.RawMessage) (block, bool) {
	b := block{raw: raw}
	if !opens(raw) {
		return b, false
	}
	value := func(key string) json.RawMessage { return rawjson.Value(raw, key) }
	b.kind = rawjson.Text(value("type"))
	switch b.kind {
	case "":
		return b, false
	case "text":
		b.text = rawjson.Text(value("text"))
		return b, strings.TrimSpace(b.text) != ""
	case "tool_use":
		b.id, b.name, b.input = rawjson.Text(value("id")), rawjson.Text(value("name")), value("input")
		return b, b.id != "" && b.name != "" && opens(b.input)
	case "tool_result":
		b.id = rawjson.Text(value("tool_use_id"))
		if content, fits := resultContent(value("content"), string(value("is_error")) == "true"); !fits {
			return b, false
		} else if content != nil {
			b.raw = rawjson.With(raw, "content", content)
		}
		return b, b.id != ""
	}
	return b, true
}

// resultContent is what a result's content must become for the API to take it:
// without blank texts, and not empty when it tells of an error. Nil: it is fine.
func resultContent(content json.RawMessage, failed bool) (better json.RawMessage, fits bool) {
	nothing := json.RawMessage(`"(no output)"`)
	switch {
	case len(content) == 0 || string(content) == "null":
		if !failed && len(content) == 0 {
			return nil, true
		}
		return nothing, true
	case content[0] == '"':
		if failed && strings.TrimSpace(rawjson.Text(content)) == "" {
			return nothing, true
		}
		return nil, true
	case content[0] != '[':
		return nil, false
	}
	all := rawjson.Elements(content)
	kept := slices.DeleteFunc(slices.Clone(all), func(raw json.RawMessage) bool {
		b, ok := newBlock(raw)
		return !ok || b.isCall() || b.isResult() || b.isThought()
	})
	switch {
	case len(kept) == 0 && (failed || len(all) > 0):
		return nothing, true
	case len(kept) < len(all):
		return rawjson.Array(kept), true
	}
	return nil, true
}

// render is the entry with its parent and its blocks.
func (e *entry) render(parent string) json.RawMessage {
	raw := e.raw
	if e.edited {
		message, _ := rawjson.Find(raw, "message")
		parts := make([]json.RawMessage, len(e.blocks))
		for i, b := range e.blocks {
			parts[i] = b.raw
		}
		raw = message.Replaced(raw, rawjson.With(message.Value, "content", rawjson.Array(parts)))
	}
	if e.single {
		raw = rawjson.Without(raw, "toolUseResult")
	}
	m, found := rawjson.Find(raw, "parentUuid")
	switch {
	case parent == "" && found && string(m.Value) == "null", parent != "" && rawjson.Text(m.Value) == parent:
		return raw
	}
	value := json.RawMessage("null")
	if parent != "" {
		value = rawjson.Quoted(parent)
	}
	if found {
		return m.Replaced(raw, value)
	}
	return rawjson.With(raw, "parentUuid", value)
}

// opens says whether a value is an object.
func opens(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// texts are the strings of an array; of anything else none.
func texts(raw []byte) []string {
	var all []string
	for _, e := range rawjson.Elements(raw) {
		all = append(all, rawjson.Text(e))
	}
	return all
}
