package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"git-flower/engine/harness"
)

// An Event is one event of the stream, of any type.
type Event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message json.RawMessage `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   Delta           `json:"delta"`
	Usage   *Usage          `json:"usage"`
}

// A Delta is what an Event adds to a block, or to the message.
type Delta struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	PartialJSON string          `json:"partial_json"`
	Thinking    string          `json:"thinking"`
	Signature   string          `json:"signature"`
	Citation    json.RawMessage `json:"citation"`

	StopReason   *string         `json:"stop_reason"`
	StopSequence json.RawMessage `json:"stop_sequence"`
	StopDetails  *StopDetails    `json:"stop_details"`
}

// StopDetails say why the model declined.
type StopDetails struct {
	Explanation string `json:"explanation"`
}

// A Tally follows one answer of the model and counts what it used.
type Tally struct {
	ID, Model string
	Stop      string // the stop reason, empty until the server gave one
	Refusal   string // the server's words about a refusal
	Usage     Usage
	Blocks    int   // content blocks begun
	Text      int64 // bytes of deltas
	Started   bool  // message_start came
	Finished  bool  // message_stop came

	content int64 // bytes of content, what blocks began with included
}

// Take applies one event. An error means that no API sends this.
func (t *Tally) Take(e *Event) error {
	if e.Type != "message_start" && !t.Started {
		return fmt.Errorf("stream began with '%s'", e.Type)
	}
	switch e.Type {
	case "message_start":
		return t.begin(e.Message)
	case "content_block_start":
		return t.open(e)
	case "content_block_delta":
		return t.grow(e)
	case "message_delta":
		t.close(e.Delta.StopReason, e.Delta.StopDetails, e.Usage)
	case "message_stop":
		t.Finished = true
	}
	return nil
}

func (t *Tally) begin(raw json.RawMessage) error {
	if t.Started {
		return errors.New("second message_start in one stream")
	}
	var m struct {
		ID, Model string
		Usage     *Usage
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("message_start: %w", err)
	}
	t.Started, t.ID, t.Model = true, m.ID, m.Model
	t.Usage.Merge(m.Usage)
	return nil
}

// takeMessage applies an answer that came as one object.
func (t *Tally) takeMessage(raw json.RawMessage, h http.Header) error {
	var m struct {
		Type        string
		Content     []json.RawMessage
		StopReason  *string      `json:"stop_reason"`
		StopDetails *StopDetails `json:"stop_details"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	switch m.Type {
	case "message":
	case "error":
		return &Error{Header: h, Body: raw}
	default:
		return fmt.Errorf("answer is of type '%s', not a message", m.Type)
	}
	if err := t.begin(raw); err != nil {
		return err
	}
	for _, b := range m.Content {
		t.Text += int64(len(b))
	}
	t.Blocks, t.Finished = len(m.Content), true
	t.close(m.StopReason, m.StopDetails, nil)
	return nil
}

func (t *Tally) open(e *Event) error {
	if e.Index != t.Blocks {
		return fmt.Errorf("content block %d came as number %d", e.Index, t.Blocks)
	}
	if e.Index >= MaxBlocks {
		return excess("more than %d content blocks", MaxBlocks)
	}
	var b struct{ Type, ID, Name string }
	if err := json.Unmarshal(e.Block, &b); err != nil || b.Type == "" {
		return fmt.Errorf("content block %d is not an object with a type", e.Index)
	}
	t.Blocks++
	return t.add(len(e.Block))
}

func (t *Tally) grow(e *Event) error {
	if e.Index < 0 || e.Index >= t.Blocks {
		return fmt.Errorf("delta for content block %d of %d", e.Index, t.Blocks)
	}
	d := &e.Delta
	n := len(d.Text) + len(d.Thinking) + len(d.PartialJSON) + len(d.Signature) + len(d.Citation)
	t.Text += int64(n)
	return t.add(n)
}

func (t *Tally) add(n int) error {
	if t.content += int64(n); t.content > MaxContent {
		return excess("more than %d bytes of content", MaxContent)
	}
	return nil
}

func (t *Tally) close(stop *string, details *StopDetails, u *Usage) {
	if stop != nil {
		t.Stop = *stop
	}
	if details != nil {
		t.Refusal = details.Explanation
	}
	t.Usage.Merge(u)
}

// Counted is the answer's usage for the books. What the server did not say is
// estimated from the bytes that went either way, sent being the request's
// tokens: an unknown cost must not be booked as none.
func (t *Tally) Counted(sent int64) harness.Usage {
	u := t.Usage.Tokens()
	if !t.Started {
		return u
	}
	if u.Context() == 0 {
		u.Input = sent
	}
	if seen := guess(t.Text); t.Usage.Output == nil || !t.Finished && u.Output < seen {
		u.Output = seen
	}
	return u
}
