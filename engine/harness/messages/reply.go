package messages

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-flower/engine/harness/wire"
	"git-flower/engine/rawjson"
)

// A reply is one answer of the model while it streams in.
type reply struct {
	wire.Tally
	blocks    []*block
	sequence  json.RawMessage
	requestID string
}

// A block is one content block: the bytes it began with, and what deltas added.
type block struct {
	kind      string
	id, name  string // of a tool_use
	start     json.RawMessage
	text      strings.Builder // prose, reasoning, or the input's JSON
	signature string
	citations []json.RawMessage
	grown     bool
}

// take puts an event that the tally has counted into the blocks.
func (r *reply) take(e *wire.Event) {
	switch e.Type {
	case "content_block_start":
		var b struct{ Type, ID, Name string }
		_ = json.Unmarshal(e.Block, &b) // the tally has seen that it is an object
		r.blocks = append(r.blocks, &block{kind: b.Type, id: b.ID, name: b.Name, start: e.Block})
	case "content_block_delta":
		r.blocks[e.Index].grow(&e.Delta)
	case "message_delta":
		if len(e.Delta.StopSequence) > 0 {
			r.sequence = e.Delta.StopSequence
		}
	}
}

func (b *block) grow(d *wire.Delta) {
	switch d.Type {
	case "text_delta":
		b.text.WriteString(d.Text)
	case "thinking_delta":
		b.text.WriteString(d.Thinking)
	case "input_json_delta":
		b.text.WriteString(d.PartialJSON)
	case "signature_delta":
		b.signature += d.Signature
	case "citations_delta":
		b.citations = append(b.citations, d.Citation)
	default:
		return
	}
	b.grown = true
}

// raw is the block as it goes into the transcript and back to the API.
func (b *block) raw() (json.RawMessage, error) {
	if !b.grown {
		return b.start, nil
	}
	set := []member{}
	switch b.kind {
	case "text":
		set = append(set, member{"text", quoted(b.text.String())})
		if b.citations != nil {
			set = append(set, member{"citations", rawjson.Array(b.citations)})
		}
	case "thinking":
		set = append(set, member{"thinking", quoted(b.text.String())})
		if b.signature != "" {
			set = append(set, member{"signature", quoted(b.signature)})
		}
	default:
		if b.text.Len() > 0 && rawjson.IsObject([]byte(b.text.String())) {
			set = append(set, member{"input", json.RawMessage(b.text.String())})
		}
	}
	raw, err := b.start, error(nil)
	for _, m := range set {
		if raw, err = replaced(raw, m.key, m.value); err != nil {
			return nil, fmt.Errorf("content block: %w", err)
		}
	}
	return raw, nil
}

// prose is the text of a text or thinking block.
func (b *block) prose() string {
	if b.grown {
		return b.text.String()
	}
	var v struct{ Text, Thinking string }
	_ = json.Unmarshal(b.start, &v) // the tally has seen that it is an object
	return v.Text + v.Thinking
}

// signed says whether a thinking block carries what the API wants to see again.
func (b *block) signed() bool {
	var v struct{ Signature string }
	_ = json.Unmarshal(b.start, &v)
	return b.signature != "" || v.Signature != ""
}

// input is a tool call's input. Not ok: what the model wrote is no JSON object.
func (b *block) input() (raw json.RawMessage, ok bool) {
	var v struct{ Input json.RawMessage }
	_ = json.Unmarshal(b.start, &v)
	raw = v.Input
	if b.text.Len() > 0 {
		raw = json.RawMessage(b.text.String())
	}
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	return raw, rawjson.IsObject(raw)
}
