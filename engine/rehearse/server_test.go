package rehearse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// What Claude Code sends beyond our own harness: beta fields and header, system
// as a list with marks, many blocks and tools, a message in the role system,
// server tools, tools that are loaded later, an older API version.
func TestClaudeCode(t *testing.T) {
	s := start(t, "fallback: {turns: [{say: hi, call: {tool: mcp__flower__ask}}, {say: bye}]}")
	c := newChat(t, s, "x")
	c.path = "/v1/messages?beta=true"
	delete(c.header, "x-api-key")
	c.header["Authorization"] = "Bearer " + s.Key()
	c.header["anthropic-version"] = "2023-06-01"
	c.header["anthropic-beta"] = "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27," +
		"prompt-caching-scope-2026-01-05,task-budgets-2026-03-13"
	c.header["x-claude-code-agent-id"] = "a1"
	tools := list{}
	for i := range 60 {
		tools = append(tools, bash(dict{"name": fmt.Sprintf("mcp__flower__tool%d", i), "defer_loading": i > 50,
			"input_schema": dict{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": dict{}, "additionalProperties": false}}))
	}
	tools = append(tools, bash(dict{"name": "mcp__flower__ask", "eager_input_streaming": true}),
		dict{"type": "web_search_20250305", "name": "web_search", "max_uses": 8})
	c.body["tools"] = tools
	c.body["system"] = list{words("x-anthropic-billing-header: a=b"), cached(words("You are Claude Code."), "1h"),
		dict{"type": "text", "text": "Role: worker", "cache_control": dict{"type": "ephemeral", "ttl": "1h", "scope": "global"}}}
	c.body["metadata"] = dict{"user_id": `{"device_id":"x","session_id":"y"}`}
	c.body["thinking"] = dict{"type": "adaptive"}
	c.body["context_management"] = dict{"edits": list{dict{"type": "clear_thinking_20251015", "keep": "all"}}}
	c.body["output_config"] = dict{"effort": "high", "task_budget": dict{}}
	c.body["temperature"] = 1
	c.body["max_tokens"] = 64000
	c.body["messages"] = list{
		user(list{words("<system-reminder>a</system-reminder>"), cached(words("do it"), "1h")}),
		dict{"role": "system", "content": list{words("a hint")}},
	}
	m := c.next()
	if prose(m) != "hi" {
		t.Fatalf("%v", m)
	}
	c.reply(m, "answer")
	if m := c.next(); prose(m) != "bye" {
		t.Errorf("%v", m)
	}
	if r := append(s.Refusals(), s.Problems()...); len(r) > 0 {
		t.Errorf("%q", r)
	}
}

func TestOtherEndpoints(t *testing.T) {
	s := start(t, "models: {local-llama: {window: 4096, max_output: 512}}\nfallback: {turns: [{say: x}]}")
	a := s.goodAsk()
	a.body = nil
	a.method = "HEAD"
	for _, path := range []string{"/", "/api/hello"} {
		a.path = path
		if g := s.do(t, a); g.status != 200 {
			t.Errorf("HEAD %s: %d", path, g.status)
		}
	}
	a.method, a.path = "GET", "/v1/models/local-llama"
	var m struct {
		ID             string
		MaxInputTokens int `json:"max_input_tokens"`
		MaxTokens      int `json:"max_tokens"`
	}
	if g := s.do(t, a); json.Unmarshal(g.body, &m) != nil || m.ID != "local-llama" || m.MaxInputTokens != 4096 || m.MaxTokens != 512 {
		t.Errorf("model %s", g.body)
	}
	a.path = "/v1/models?limit=1000"
	var l struct {
		Data []struct{ ID string }
	}
	if g := s.do(t, a); json.Unmarshal(g.body, &l) != nil || len(l.Data) != len(offered)+1 {
		t.Errorf("models %s", g.body)
	}
}

// A window that the script sets holds, for one name or for all.
func TestWindow(t *testing.T) {
	s := start(t, "models: {'*': {window: 60}, big: {window: 1000}}\nfallback: {turns: [{say: x}]}")
	c := newChat(t, s, strings.Repeat("word ", 80))
	c.refused(fmt.Sprintf("prompt is too long: %d tokens > 60 maximum", c.count()))
	c.body["model"] = "big"
	c.next()
}

func TestLog(t *testing.T) {
	var seen []Exchange
	s := startLogged(t, turnsScript, &seen)
	c := coder(t, s, "sums")
	c.next()
	c.body["extra"] = 1
	c.refused("Extra inputs")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 {
		t.Fatalf("%d exchanges", len(seen))
	}
	if x := seen[0]; x.Method != "POST" || x.Path != "/v1/messages" || x.Status != 200 || x.Scene != "coder" || x.Turn != 1 ||
		x.Error != "" || !json.Valid(x.Body) || x.Header.Get("anthropic-version") != newest {
		t.Errorf("%+v", x)
	}
	if x := seen[1]; x.Status != 400 || !strings.Contains(x.Error, "Extra inputs") || x.Scene != "" || x.RequestID == seen[0].RequestID {
		t.Errorf("%+v", x)
	}
	if r := s.Refusals(); len(r) != 1 {
		t.Errorf("refusals %q", r)
	}
}

func TestClosed(t *testing.T) {
	s := start(t, okScript)
	url := s.URL()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second time: %v", err)
	}
	if res, err := http.Get(url + "/v1/models"); err == nil {
		res.Body.Close()
		t.Error("still answers")
	}
	if _, err := Start(t.Context(), nil, Config{}); err == nil {
		t.Error("started without a script")
	}
	script, _ := Builtin("echo")
	if _, err := Start(t.Context(), script, Config{Listen: "no address"}); err == nil {
		t.Error("started without an address")
	}
}

// Many sessions at once, as with parallel workers.
func TestParallel(t *testing.T) {
	s := start(t, turnsScript)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			c := coder(t, s, fmt.Sprintf("task%d", i))
			m := c.next()
			if prose(m) != fmt.Sprintf("coder-1 does task%d", i) {
				t.Errorf("%d: %v", i, m)
			}
			c.reply(m, fmt.Sprintf("FAIL: %d", i))
			if m := c.next(); prose(m) != fmt.Sprintf("It fails with FAIL: %d", i) {
				t.Errorf("%d: %v", i, m)
			}
		})
	}
	all.Wait()
}

// everyBeta opens all that a beta can open.
var everyBeta = []string{"context-management-2025-06-27", "mcp-client-2025-11-20", "structured-outputs-2025-12-15", "message-threads-2026-08-12",
	"per-turn-control-2026-07-01", "mid-conversation-system-clear-at-2026-08-21", "mid-conversation-tool-changes-2026-07-01",
	"thinking-binding-controls-2026-08-01", "thinking-display-updates-2026-08-18", "prompt-caching-scope-2026-01-05", "task-budgets-2026-03-13"}

// No body makes the checks panic, and what they accept is answered.
func FuzzRequest(f *testing.F) {
	seed := func(a *ask) {
		raw := a.raw
		if raw == nil {
			raw, _ = json.Marshal(a.body)
		}
		if len(raw) < 1<<16 {
			f.Add(raw)
		}
	}
	for _, r := range rules {
		a := (&Server{}).goodAsk()
		r.spoil(a)
		seed(a)
	}
	seed((&Server{}).goodAsk())
	for _, c := range capturedRequests(f) {
		seed(&ask{body: c.Body})
	}
	script, err := Parse([]byte(turnsScript))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, h := range []header{{version: newest}, {version: "2023-06-01", betas: everyBeta}} {
			serveAny(t, script, body, h)
		}
	})
}

// serveAny goes the way of a request as far as it comes.
func serveAny(t interface{ Error(...any) }, script *Script, body []byte, h header) {
	r, refused := script.parseRequest(body, h, false)
	if refused != nil {
		return
	}
	c := r.chained()
	if c.tokens() < 1 {
		t.Error("no tokens")
	}
	if r.checkThinking(c) == nil {
		(&Server{script: script, config: Config{Now: (&watch{}).Now}}).play(r, c)
	}
}

func BenchmarkTurn(b *testing.B) {
	script, _ := Parse([]byte(okScript))
	s, err := Start(b.Context(), script, Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	a := s.goodAsk()
	messages := list{}
	for i := range 50 {
		messages = append(messages, user(strings.Repeat(fmt.Sprintf("line %d of \"code\"\n", i), 100)), assistant("fine"))
	}
	a.body["messages"] = append(messages, user("go"))
	raw, _ := json.Marshal(a.body)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		req, _ := http.NewRequest("POST", s.URL()+"/v1/messages", strings.NewReader(string(raw)))
		for k, v := range a.header {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != 200 {
			b.Fatal(err, res.StatusCode)
		}
		res.Body.Close()
	}
}
