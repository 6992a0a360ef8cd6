package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A model answers every request at once: to words it calls Read, to a result it
// says that it is done. It reads requests but does not judge them, which is the
// business of engine/rehearse.
type model struct {
	url    string
	server *http.Server

	mu    sync.Mutex
	spent []time.Duration // for each request, from its beginning to its answer
	ended chan error
}

func serveModel() (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + listener.Addr().String(), ended: make(chan error, 1)}
	m.server = &http.Server{Handler: m}
	go func() { m.ended <- m.server.Serve(listener) }()
	return m, nil
}

func (m *model) close() error {
	err := m.server.Close()
	if served := <-m.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (m *model) served() []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]time.Duration(nil), m.spent...)
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	size, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return // the caller is gone
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, answer(len(m.spent), size/4)) // a caller that is gone counts its own requests
	m.spent = append(m.spent, time.Since(start))
}

// answer is the stream of the nth answer.
func answer(n int, input int64) string {
	var b strings.Builder
	send := func(kind, rest string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
	}
	send("message_start", fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],`+
		`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":1}}`, n, input))
	block, deltas, stop := `{"type":"text","text":""}`, []string{}, "end_turn"
	for range 20 {
		deltas = append(deltas, `{"type":"text_delta","text":"some words of an answer "}`)
	}
	if n%2 == 0 {
		block, stop = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%06d","name":"Read","input":{}}`, n), "tool_use"
		deltas = []string{`{"type":"input_json_delta","partial_json":"{\"file_path\":"}`,
			fmt.Sprintf(`{"type":"input_json_delta","partial_json":"\"%s\"}"}`, readName)}
	}
	send("content_block_start", `,"index":0,"content_block":`+block)
	for _, d := range deltas {
		send("content_block_delta", `,"index":0,"delta":`+d)
	}
	send("content_block_stop", `,"index":0`)
	send("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":40}`, stop))
	send("message_stop", "")
	return b.String()
}
