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

func (u usage) json() map[string]any {
	return map[string]any{
		"input_tokens": u.input, "cache_creation_input_tokens": u.write5m + u.write1h, "cache_read_input_tokens": u.read,
		"cache_creation": map[string]int64{"ephemeral_5m_input_tokens": u.write5m, "ephemeral_1h_input_tokens": u.write1h},
		"output_tokens":  u.output, "service_tier": "standard", "inference_geo": "not_available", "speed": "standard",
	}
}

func (a *answer) envelope() map[string]any {
	return map[string]any{
		"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "stop_details": nil, "container": nil, "diagnostics": nil,
	}
}

// message is the whole answer, for requests that do not stream.
func (a *answer) message() map[string]any {
	m := a.envelope()
	content := []any{}
	for _, p := range a.content {
		content = append(content, p.json())
	}
	m["content"], m["usage"] = content, a.usage.json()
	for name, v := range a.delta() {
		m[name] = v
	}
	return m
}

func (a *answer) delta() map[string]any {
	d := map[string]any{"stop_reason": a.stop, "stop_sequence": nil, "stop_details": nil}
	if a.stop == "stop_sequence" {
		d["stop_sequence"] = a.stopSequence
	}
	if a.refused {
		d["stop_details"] = map[string]any{"type": "refusal", "category": "general_harms", "explanation": "Refused in rehearsal."}
	}
	return d
}

// events is the answer as a stream: the order and shapes of the streaming page.
func (a *answer) events() []event {
	start := a.envelope()
	begun := a.usage
	begun.output = 1
	start["usage"] = begun.json()
	out := []event{{"message_start", map[string]any{"type": "message_start", "message": start}}}
	for i, p := range a.content {
		out = append(out, event{"content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": p.opening()}})
		if i == 0 {
			out = append(out, event{"ping", map[string]any{"type": "ping"}})
		}
		for _, d := range p.deltas() {
			out = append(out, event{"content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": d}})
		}
		out = append(out, event{"content_block_stop", map[string]any{"type": "content_block_stop", "index": i}})
	}
	return append(out,
		event{"message_delta", map[string]any{"type": "message_delta", "delta": a.delta(), "usage": a.usage.json()}},
		event{"message_stop", map[string]any{"type": "message_stop"}})
}

// opening is the block as it stands before its deltas.
func (p part) opening() map[string]any {
	switch p.kind {
	case "text":
		return map[string]any{"type": "text", "text": ""}
	case "thinking":
		return map[string]any{"type": "thinking", "thinking": "", "signature": ""}
	}
	return map[string]any{"type": p.kind, "id": p.id, "name": p.name, "input": map[string]any{}}
}

func (p part) deltas() []map[string]any {
	var out []map[string]any
	switch p.kind {
	case "text":
		for _, s := range chunks(p.text) {
			out = append(out, map[string]any{"type": "text_delta", "text": s})
		}
	case "thinking":
		for _, s := range chunks(p.text) {
			out = append(out, map[string]any{"type": "thinking_delta", "thinking": s})
		}
		out = append(out, map[string]any{"type": "signature_delta", "signature": p.signature})
	default:
		out = append(out, map[string]any{"type": "input_json_delta", "partial_json": ""})
		if p.input != "{}" {
			for _, s := range chunks(p.input) {
				out = append(out, map[string]any{"type": "input_json_delta", "partial_json": s})
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
		data, err := json.Marshal(e.data)
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
