package rehearse

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// An event of the stream.
type event struct {
	name string
	data any
}

// events is the answer as a stream: the order and shapes of the streaming page.
func (a *answer) events() []event {
	start := a.envelope()
	begun := a.usage
	begun.output = 1
	start.Usage = begun.whole()
	out := []event{{"message_start", startEvent{"message_start", start}}}
	for i, p := range a.content {
		out = append(out, event{"content_block_start", blockStartEvent{"content_block_start", i, p.opening()}})
		if i == 0 {
			out = append(out, event{"ping", bareEvent{"ping"}})
		}
		for _, d := range p.deltas() {
			out = append(out, event{"content_block_delta", blockDeltaEvent{"content_block_delta", i, d}})
		}
		out = append(out, event{"content_block_stop", blockStopEvent{"content_block_stop", i}})
	}
	return append(out,
		event{"message_delta", messageDeltaEvent{"message_delta", a.ending(), a.usage.delta()}},
		event{"message_stop", bareEvent{"message_stop"}})
}

// opening is the block as it stands before its deltas.
func (p part) opening() any {
	switch p.kind {
	case "text":
		return textWire{p.kind, ""}
	case "thinking":
		return thinkingWire{p.kind, "", ""}
	}
	return callWire{p.kind, p.id, p.name, json.RawMessage("{}")}
}

func (p part) deltas() []any {
	var out []any
	switch p.kind {
	case "text":
		for _, s := range chunks(p.text) {
			out = append(out, textWire{"text_delta", s})
		}
	case "thinking":
		for _, s := range chunks(p.text) {
			out = append(out, thinkingDelta{"thinking_delta", s})
		}
		out = append(out, signatureDelta{"signature_delta", p.signature})
	default:
		out = append(out, inputDelta{"input_json_delta", ""})
		if p.input != "{}" {
			for _, s := range chunks(p.input) {
				out = append(out, inputDelta{"input_json_delta", s})
			}
		}
	}
	return out
}

// chunks cuts a text into the pieces in which it is streamed: 16 at most, of
// 24 bytes at least.
func chunks(s string) []string {
	size := max(24, (len(s)+15)/16)
	var out []string
	for len(s) > 0 {
		piece := cutRunes(s, size)
		if piece == "" {
			piece = s
		}
		out = append(out, piece)
		s = s[len(piece):]
	}
	return out
}

// A wire writes one answer.
type wire struct {
	w     http.ResponseWriter
	flush func() error
	sleep func(context.Context, time.Duration) error
}

// stream sends the events, and goes wrong where the fault says so.
func (x *wire) stream(ctx context.Context, a *answer) error {
	x.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.WriteHeader(http.StatusOK)
	for i, e := range a.events() {
		if a.fault != nil && a.fault.after == int64(i) {
			return x.breakOff(ctx, a.fault)
		}
		if i > 0 && a.pace > 0 {
			if err := x.sleep(ctx, a.pace); err != nil {
				return err
			}
		}
		data, err := asJSON(e.data)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(x.w, "event: %s\ndata: %s\n\n", e.name, data); err != nil {
			return err
		}
		if err := x.flush(); err != nil {
			return err
		}
	}
	return nil
}

// breakOff plays a fault in the middle of a stream.
func (x *wire) breakOff(ctx context.Context, f *fault) error {
	defer x.flush()
	switch f.kind {
	case "stall":
		x.flush()
		<-ctx.Done()
		return ctx.Err()
	case "malformed":
		fmt.Fprint(x.w, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"del\n\n")
	case "error":
		e := apiError{kind: f.errorType, message: f.message}
		fmt.Fprintf(x.w, "event: error\ndata: %s\n\n", e.body(""))
	case "drop":
		x.flush()
		panic(http.ErrAbortHandler) // net/http's way to cut a connection
	}
	return nil
}
