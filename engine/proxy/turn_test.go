package proxy

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/harness/wire"
)

// Whatever breaks a request: one request to the API, one fault, a 403 for it and
// for what follows, and everything passes again in the next turn.
func TestFaultsBreakTheTurn(t *testing.T) {
	call := harnesstest.Use("toolu_1", "Bash", map[string]string{"command": "touch made"})
	cut := call
	cut.Cut = 6 // the call is whole, the message is not
	for _, c := range []struct {
		name  string
		reply harnesstest.Reply
		want  harness.Class
	}{
		{"bad key", harnesstest.Fail(401, "authentication_error", "invalid x-api-key"), harness.Auth},
		{"rate", harnesstest.Fail(429, "rate_limit_error", "too many requests"), harness.RateLimit},
		{"usage", harnesstest.Fail(429, "rate_limit_error", "You've hit your limit · resets 3pm"), harness.UsageLimit},
		{"overloaded", harnesstest.Fail(529, "overloaded_error", "Overloaded"), harness.Overloaded},
		{"500", harnesstest.Reply{Status: 500, Body: "<html>"}, harness.ServerError},
		{"too long", harnesstest.Fail(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), harness.PromptTooLong},
		{"another place", harnesstest.Reply{Status: 307, Header: http.Header{"Location": {"/v1/messages"}}}, harness.Invalid},
		{"a web page", harnesstest.Reply{Body: "<html>", Header: http.Header{"Content-Type": {"text/html"}}}, harness.Invalid},
		{"an error event", harnesstest.Reply{Error: "overloaded_error", Message: "Overloaded"}, harness.Overloaded},
		{"dropped", harnesstest.Reply{Cut: 1}, harness.Network},
		{"dropped behind a call", cut, harness.Network},
		{"not JSON", harnesstest.Reply{Body: "event: message_start\ndata: {nonsense\n\n"}, harness.Network},
		{"without end", harnesstest.Reply{Body: strings.Repeat("x", 65<<20)}, harness.Unknown},
		{"refused", harnesstest.Say("a").Stopping("refusal"), harness.Refused},
		{"full window", harnesstest.Say("a").Stopping("model_context_window_exceeded"), harness.PromptTooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, stub := onStub(t, func(c *Config, _ *Client) { c.HTTPClient = &http.Client{} })
			stub.Push(c.reply)
			b.refused(b.request(t.Context(), ask("go")), http.StatusForbidden, "permission_error")
			f := b.pass.Fault()
			if f == nil || f.Class != c.want || f.Status != c.reply.Status && c.want != harness.Invalid || f.RequestID != "req_stub_1" || f.Message == "" {
				t.Fatalf("fault %+v", f)
			}
			b.refused(b.request(t.Context(), ask("again")), http.StatusForbidden, "permission_error")
			if n := len(stub.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
			if a, settled := b.purse.counts(); len(a) != 1 || len(settled) != 1 {
				t.Errorf("%d admitted, %d settled", len(a), len(settled))
			}
			b.pass.Begin()
			if b.pass.Fault() != nil {
				t.Errorf("fault %v in a new turn", b.pass.Fault())
			}
			stub.Push(harnesstest.Say("ok"))
			b.passes(ask("once more"))
		})
	}
}

func TestNobodyListens(t *testing.T) {
	b := newBench(t, "http://user:hunter2@127.0.0.1:1/path")
	_, body := b.post(ask("go"))
	if f := b.pass.Fault(); f == nil || f.Class != harness.Network || strings.Contains(f.Message+body, "hunter2") {
		t.Errorf("fault %+v, answer %s", f, body)
	}
	if _, settled := b.purse.counts(); fmt.Sprint(settled) != fmt.Sprint([]harness.Usage{{}}) {
		t.Errorf("settled %v", settled)
	}
}

func TestSecretsStayOutOfFaults(t *testing.T) {
	b, stub := onStub(t)
	stub.Push(harnesstest.Fail(400, "invalid_request_error", "bad key "+stub.Key))
	_, body := b.post(ask("go"))
	if f := b.pass.Fault(); f == nil || strings.Contains(f.Message+body, stub.Key) {
		t.Errorf("fault %+v, answer %s", f, body)
	}
}

func TestHowLongToWaitIsTold(t *testing.T) {
	now := time.Unix(1796050800, 0)
	b, stub := onStub(t, func(c *Config, _ *Client) { c.Now = func() time.Time { return now } })
	r := harnesstest.Fail(429, "rate_limit_error", "no more today")
	r.Header = http.Header{"Anthropic-Ratelimit-Unified-Status": {"rejected"}, "Anthropic-Ratelimit-Unified-Reset": {"1796054400"}}
	stub.Push(r)
	b.post(ask("go"))
	if f := b.pass.Fault(); f.Class != harness.UsageLimit || f.RetryAfter != time.Hour || f.Type != "rate_limit_error" {
		t.Errorf("fault %+v", f)
	}
}

// A server that only pings has stalled, whether it answers in pieces or at once.
func TestStalls(t *testing.T) {
	for _, stream := range []string{"true", "false"} {
		t.Run("stream "+stream, func(t *testing.T) {
			hold := make(chan struct{})
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", map[string]string{"true": "text/event-stream", "false": "application/json"}[stream])
				for stream == "true" {
					if _, err := fmt.Fprint(w, "event: ping\ndata: {}\n\n"); err != nil || r.Context().Err() != nil {
						return
					}
				}
				w.(http.Flusher).Flush()
				<-hold
			}))
			t.Cleanup(api.Close)
			t.Cleanup(func() { close(hold) })
			b := newBench(t, api.URL, func(c *Config, _ *Client) { c.Stall = 30 * time.Millisecond })
			status, _ := b.post(strings.Replace(ask("go"), `"stream":true`, `"stream":`+stream, 1))
			if f := b.pass.Fault(); status != http.StatusForbidden || f == nil || f.Class != harness.Network || f.Message != wire.ErrStalled.Error() {
				t.Errorf("%d, fault %+v", status, f)
			}
		})
	}
}

func TestWhatBrokeOffIsCounted(t *testing.T) {
	b, stub := onStub(t)
	r := harnesstest.Say(strings.Repeat("x", 1000))
	r.Cut = 5
	stub.Push(r)
	b.post(ask("go"))
	if _, settled := b.purse.counts(); len(settled) != 1 || settled[0].Input == 0 || settled[0].Output < 250 || len(b.told()) > 0 {
		t.Errorf("settled %v, told %v", settled, b.told())
	}
}

// The stub has no reply: what reaches it fails the test.
func TestGateRefuses(t *testing.T) {
	for _, c := range []struct {
		err  error
		want harness.Class
	}{{fmt.Errorf("spent: %w", harness.ErrBudget), harness.Budget}, {fmt.Errorf("disk full"), harness.Broken}} {
		b, _ := onStub(t)
		b.purse.admit = func(context.Context, harness.Request) error { return c.err }
		b.refused(b.request(t.Context(), ask("go")), http.StatusForbidden, "permission_error")
		if f := b.pass.Fault(); f == nil || f.Class != c.want {
			t.Errorf("fault %+v", f)
		}
		if _, settled := b.purse.counts(); len(settled) > 0 {
			t.Errorf("settled %v", settled)
		}
	}
}

// The stub has no reply: what reaches it fails the test.
func TestBadRequestsGoNowhere(t *testing.T) {
	for name, body := range map[string]string{"empty": "", "no object": "[1]", "half": `{"model":`, "more": `{} {}`, "large": `{"x":"` + strings.Repeat("x", 32<<20) + `"}`} {
		t.Run(name, func(t *testing.T) {
			b, _ := onStub(t)
			b.refused(b.request(t.Context(), body), http.StatusForbidden, "permission_error")
			if f := b.pass.Fault(); f == nil || f.Class != harness.Invalid {
				t.Errorf("fault %+v", f)
			}
		})
	}
}

func TestRefuse(t *testing.T) {
	b, stub := onStub(t)
	first, second := &harness.Fault{Class: harness.Budget, Message: "first"}, &harness.Fault{Class: harness.Broken, Message: "second"}
	b.pass.Refuse(first)
	b.pass.Refuse(second)
	b.refused(b.request(t.Context(), ask("go")), http.StatusForbidden, "permission_error")
	if b.pass.Fault() != first {
		t.Errorf("fault %v", b.pass.Fault())
	}
	b.pass.Begin()
	stub.Push(harnesstest.Say("ok"))
	b.passes(ask("go"))
}

// A gate may hold a request while the turn breaks: it is settled, not made.
func TestRefusedWhileTheGateHolds(t *testing.T) {
	b, _ := onStub(t)
	held, pass := make(chan struct{}), make(chan struct{})
	b.purse.admit = func(context.Context, harness.Request) error {
		close(held)
		<-pass
		return nil
	}
	ended := b.gone(b.request(t.Context(), ask("go")))
	within(t, "the question to the gate", held)
	f := &harness.Fault{Class: harness.Budget, Message: "enough"}
	b.pass.Refuse(f)
	close(pass)
	within(t, "the answer", ended)
	if _, settled := b.purse.counts(); fmt.Sprint(settled) != fmt.Sprint([]harness.Usage{{}}) || b.pass.Fault() != f {
		t.Errorf("settled %v, fault %v", settled, b.pass.Fault())
	}
}

func TestFaultOfAPastTurnIsNoFault(t *testing.T) {
	b, stub := onStub(t)
	hold := make(chan struct{})
	stub.Push(harnesstest.Reply{Hold: hold, Stop: "refusal"})
	ended := b.gone(b.request(t.Context(), ask("go")))
	stub.Await(t.Context(), 1)
	b.pass.Begin()
	close(hold)
	within(t, "the answer", ended)
	if b.pass.Fault() != nil {
		t.Errorf("fault %v", b.pass.Fault())
	}
}

func TestCLIGoesAway(t *testing.T) {
	for _, c := range []struct {
		name string
		held bool // by the gate
	}{{"while the API answers", false}, {"while the gate holds", true}} {
		t.Run(c.name, func(t *testing.T) {
			b, stub := onStub(t)
			held, left := make(chan struct{}), make(chan struct{})
			if c.held {
				b.purse.admit = func(ctx context.Context, _ harness.Request) error {
					close(held)
					<-ctx.Done()
					close(left)
					return ctx.Err()
				}
			} else {
				stub.Push(harnesstest.Reply{Blocks: []harnesstest.Block{harnesstest.TextBlock("half")}, Hold: make(chan struct{})})
			}
			ctx, leave := context.WithCancel(t.Context())
			ended := b.gone(b.request(ctx, ask("go")))
			if c.held {
				within(t, "the question to the gate", held)
			} else {
				stub.Await(t.Context(), 1)
			}
			leave()
			within(t, "the end of the request", ended)
			if c.held {
				within(t, "the end of the question", left)
			} else {
				b.purse.await(t, 1)
			}
			b.pass.Close() // waits for what is under way
			a, settled := b.purse.counts()
			if len(a) != len(settled) || b.pass.Fault() != nil {
				t.Errorf("%d admitted, settled %v, fault %v", len(a), settled, b.pass.Fault())
			}
			if !c.held && settled[0].Output < 0 {
				t.Error("settled in a context that had ended")
			}
		})
	}
}

func TestRequestsAreEstimatedFromTheLastAnswer(t *testing.T) {
	b, stub := onStub(t)
	stub.Answer = func(harnesstest.Received) harnesstest.Reply { return harnesstest.Say("hi") }
	long := strings.Repeat("x", 100_000)
	picture := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + long + `"}}`
	b.passes(ask(long))
	b.passes(ask(long, "more"))
	b.passes(strings.Replace(ask(long, "more"), `,{"type":"text"`, `,`+picture+`,{"type":"text"`, 1))
	other := b.request(t.Context(), ask("sub"))
	other.Header.Set(agentHeader, "a1")
	b.do(other)
	got, settled := b.purse.counts()
	if len(got) != 4 || got[0].Input < 50_000 || got[0].MaxOutput != 1000 || got[0].Model != model || got[0].Session != "s" || got[0].Role != "coder" || got[0].Agent != "w1" {
		t.Fatalf("admitted %+v", got)
	}
	if d := got[1].Input - settled[0].Context(); d <= 0 || d > 100 {
		t.Errorf("the second request: %d more than the first counted", d)
	}
	if d := got[2].Input - settled[1].Context(); d < 6_000 || d > 6_100 {
		t.Errorf("a picture: %d", d)
	}
	if got[3].Input > 1_000 {
		t.Errorf("a subagent's: %d", got[3].Input)
	}
}

func TestTheMainThreadIsTold(t *testing.T) {
	tools := `"tools":[{"name":"Bash","input_schema":{}}],`
	for _, c := range []struct {
		name   string
		change func(body string) string
		agent  string
		main   bool
	}{
		{"the session's", func(s string) string { return s }, "", true},
		{"with a date", func(s string) string { return strings.Replace(s, model, model+"-20261015", 1) }, "", true},
		{"another model", func(s string) string { return strings.Replace(s, model, "claude-haiku-5-5", 1) }, "", false},
		{"without tools", func(s string) string { return strings.Replace(s, tools, "", 1) }, "", false},
		{"a search", func(s string) string {
			return strings.Replace(s, tools, `"tools":[{"type":"web_search_20250305","name":"web_search"}],`, 1)
		}, "", false},
		{"a subagent's", func(s string) string { return s }, "a1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, stub := onStub(t)
			stub.Answer = func(harnesstest.Received) harnesstest.Reply { return harnesstest.Say("hi") }
			b.passes(ask("first"))
			r := b.request(t.Context(), c.change(ask("go")))
			if c.agent != "" {
				r.Header.Set(agentHeader, c.agent)
			}
			b.do(r)
			admitted, _ := b.purse.counts()
			if told := b.told(); len(told) != 2 || !told[0].main || told[1].main != c.main || admitted[0].Aside || admitted[1].Aside == c.main {
				t.Errorf("told %+v", told)
			}
			stub.Push(harnesstest.Say("no").Stopping("refusal"))
			r = b.request(t.Context(), c.change(ask("go")))
			if c.agent != "" {
				r.Header.Set(agentHeader, c.agent)
			}
			if b.do(r); (b.pass.Fault() != nil) != c.main {
				t.Errorf("fault %v", b.pass.Fault())
			}
		})
	}
	b, stub := onStub(t)
	stub.Push(harnesstest.Say("hi"))
	b.passes(strings.Replace(ask("go"), tools, "", 1))
	if told := b.told(); len(told) != 1 || !told[0].main {
		t.Errorf("a session without tools: told %+v", told)
	}
}

func TestWordsDoNotReachTheModel(t *testing.T) {
	b, stub := onStub(t)
	stub.Push(harnesstest.Say("hi"))
	b.passes(ask("go", words))
	if m := stub.Last().Messages; len(m) != 1 || len(m[0].Content) != 1 || m[0].Content[0].Text != "go" {
		t.Errorf("sent %+v", m)
	}
	if a, _ := b.purse.counts(); a[0].Input > int64(len(ask("go")))/2+1 {
		t.Errorf("estimated %d", a[0].Input)
	}
}

// A request that the gate held until its turn was over is not made for the next
// one, and is none of its faults.
func TestHeldBeyondItsTurn(t *testing.T) {
	b, _ := onStub(t) // fails the test when a request comes
	held, pass := make(chan struct{}), make(chan struct{})
	b.purse.admit = func(context.Context, harness.Request) error {
		close(held)
		<-pass
		return nil
	}
	ended := b.gone(b.request(t.Context(), ask("go")))
	within(t, "the question to the gate", held)
	b.pass.Begin()
	close(pass)
	within(t, "the answer", ended)
	if _, settled := b.purse.counts(); fmt.Sprint(settled) != fmt.Sprint([]harness.Usage{{}}) || b.pass.Fault() != nil {
		t.Errorf("settled %v, fault %v", settled, b.pass.Fault())
	}
}
