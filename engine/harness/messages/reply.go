package messages

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A wireEvent is one event of the stream, of any type.
type wireEvent struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message json.RawMessage `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   wireDelta       `json:"delta"`
	Usage   *wireUsage      `json:"usage"`
}

type wireDelta struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	PartialJSON string          `json:"partial_json"`
	Thinking    string          `json:"thinking"`
	Signature   string          `json:"signature"`
	Citation    json.RawMessage `json:"citation"`

	StopReason   *string         `json:"stop_reason"`
	StopSequence json.RawMessage `json:"stop_sequence"`
	StopDetails  *struct {
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
}

// A reply is one answer of the model while it streams in.
type reply struct {
	id, model string
	blocks    []*block
	stop      string // the stop reason, empty until the server gave one
	sequence  json.RawMessage
	refusal   string
	usage     wireUsage
	size      int64 // bytes of deltas
	all       int64 // bytes of content, what blocks began with included
	started   bool  // message_start came
	finished  bool  // message_stop came
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

// take applies one event.
func (r *reply) take(e *wireEvent) error {
	if e.Type != "message_start" && !r.started {
		return fmt.Errorf("stream began with '%s'", e.Type)
	}
	switch e.Type {
	case "message_start":
		return r.begin(e.Message)
	case "content_block_start":
		return r.open(e)
	case "content_block_delta":
		return r.grow(e)
	case "message_delta":
		r.close(e)
	case "message_stop":
		r.finished = true
	}
	return nil
}

func (r *reply) begin(raw json.RawMessage) error {
	if r.started {
		return errors.New("second message_start in one stream")
	}
	var m struct {
		ID, Model string
		Usage     *wireUsage
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("message_start: %w", err)
	}
	r.started, r.id, r.model = true, m.ID, m.Model
	r.usage.merge(m.Usage)
	return nil
}

func (r *reply) open(e *wireEvent) error {
	if e.Index != len(r.blocks) {
		return fmt.Errorf("content block %d came as number %d", e.Index, len(r.blocks))
	}
	if e.Index >= maxBlocks {
		return excess("more than %d content blocks", maxBlocks)
	}
	var b struct{ Type, ID, Name string }
	if err := json.Unmarshal(e.Block, &b); err != nil || b.Type == "" {
		return fmt.Errorf("content block %d is not an object with a type", e.Index)
	}
	r.blocks = append(r.blocks, &block{kind: b.Type, id: b.ID, name: b.Name, start: e.Block})
	return r.add(len(e.Block))
}

func (r *reply) grow(e *wireEvent) error {
	if e.Index < 0 || e.Index >= len(r.blocks) {
		return fmt.Errorf("delta for content block %d of %d", e.Index, len(r.blocks))
	}
	b, d := r.blocks[e.Index], &e.Delta
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
		return nil
	}
	b.grown = true
	n := len(d.Text) + len(d.Thinking) + len(d.PartialJSON) + len(d.Signature) + len(d.Citation)
	r.size += int64(n)
	return r.add(n)
}

func (r *reply) add(n int) error {
	if r.all += int64(n); r.all > maxReply {
		return excess("more than %d bytes of content", maxReply)
	}
	return nil
}

func (r *reply) close(e *wireEvent) {
	if e.Delta.StopReason != nil {
		r.stop = *e.Delta.StopReason
	}
	if len(e.Delta.StopSequence) > 0 {
		r.sequence = e.Delta.StopSequence
	}
	if e.Delta.StopDetails != nil {
		r.refusal = e.Delta.StopDetails.Explanation
	}
	r.usage.merge(e.Usage)
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
			set = append(set, member{"citations", joined(b.citations)})
		}
	case "thinking":
		set = append(set, member{"thinking", quoted(b.text.String())})
		if b.signature != "" {
			set = append(set, member{"signature", quoted(b.signature)})
		}
	default:
		if b.text.Len() > 0 && isObject([]byte(b.text.String())) {
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
	_ = json.Unmarshal(b.start, &v) // open has seen that it is an object
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
	return raw, isObject(raw)
}
