package messages

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"git-flower/engine/harness"
	"git-flower/engine/harness/wire"
	"git-flower/engine/rawjson"
)

// prefix is the beginning of every request of a session, up to the messages.
// It never changes while the session is open, which the prompt cache rewards.
func (s *session) makePrefix(system []string) []byte {
	b := append([]byte(`{"model":`), quoted(s.wire)...)
	b = append(b, `,"max_tokens":`...)
	b = strconv.AppendInt(b, s.maxOutput, 10)
	b = append(b, `,"stream":true`...)
	switch s.model.Thinking {
	case harness.ThinkingAdaptive:
		b = append(b, `,"thinking":{"type":"adaptive"}`...)
	case harness.ThinkingBudget:
		b = append(b, `,"thinking":{"type":"enabled","budget_tokens":`...)
		b = strconv.AppendInt(b, max(1024, s.maxOutput/2), 10)
		b = append(b, '}')
	}
	if s.o.Effort != "" {
		b = append(b, `,"output_config":{"effort":`...)
		b = append(append(b, quoted(s.o.Effort)...), '}')
	}
	blocks := make([]json.RawMessage, len(system))
	for i, text := range system {
		blocks[i] = textBlock(text)
	}
	b = s.appendMarked(append(b, `,"system":`...), blocks)
	if len(s.tools.offered) > 0 {
		b = s.appendMarked(append(b, `,"tools":`...), s.tools.definitions())
	}
	return append(b, `,"messages":[`...)
}

// appendMarked appends an array of objects with the cache mark in the last one.
func (s *session) appendMarked(b []byte, objects []json.RawMessage) []byte {
	b = append(b, rawjson.Array(objects)...)
	b = b[:len(b)-len("}]")]
	b = append(b, s.mark...)
	return append(b, "}]"...)
}

// body is the next request.
func (s *session) body() []byte {
	size := len(s.prefix) + 2
	for _, m := range s.convo.messages {
		size += len(m.rendered) + 512
	}
	b := append(make([]byte, 0, size), s.prefix...)
	b = s.convo.appendTo(b, s.mark)
	return append(b, "]}"...)
}

// send makes one request and reads its answer. The reply is what had come when
// the error, if any, ended it.
func (h *Harness) send(ctx context.Context, body []byte) (*reply, error) {
	ctx, fed, stop := wire.Watched(ctx, h.c.Stall)
	defer stop()

	r := &reply{}
	var response *http.Response
	err := h.client.Post(ctx, "v1/messages", body, &response, option.WithHeader("Content-Type", "application/json"))
	if response != nil {
		defer response.Body.Close()
		r.requestID = response.Header.Get("request-id")
	}
	if err == nil {
		err = r.Read(response, func(e *wire.Event) {
			fed()
			r.take(e)
		})
	}
	return r, wire.Cause(ctx, err)
}

// fault is what an error of send means.
func (h *Harness) fault(err error, requestID string) *harness.Fault {
	var api *anthropic.Error
	if errors.As(err, &api) {
		refused := &wire.Error{Status: api.StatusCode, Body: []byte(api.RawJSON())}
		if api.Response != nil {
			refused.Header = api.Response.Header
		}
		return h.faults.Of(refused, api.RequestID)
	}
	return h.faults.Of(err, requestID)
}

func (s *session) size(body []byte) wire.Size {
	return wire.Size{Bytes: int64(len(body)) - s.convo.pictures.Bytes, Pictures: s.convo.pictures.Pictures}
}
