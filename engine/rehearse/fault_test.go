package rehearse

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func faulty(fault string) string {
	return "fallback: {turns: [{fault: " + fault + ", say: all is well now}]}"
}

func TestErrorStatuses(t *testing.T) {
	for status, kind := range map[string]string{
		"400": "invalid_request_error", "401": "authentication_error", "403": "permission_error", "404": "not_found_error",
		"413": "request_too_large", "429": "rate_limit_error", "500": "api_error", "529": "overloaded_error", "504": "timeout_error",
	} {
		c := newChat(t, start(t, faulty("{error: "+status+", times: 2, retry_after: 7, message: so it goes}")), "x")
		for range 2 {
			g := c.s.do(t, c.ask)
			got, message := g.fault(t)
			if got != kind || message != "so it goes" || g.header.Get("retry-after") != "7" {
				t.Errorf("%s: %s %s %v", status, got, message, g.header)
			}
		}
		if m := c.next(); prose(m) != "all is well now" {
			t.Errorf("%s: third time %v", status, m)
		}
	}
}

// Faults count for one turn of one conversation, however it is asked again.
func TestFaultsCount(t *testing.T) {
	s := start(t, faulty("[{error: 529, times: 2}, {empty: true}, {error: 500}]"))
	status := func(c *chat) int { return s.do(t, c.ask).status }
	one, two := newChat(t, s, "one"), newChat(t, s, "two")
	if status(one) != 529 || status(two) != 529 || status(one) != 529 {
		t.Error("the first two times")
	}
	one.say(user("are you there?"))
	m := one.next()
	if len(m["content"].(list)) != 0 || m["stop_reason"] != "end_turn" {
		t.Errorf("empty answer %v", m)
	}
	one.body["messages"] = one.messages()[:2]
	if status(one) != 500 || status(one) != 200 || status(one) != 200 || status(two) != 529 {
		t.Error("afterwards")
	}
}

func TestFaultAlways(t *testing.T) {
	c := newChat(t, start(t, faulty("{error: 529, times: always}")), "x")
	for range 20 {
		if g := c.s.do(t, c.ask); g.status != 529 {
			t.Fatal(g.status)
		}
	}
}

func TestFaultAnswers(t *testing.T) {
	for fault, check := range map[string]func(m dict) bool{
		"{nonsense: 'bla {{.first}}'}": func(m dict) bool { return prose(m) == "bla x" && m["stop_reason"] == "end_turn" },
		"{truncate: true}":             func(m dict) bool { return prose(m) == "all is " && m["stop_reason"] == "max_tokens" },
		"{refusal: true}": func(m dict) bool {
			return m["stop_reason"] == "refusal" && m["stop_details"].(dict)["type"] == "refusal" && len(m["content"].(list)) == 0
		},
		"{pause: true}": func(m dict) bool {
			return m["stop_reason"] == "pause_turn" && blocks(m)[1]["type"] == "server_tool_use"
		},
	} {
		c := newChat(t, start(t, faulty(fault)), "x")
		if m := c.next(); !check(m) {
			t.Errorf("%s: %v", fault, m)
		}
	}
}

// Streams go wrong after exactly the events the script says.
func TestStreamFaults(t *testing.T) {
	for _, test := range []struct {
		fault  string
		events int
		cut    bool
		says   string
	}{
		{"{drop: 3}", 3, true, ""},
		{"{drop: 1}", 1, true, ""},
		{"{cut: 4}", 4, false, ""},
		{"{malformed: 2}", 3, false, `"del`},
		{"{error: 529, after: 2}", 3, false, `"overloaded_error"`},
	} {
		c := newChat(t, start(t, faulty(test.fault)), "x")
		names, data, err := frames(c.open().Body)
		if len(names) != test.events || (err != nil) != test.cut {
			t.Errorf("%s: %v, error %v", test.fault, names, err)
		}
		if last := data[len(data)-1]; !strings.Contains(last, test.says) {
			t.Errorf("%s: last event %s", test.fault, last)
		}
		names, _, err = frames(c.open().Body)
		if err != nil || names[len(names)-1] != "message_stop" {
			t.Errorf("%s, again: %v %v", test.fault, names, err)
		}
	}
}

func TestDropBeforeAnything(t *testing.T) {
	for _, stream := range []bool{true, false} {
		var seen []Exchange
		s := startLogged(t, faulty("{drop: 0}"), &seen)
		c := newChat(t, s, "x")
		c.body["stream"] = stream
		raw, _ := json.Marshal(c.body)
		req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL()+"/v1/messages", io.NopCloser(strings.NewReader(string(raw))))
		for k, v := range c.header {
			req.Header.Set(k, v)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			t.Errorf("an answer: %d", res.StatusCode)
			res.Body.Close()
		}
		s.Close()
		if len(seen) != 1 || seen[0].Status != 0 {
			t.Errorf("log %+v", seen)
		}
	}
}

func TestHalfABody(t *testing.T) {
	c := newChat(t, start(t, faulty("{malformed: 0}")), "x")
	if g := c.s.do(t, c.ask); g.status != 200 || json.Valid(g.body) {
		t.Errorf("%d %s", g.status, g.body)
	}
}

// A stalled stream ends when the client goes away, or when the server closes.
func TestStall(t *testing.T) {
	for _, end := range []string{"client", "server"} {
		s := start(t, faulty("{stall: 2}"))
		c := newChat(t, s, "x")
		res := c.open()
		first := make([]byte, 64)
		if _, err := io.ReadFull(res.Body, first); err != nil {
			t.Fatal(err)
		}
		if end == "client" {
			res.Body.Close()
		}
		if err := s.Close(); err != nil { // waits for the handler
			t.Errorf("%s: %v", end, err)
		}
	}
}

// Delays go by the clock that was handed in.
func TestDelay(t *testing.T) {
	asked := make(chan time.Duration, 64)
	fire := make(chan time.Time)
	s := startWith(t, "fallback: {turns: [{delay: 3m, pace: 1s, say: at last}]}", Config{
		After: func(d time.Duration) <-chan time.Time { asked <- d; return fire }})
	c := newChat(t, s, "x")
	done := make(chan []string)
	go func() {
		names, _, _ := frames(c.open().Body)
		done <- names
	}()
	if d := <-asked; d != 3*time.Minute {
		t.Errorf("delay %v", d)
	}
	close(fire)
	names := <-done
	if d := <-asked; d != time.Second || names[len(names)-1] != "message_stop" {
		t.Errorf("pace %v, events %v", d, names)
	}
}

func TestDelayEndsWithServer(t *testing.T) {
	asked := make(chan bool, 1)
	s := startWith(t, "fallback: {turns: [{delay: 1h, say: never}]}", Config{
		After: func(time.Duration) <-chan time.Time { asked <- true; return nil }})
	c := newChat(t, s, "x")
	raw, _ := json.Marshal(c.body)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gone := make(chan bool)
	go func() {
		defer close(gone)
		req, _ := http.NewRequestWithContext(ctx, "POST", s.URL()+"/v1/messages", strings.NewReader(string(raw)))
		for k, v := range c.header {
			req.Header.Set(k, v)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	<-asked
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-gone
}
