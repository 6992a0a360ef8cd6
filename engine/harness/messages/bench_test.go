package messages

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/guards"
)

// instant is a model that answers at once, without a socket: what is left is
// the time of our own.
type instant struct{ body string }

func (i instant) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Request: r,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(i.body))}, nil
}

// nowhere is a transcript that keeps nothing.
type nowhere struct{}

func (nowhere) Append(context.Context, string, ...json.RawMessage) error { return nil }
func (nowhere) Load(context.Context, string) ([]json.RawMessage, error)  { return nil, nil }

func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, e)
	}
	return b.String()
}

// BenchmarkTurn is one turn of one request: words in, an answer of twenty
// deltas, its events out, with a conversation of the size given behind it.
func BenchmarkTurn(b *testing.B) {
	for _, size := range []int{0, 100_000, 2_000_000} {
		b.Run(fmt.Sprintf("history=%dkB", size/1000), func(b *testing.B) {
			events := []string{`{"type":"message_start","message":{"id":"m","model":"claude-opus-5-5","usage":{"input_tokens":10,"output_tokens":1}}}`,
				`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`}
			for range 20 {
				events = append(events, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words of an answer "}}`)
			}
			events = append(events, `{"type":"content_block_stop","index":0}`,
				`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":100}}`, `{"type":"message_stop"}`)
			h, err := New(Config{Transcript: nowhere{}, APIKey: "k", HTTPClient: &http.Client{Transport: instant{sse(events...)}}})
			if err != nil {
				b.Fatal(err)
			}
			s, err := h.start(b.Context(), harness.Options{Session: sessionID, Dir: b.TempDir(), System: strings.Repeat("rules ", 1000),
				Tools:     []string{"Read", "Write", "Edit", "Bash", "Glob", "Grep", "TodoWrite"},
				Authorize: func(context.Context, guards.Call) guards.Decision { return guards.Allow() }})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			for i := 0; i < size; i += 2000 {
				s.convo.addText(textBlock(strings.Repeat("word ", 200)))
				s.convo.addAssistant([]json.RawMessage{textBlock(strings.Repeat("word ", 200))}, nil, "end_turn", "")
			}
			base := len(s.convo.messages)
			b.ReportAllocs()
			for b.Loop() {
				s.convo.messages = s.convo.messages[:base]
				if err := s.Send(b.Context(), harness.Message{Text: "go on"}); err != nil {
					b.Fatal(err)
				}
				for {
					e, err := s.Next(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if ended, ok := e.(harness.Ended); ok {
						if ended.Stop != harness.StopDone {
							b.Fatal(ended.Fault)
						}
						break
					}
				}
			}
		})
	}
}
