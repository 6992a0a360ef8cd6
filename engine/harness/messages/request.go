package messages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"git-flower/engine/harness"
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
	b = appendMarked(append(b, `,"system":`...), blocks)
	if len(s.tools.offered) > 0 {
		b = appendMarked(append(b, `,"tools":`...), s.tools.definitions())
	}
	return append(b, `,"messages":[`...)
}

// appendMarked appends an array of objects with a cache mark in the last one.
func appendMarked(b []byte, objects []json.RawMessage) []byte {
	b = append(b, joined(objects)...)
	b = b[:len(b)-len("}]")]
	b = append(b, cacheMark...)
	return append(b, "}]"...)
}

// body is the next request.
func (s *session) body() []byte {
	size := len(s.prefix) + 2
	for _, m := range s.convo.messages {
		size += len(m.rendered) + 512
	}
	b := append(make([]byte, 0, size), s.prefix...)
	b = s.convo.appendTo(b)
	return append(b, "]}"...)
}

var errStalled = errors.New("no event for too long")

// send makes one request and reads its answer. The reply is what had come when
// the error, if any, ended it.
func (h *Harness) send(ctx context.Context, body []byte) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(h.c.Stall, func() { cancel(errStalled) })
	defer watch.Stop()

	r := &reply{}
	var response *http.Response
	err := h.client.Post(ctx, "v1/messages", body, &response, option.WithHeader("Content-Type", "application/json"))
	if response != nil {
		defer response.Body.Close()
		r.requestID = response.Header.Get("request-id")
	}
	if err == nil {
		err = checkStream(response)
	}
	if err == nil {
		err = r.read(ssestream.NewStream[wireEvent](ssestream.NewDecoder(response), nil), watch, h.c.Stall)
	}
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		err = errStalled
	}
	return r, err
}

// errShape is an answer that no retry will mend: the address is not an API's.
type errShape struct{ status, kind string }

func (e *errShape) Error() string {
	return fmt.Sprintf("endpoint answered '%s' with '%s', not with a stream of events", e.status, e.kind)
}

func checkStream(r *http.Response) error {
	kind := r.Header.Get("Content-Type")
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		return &errShape{r.Status, kind}
	}
	return nil
}

var errUnfinished = errors.New("stream ended before the message did")

// read takes events until the message ends. Pings do not reset the watch: a
// server that only pings has stalled.
func (r *reply) read(stream *ssestream.Stream[wireEvent], watch *time.Timer, limit time.Duration) error {
	for !r.finished && stream.Next() {
		watch.Reset(limit)
		e := stream.Current()
		if err := r.take(&e); err != nil {
			return err
		}
	}
	if r.finished {
		return nil
	}
	if err := stream.Err(); err != nil {
		return err
	}
	return errUnfinished
}

// imageTokens is what a picture counts at most.
const imageTokens = 6_000

// A measure is a request's size: bytes of text, and pictures apart, whose bytes
// say nothing about their tokens.
type measure struct{ bytes, pictures int64 }

func (s *session) measure(body []byte) measure {
	return measure{int64(len(body)) - s.convo.pictures.bytes, s.convo.pictures.pictures}
}

// estimate is how many tokens a request will count, rather too many. What the
// last response counted is known; only what came since is guessed.
func (s *session) estimate(now measure) int64 {
	bytes, pictures, tokens := now.bytes-s.known.bytes, now.pictures-s.known.pictures, s.known.tokens
	if bytes < 0 || pictures < 0 {
		bytes, pictures, tokens = now.bytes, now.pictures, 0
	}
	return tokens + (bytes+bytesPerToken-1)/bytesPerToken + pictures*imageTokens
}
