package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// A purse is a gate that writes down what it was asked.
type purse struct {
	admit func(context.Context, harness.Request) error // nil: everything

	mu       sync.Mutex
	admitted []harness.Request
	settled  []harness.Usage
	changed  chan struct{} // closed and replaced at each Settle
}

func (p *purse) Admit(ctx context.Context, r harness.Request) error {
	if p.admit != nil {
		if err := p.admit(ctx, r); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.admitted = append(p.admitted, r)
	return nil
}

func (p *purse) Settle(ctx context.Context, _ harness.Request, u harness.Usage) {
	for range 10_000 { // whoever does not wait for this is seen to be early
		runtime.Gosched()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		u.Output = -1
	}
	p.settled = append(p.settled, u)
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *purse) counts() (admitted []harness.Request, settled []harness.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.admitted), slices.Clone(p.settled)
}

// await waits until so many requests are settled.
func (p *purse) await(t testing.TB, n int) {
	for {
		p.mu.Lock()
		got, changed := len(p.settled), p.changed
		p.mu.Unlock()
		if got >= n {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%d of %d settled", got, n)
		}
	}
}

type heard struct {
	harness.Responded
	main bool
}

// A bench is a proxy before an endpoint, with one session.
type bench struct {
	testing.TB
	proxy *Proxy
	pass  *Pass
	purse *purse

	mu    sync.Mutex
	heard []heard
}

const (
	realKey = "real-key-0123456789"
	model   = "claude-opus-5-5"
)

func newBench(t testing.TB, endpoint string, changes ...func(*Config, *Client)) *bench {
	b := &bench{TB: t, purse: &purse{changed: make(chan struct{})}}
	c := Config{BaseURL: endpoint, APIKey: realKey}
	client := Client{Session: "s", Role: "coder", Agent: "w1", Model: "opus", Gate: b.purse, CarryOn: words,
		Responded: func(r harness.Responded, main bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.heard = append(b.heard, heard{r, main})
		}}
	for _, change := range changes {
		change(&c, &client)
	}
	p, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	b.proxy, b.pass = p, p.Open(client)
	b.pass.Begin()
	return b
}

// onStub is a bench before a scripted API.
func onStub(t testing.TB, changes ...func(*Config, *Client)) (*bench, *harnesstest.Stub) {
	s := harnesstest.NewStub(t)
	changes = append([]func(*Config, *Client){func(c *Config, _ *Client) { c.APIKey = s.Key }}, changes...)
	return newBench(t, s.URL, changes...), s
}

// ask is a body that asks for an answer.
func ask(texts ...string) string {
	var blocks []string
	for _, text := range texts {
		blocks = append(blocks, fmt.Sprintf(`{"type":"text","text":%q}`, text))
	}
	return `{"model":"` + model + `","max_tokens":1000,"stream":true,"tools":[{"name":"Bash","input_schema":{}}],` +
		`"messages":[{"role":"user","content":[` + strings.Join(blocks, ",") + `]}]}`
}

func (b *bench) request(ctx context.Context, body string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.proxy.URL()+"/v1/messages?beta=true", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("X-Api-Key", b.pass.Key())
	r.Header.Set("Content-Type", "application/json")
	return r
}

// do sends a request and reads the answer.
func (b *bench) do(r *http.Request) (*http.Response, string) {
	b.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := c.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return response, string(body)
}

// post asks and returns status and body.
func (b *bench) post(body string) (int, string) {
	b.Helper()
	r, text := b.do(b.request(b.Context(), body))
	return r.StatusCode, text
}

// refused asks and wants a refusal of that status in the API's form.
func (b *bench) refused(r *http.Request, status int, kind string) {
	b.Helper()
	response, body := b.do(r)
	var e struct {
		Type  string
		Error struct{ Type, Message string }
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || response.StatusCode != status || e.Type != "error" || e.Error.Type != kind || e.Error.Message == "" {
		b.Errorf("answer %d %s, want %d %s", response.StatusCode, body, status, kind)
	}
}

// passes asks and wants an answer.
func (b *bench) passes(body string) string {
	b.Helper()
	status, answer := b.post(body)
	if status != http.StatusOK || !strings.Contains(answer, "message_stop") {
		b.Fatalf("answer %d %s, fault %v", status, answer, b.pass.Fault())
	}
	return answer
}

// gone starts a request and returns a channel that is closed when it has ended.
func (b *bench) gone(r *http.Request) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if response, err := http.DefaultClient.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	}()
	return ended
}

func (b *bench) told() []heard {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.heard)
}

func within(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("did not come: " + what)
	}
}

// eventStream is a whole answer with bytes that a re-encoding would change.
func eventStream() []byte {
	return bytes.ReplaceAll([]byte(`: hello

event: message_start
data: {"type":"message_start", "message":{"id":"m1","model":"claude-opus-5-5-20261015","usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":1}}}

event: ping
data: {"type": "ping"}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\u003c"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

`), []byte("data: {"), []byte("data:  {"))
}
