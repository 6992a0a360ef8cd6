package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

func TestAnswersPassByteForByte(t *testing.T) {
	const message = `{"type":"message", "id":"m1","model":"claude-opus-5-5","content":[{"type":"text","text":"\u003c"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":5}}` + "\n"
	var got *http.Request
	var body []byte
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		for name, v := range map[string]string{"Request-Id": "req_1", "Anthropic-Ratelimit-Unified-Status": "allowed", "Set-Cookie": "a=b", "Anthropic-Organization-Id": "o"} {
			w.Header().Set(name, v)
		}
		if strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(eventStream())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, message)
	}))
	t.Cleanup(api.Close)
	b := newBench(t, api.URL+"/gateway/")

	sent := strings.Replace(ask("go\u00e9"), `"max_tokens":1000`, "\"max_tokens\" :\t1000, \"x\": 1.50", 1)
	r := b.request(t.Context(), sent)
	for name, v := range map[string]string{"Anthropic-Beta": "a,b", "Anthropic-Version": "2023-06-01", "User-Agent": "claude-cli/2", "Accept": "application/json",
		"Cookie": "c=d", "Authorization": "Bearer " + b.pass.Key(), "X-App": "cli", "Accept-Encoding": "gzip", "Proxy-Authorization": "x", "Te": "trailers"} {
		r.Header.Set(name, v)
	}
	response, answer := b.do(r)
	if answer != string(eventStream()) {
		t.Errorf("answer %q", answer)
	}
	if string(body) != sent || got.URL.Path != "/gateway/v1/messages" || got.URL.RawQuery != "beta=true" {
		t.Errorf("the API was sent %s %s", got.URL, body)
	}
	for name, want := range map[string]string{"X-Api-Key": realKey, "Authorization": "", "Anthropic-Beta": "a,b", "Anthropic-Version": "2023-06-01", "User-Agent": "claude-cli/2",
		"Accept": "application/json", "Content-Type": "application/json", "Accept-Encoding": "identity", "Cookie": "", "X-App": "", "Proxy-Authorization": "", "Te": ""} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("the API was sent %s: %q, want %q", name, v, want)
		}
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Request-Id": "req_1", "Anthropic-Ratelimit-Unified-Status": "allowed", "Set-Cookie": "", "Anthropic-Organization-Id": ""} {
		if v := response.Header.Get(name); v != want {
			t.Errorf("the CLI was sent %s: %q, want %q", name, v, want)
		}
	}
	if _, answer := b.post(strings.Replace(ask("go"), `"stream":true`, `"stream":false`, 1)); answer != message {
		t.Errorf("whole answer %q", answer)
	}
	want := []heard{{harness.Responded{Model: "claude-opus-5-5-20261015", Usage: harness.Usage{Input: 10, Read: 90, Output: 7}}, true},
		{harness.Responded{Model: model, Usage: harness.Usage{Input: 3, Output: 5}}, true}}
	if got := b.told(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("told %v, want %v", got, want)
	}
	if _, settled := b.purse.counts(); fmt.Sprint(settled) != fmt.Sprint([]harness.Usage{want[0].Usage, want[1].Usage}) {
		t.Errorf("settled %v", settled)
	}
}

func TestBearerTokens(t *testing.T) {
	b, stub := onStub(t, func(c *Config, _ *Client) { c.AuthToken, c.APIKey = c.APIKey, "" })
	stub.Push(harnesstest.Say("hi"))
	r := b.request(t.Context(), ask("go"))
	r.Header.Del("X-Api-Key")
	r.Header.Set("Authorization", "Bearer "+b.pass.Key())
	if response, _ := b.do(r); response.StatusCode != http.StatusOK || stub.Last().Header.Get("X-Api-Key") != "" {
		t.Errorf("answer %d, sent %v", response.StatusCode, stub.Last().Header)
	}
}

// The stub has no reply: what reaches it fails the test.
func TestOnlyWhatIsNeededIsPassedOn(t *testing.T) {
	b, _ := onStub(t)
	other := b.proxy.Open(Client{})
	other.Close()
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int
		kind   string
	}{
		{"another method", func(r *http.Request) { r.Method = http.MethodGet }, 404, "not_found_error"},
		{"another path", func(r *http.Request) { r.URL.Path = "/v1/files" }, 404, "not_found_error"},
		{"a path within", func(r *http.Request) { r.URL.Path = "/v1/messages/batches" }, 404, "not_found_error"},
		{"a way round", func(r *http.Request) { r.URL.Path = "/v1/messages/../files" }, 404, "not_found_error"},
		{"no key", func(r *http.Request) { r.Header.Del("X-Api-Key") }, 401, "authentication_error"},
		{"the real key", func(r *http.Request) { r.Header.Set("X-Api-Key", realKey) }, 401, "authentication_error"},
		{"a key of the past", func(r *http.Request) { r.Header.Set("X-Api-Key", other.Key()) }, 401, "authentication_error"},
		{"a name that was rebound", func(r *http.Request) { r.Host = "evil.example" }, 403, "permission_error"},
		{"another port", func(r *http.Request) { r.Host = "127.0.0.1:1" }, 403, "permission_error"},
		{"a web page", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, "permission_error"},
		{"a page of its own", func(r *http.Request) { r.Header.Set("Origin", b.proxy.URL()) }, 403, "permission_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := b.request(t.Context(), ask("go"))
			c.change(r)
			b.refused(r, c.status, c.kind)
		})
	}
	if b.pass.Fault() != nil {
		t.Errorf("fault %v", b.pass.Fault())
	}
	if admitted, _ := b.purse.counts(); len(admitted) > 0 {
		t.Errorf("admitted %v", admitted)
	}
}

func TestKeysDiffer(t *testing.T) {
	b, _ := onStub(t)
	if k := b.proxy.Open(Client{}).Key(); k == b.pass.Key() || !strings.HasPrefix(k, "sk-ant-") || len(k) < 40 {
		t.Errorf("key %s", k)
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	for _, c := range []Config{{APIKey: "a", AuthToken: "b"}, {BaseURL: "ftp://user:hunter2@host"}, {BaseURL: "://hunter2"}} {
		if p, err := Start(t.Context(), c); err == nil {
			_ = p.Close()
			t.Errorf("%+v was taken", c)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Error(err)
		}
	}
}

func TestCountingTokensIsFree(t *testing.T) {
	status := http.StatusOK
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/messages/count_tokens" || strings.Contains(string(body), words) {
			t.Errorf("sent %s %s", r.URL.Path, body)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"input_tokens": 7}`)
	}))
	t.Cleanup(api.Close)
	b := newBench(t, api.URL)
	count := func() *http.Request {
		r := b.request(t.Context(), ask("go", words))
		r.URL.Path += "/count_tokens"
		return r
	}
	if response, body := b.do(count()); response.StatusCode != http.StatusOK || body != `{"input_tokens": 7}` {
		t.Errorf("answer %d %s", response.StatusCode, body)
	}
	status = http.StatusInternalServerError
	b.refused(count(), http.StatusForbidden, "permission_error")
	if admitted, settled := b.purse.counts(); len(admitted)+len(settled) > 0 || b.pass.Fault() != nil || len(b.told()) > 0 {
		t.Errorf("admitted %v, settled %v, fault %v", admitted, settled, b.pass.Fault())
	}
	b.pass.Refuse(&harness.Fault{Class: harness.Budget})
	status = http.StatusOK
	b.refused(count(), http.StatusForbidden, "permission_error")
}

// Many sessions at once, each with faults of its own.
func TestSessionsDoNotMix(t *testing.T) {
	b, stub := onStub(t)
	stub.Answer = func(r harnesstest.Received) harnesstest.Reply {
		if strings.Contains(string(r.Body), "bad") {
			return harnesstest.Fail(529, "overloaded_error", "Overloaded")
		}
		return harnesstest.Say("hi")
	}
	var all sync.WaitGroup
	for i := range 8 {
		purse := &purse{changed: make(chan struct{})}
		s := b.proxy.Open(Client{Gate: purse})
		text, want := "good", http.StatusOK
		if i%2 == 1 {
			text, want = "bad", http.StatusForbidden
		}
		all.Go(func() {
			var turn sync.WaitGroup
			for range 5 {
				turn.Go(func() {
					r := b.request(t.Context(), ask(text))
					r.Header.Set("X-Api-Key", s.Key())
					if response, body := b.do(r); response.StatusCode != want {
						t.Errorf("session %d: %d %s", i, response.StatusCode, body)
					}
				})
			}
			turn.Wait()
			s.Close()
			if a, settled := purse.counts(); len(a) != len(settled) || (s.Fault() == nil) != (text == "good") {
				t.Errorf("session %d: %d admitted, %d settled, fault %v", i, len(a), len(settled), s.Fault())
			}
		})
	}
	all.Wait()
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	for name, end := range map[string]func(b *bench, stop context.CancelFunc){
		"closed":            func(b *bench, _ context.CancelFunc) {},
		"the context ended": func(b *bench, stop context.CancelFunc) { stop() },
		"the session":       func(b *bench, _ context.CancelFunc) { b.pass.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			b, stub := onStub(t)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			p, err := Start(ctx, Config{BaseURL: stub.URL, APIKey: stub.Key})
			if err != nil {
				t.Fatal(err)
			}
			b.proxy, b.pass = p, p.Open(Client{Gate: b.purse})
			stub.Push(harnesstest.Reply{Hold: make(chan struct{})})
			ended := b.gone(b.request(t.Context(), ask("go")))
			stub.Await(t.Context(), 1)
			if end(b, stop); name != "the session" {
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if a, settled := b.purse.counts(); len(a) != 1 || len(settled) != 1 || b.pass.Fault() != nil {
				t.Errorf("%d admitted, settled %v, fault %v", len(a), settled, b.pass.Fault())
			}
			within(t, "the end of the request", ended)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			for patience := time.Now().Add(10 * time.Second); len(stacks(p)) > 0; runtime.Gosched() {
				if time.Now().After(patience) { // a connection's last steps are net/http's own
					t.Fatalf("left behind: %s", stacks(p))
				}
			}
		})
	}
}

// stacks are those of goroutines in methods of that proxy.
func stacks(p *Proxy) []string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	var own []string
	for s := range strings.SplitSeq(string(all), "\n\n") {
		if strings.Contains(s, fmt.Sprintf("(*Proxy).ServeHTTP(%p", p)) || strings.Contains(s, fmt.Sprintf("(*Proxy).shut(%p", p)) {
			own = append(own, s)
		}
	}
	return own
}
