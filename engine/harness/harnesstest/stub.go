package harnesstest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// A Stub is a scripted Messages API on loopback. It gives its replies in the
// order they were pushed, and fails the test when a request is one that the
// real API would refuse: roles out of turn, a call without its result, more
// than four cache marks, a wrong key. A reply's call of a tool that only an MCP
// server offers goes to that one. Probes and counts of tokens are answered and
// are no requests.
type Stub struct {
	URL string
	Key string // the only one it takes, as x-api-key or bearer token

	// Answer is asked when no pushed reply is left. Nil: the test fails.
	Answer func(Received) Reply

	t       testing.TB
	mu      sync.Mutex
	replies []Reply
	seen    []Received
	arrived chan struct{} // closed and replaced at each request
}

// NewStub starts a Stub that stops with the test.
func NewStub(t testing.TB) *Stub {
	s := &Stub{Key: "stub-key-0123456789", t: t, arrived: make(chan struct{})}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// Push adds replies to the script.
func (s *Stub) Push(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Requests are those that came so far.
func (s *Stub) Requests() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.seen...)
}

// Last is the newest request.
func (s *Stub) Last() Received {
	seen := s.Requests()
	if len(seen) == 0 {
		s.t.Fatal("stub: no request came")
	}
	return seen[len(seen)-1]
}

// Await waits until n requests have come.
func (s *Stub) Await(ctx context.Context, n int) {
	for {
		s.mu.Lock()
		got, next := len(s.seen), s.arrived
		s.mu.Unlock()
		if got >= n {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
			s.t.Errorf("stub: %d of %d requests came", got, n)
			return
		}
	}
}

func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodHead:
		return // Claude Code looks whether the address answers
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages/count_tokens":
		fmt.Fprint(w, `{"input_tokens":1000}`)
		return
	case r.Method != http.MethodPost || r.URL.Path != "/v1/messages":
		s.t.Errorf("stub: %s %s", r.Method, r.URL.Path)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller went away
	}
	got := Received{Body: body, Header: r.Header.Clone()}
	if err := json.Unmarshal(body, &got.Wire); err != nil {
		s.t.Errorf("stub: request is no JSON: %v", err)
	}
	reply, n := s.next(got)
	if r.Header.Get("X-Api-Key") != s.Key && r.Header.Get("Authorization") != "Bearer "+s.Key {
		reply = Fail(http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
	} else if problem := check(got); problem != "" {
		s.t.Errorf("stub: request %d: %s\n%s", n, problem, body)
		reply = Fail(http.StatusBadRequest, "invalid_request_error", problem)
	}
	w.Header().Set("request-id", fmt.Sprintf("req_stub_%d", n))
	reply.serve(w, r, n, got)
}

// next counts a request and takes the reply that is due.
func (s *Stub) next(got Received) (Reply, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, got)
	close(s.arrived)
	s.arrived = make(chan struct{})
	n := len(s.seen)
	switch {
	case len(s.replies) > 0:
		r := s.replies[0]
		s.replies = s.replies[1:]
		return r, n
	case s.Answer != nil:
		return s.Answer(got), n
	}
	s.t.Errorf("stub: request %d was not expected", n)
	return Fail(http.StatusBadRequest, "invalid_request_error", "not in the script"), n
}

func (r Reply) serve(w http.ResponseWriter, req *http.Request, n int, got Received) {
	for k, v := range r.Header {
		w.Header()[k] = v
	}
	if r.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.Status)
		if r.Body != "" {
			fmt.Fprint(w, r.Body)
			return
		}
		_, _ = w.Write(errorBody(r.Type, r.Message))
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	}
	if r.Body != "" {
		fmt.Fprint(w, r.Body)
		return
	}
	for i, e := range r.calling(got.Wire).events(n, got.Model, int64(len(got.Body)/4)) {
		cut := r.Cut > 0 && i == r.Cut
		if r.Error != "" && (cut || r.Cut == 0 && e[0] == "message_stop") {
			fmt.Fprintf(w, "event: error\ndata: %s\n\n", errorBody(r.Error, r.Message))
			return
		}
		if cut {
			flush(w)
			panic(http.ErrAbortHandler)
		}
		if e[0] == "message_stop" && r.Hold != nil {
			flush(w)
			select {
			case <-r.Hold:
			case <-req.Context().Done():
				return
			}
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e[0], e[1])
	}
}

func errorBody(kind, message string) []byte {
	return marshal(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
