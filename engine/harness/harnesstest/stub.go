package harnesstest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A Stub is a scripted Messages API on loopback. It gives its replies in the
// order they were pushed, and fails the test when a request is one that the
// real API would refuse: roles out of turn, a call without its result, more
// than four cache marks, a wrong key.
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

// A Received is one request.
type Received struct {
	Body   []byte
	Header http.Header
	Wire
}

// Wire is what a request says, decoded.
type Wire struct {
	Model     string            `json:"model"`
	MaxTokens int64             `json:"max_tokens"`
	Stream    bool              `json:"stream"`
	System    []WireBlock       `json:"system"`
	Tools     []json.RawMessage `json:"tools"`
	Messages  []WireMessage     `json:"messages"`
	Thinking  json.RawMessage   `json:"thinking"`
	Output    json.RawMessage   `json:"output_config"`
}

// A WireMessage is one message of a request.
type WireMessage struct {
	Role    string      `json:"role"`
	Content []WireBlock `json:"content"`
}

// A WireBlock is one block of a message; only what tests look at.
type WireBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   WireContent     `json:"content"`
	Cache     json.RawMessage `json:"cache_control"`
}

// WireContent is the content of a tool_result. A plain string is one text block.
type WireContent []WireBlock

// UnmarshalJSON takes both forms.
func (c *WireContent) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		b := WireBlock{Type: "text"}
		err := json.Unmarshal(raw, &b.Text)
		*c = WireContent{b}
		return err
	}
	return json.Unmarshal(raw, (*[]WireBlock)(c))
}

// Result is the text of a tool_result.
func (b WireBlock) Result() string {
	var s strings.Builder
	for _, c := range b.Content {
		s.WriteString(c.Text)
	}
	return s.String()
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
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller went away
	}
	got := Received{Body: body, Header: r.Header.Clone()}
	if err := json.Unmarshal(body, &got.Wire); err != nil {
		s.t.Errorf("stub: request is no JSON: %v", err)
	}
	if r.URL.Path != "/v1/messages" || r.Method != http.MethodPost {
		s.t.Errorf("stub: %s %s", r.Method, r.URL.Path)
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
	for i, e := range r.events(n, got.Model, int64(len(got.Body)/4)) {
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

// check is what the real API would refuse, or empty.
func check(r Received) string {
	if len(r.Messages) == 0 || r.Messages[0].Role != "user" {
		return "the first message must be the user's"
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		if i > 0 && m.Role == r.Messages[i-1].Role {
			return fmt.Sprintf("messages %d and %d have the same role", i-1, i)
		}
		if len(m.Content) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		if m.Role == "user" {
			if problem := checkResults(m, open); problem != "" {
				return fmt.Sprintf("message %d: %s", i, problem)
			}
			clear(open)
		}
		for _, b := range m.Content {
			if b.Type == "text" && strings.TrimSpace(b.Text) == "" {
				return fmt.Sprintf("message %d has empty text", i)
			}
			if b.Type == "tool_use" {
				open[b.ID] = true
			}
		}
	}
	if n := strings.Count(string(r.Body), `"cache_control":{`); n > 4 {
		return fmt.Sprintf("%d cache marks", n)
	}
	return ""
}

func checkResults(m WireMessage, open map[string]bool) string {
	answered, text := 0, false
	for _, b := range m.Content {
		if b.Type != "tool_result" {
			text = true
			continue
		}
		if text {
			return "a result comes after other content"
		}
		if !open[b.ToolUseID] {
			return "a result without its call: " + b.ToolUseID
		}
		answered++
	}
	if answered != len(open) {
		return fmt.Sprintf("%d calls, %d results", len(open), answered)
	}
	return ""
}
