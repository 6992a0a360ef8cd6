package messages

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-flower/engine/harness"
)

// usable is what of a reply can be sent back: the API refuses empty text,
// reasoning whose signature was cut off, and calls with a repeated id or an
// input that is no object.
func (t *turn) usable(r *reply) (*answer, error) {
	a := &answer{empty: true}
	for _, b := range r.blocks {
		raw, err := b.raw()
		if err != nil {
			return nil, err
		}
		if raw, err = t.look(a, b, raw); err != nil {
			return nil, err
		}
		if raw != nil {
			a.blocks = append(a.blocks, raw)
		}
	}
	if n := len(r.blocks); n > 0 {
		a.endsInCall = r.blocks[n-1].kind == "tool_use"
	}
	if a.empty {
		a.blocks = nil
	}
	return a, nil
}

// look takes one block into the answer. It returns the block's bytes, changed
// only where they must be, or nil when the block is left out.
func (t *turn) look(a *answer, b *block, raw json.RawMessage) (json.RawMessage, error) {
	switch b.kind {
	case "text":
		text := b.prose()
		if strings.TrimSpace(text) == "" {
			return nil, nil
		}
		a.empty = false
		a.text += text
		a.events = append(a.events, harness.Text{Text: text})
	case "thinking":
		if !b.signed() {
			return nil, nil
		}
		a.events = append(a.events, harness.Thinking{Text: b.prose()})
	case "redacted_thinking":
	case "tool_use":
		a.empty = false
		return t.lookAtCall(a, b, raw)
	default:
		a.empty = false
		a.events = append(a.events, harness.Raw{Data: raw})
	}
	return raw, nil
}

// lookAtCall takes a tool call into the answer, under an id that is unique in
// the session and with an input that is an object.
func (t *turn) lookAtCall(a *answer, b *block, raw json.RawMessage) (json.RawMessage, error) {
	k := call{id: b.id, name: b.name}
	input, ok := b.input()
	var err error
	if !ok {
		k.bad, input = string(input), json.RawMessage("{}")
		if raw, err = replaced(raw, "input", input); err != nil {
			return nil, err
		}
	}
	k.input = input
	if !t.fresh(a, k.id) {
		k.id = "toolu_" + strings.ReplaceAll(newUUID(), "-", "")
		if raw, err = replaced(raw, "id", quoted(k.id)); err != nil {
			return nil, err
		}
	}
	if k.name == "" || len(k.name) > 128 {
		return nil, fmt.Errorf("tool call '%s' has no usable name", k.id)
	}
	a.calls = append(a.calls, k)
	return raw, nil
}

// fresh says whether an id can be a call's: well formed and never used before.
func (t *turn) fresh(a *answer, id string) bool {
	if id == "" || len(id) > 128 || t.convo.ids[id] {
		return false
	}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	for _, k := range a.calls {
		if k.id == id {
			return false
		}
	}
	return true
}
