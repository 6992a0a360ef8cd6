package rehearse

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An ask is a request to the server, good unless a test spoils it.
type ask struct {
	method, path string
	header       map[string]string
	body         map[string]any
	raw          []byte // instead of body
}

func (s *Server) goodAsk() *ask {
	return &ask{
		method: "POST", path: "/v1/messages",
		header: map[string]string{"x-api-key": s.Key(), "anthropic-version": newest},
		body:   map[string]any{"model": "claude-opus-5-5", "max_tokens": 1000, "messages": list{user("hello")}},
	}
}

type (
	list = []any
	dict = map[string]any
)

func user(content any) dict      { return dict{"role": "user", "content": content} }
func assistant(content any) dict { return dict{"role": "assistant", "content": content} }
func system(content any) dict    { return dict{"role": "system", "content": content} }
func directive(effort string) dict {
	return dict{"role": "system", "content": list{}, "output_config": dict{"effort": effort}}
}
func words(s string) dict { return dict{"type": "text", "text": s} }
func use(id string) dict {
	return dict{"type": "tool_use", "id": id, "name": "Bash", "input": dict{}}
}
func answered(id, text string) dict {
	return dict{"type": "tool_result", "tool_use_id": id, "content": text}
}
func cached(b dict, ttl string) dict {
	c := dict{"type": "ephemeral"}
	if ttl != "" {
		c["ttl"] = ttl
	}
	b["cache_control"] = c
	return b
}
func bash(more dict) dict {
	t := dict{"name": "Bash", "input_schema": dict{"type": "object", "properties": dict{"command": dict{"type": "string"}}}}
	for k, v := range more {
		t[k] = v
	}
	return t
}

// A reply from the server: its status and JSON.
type got struct {
	status int
	header http.Header
	body   []byte
}

func (s *Server) do(t *testing.T, a *ask) got {
	t.Helper()
	raw := a.raw
	if raw == nil && a.body != nil {
		raw, _ = json.Marshal(a.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), a.method, s.URL()+a.path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range a.header {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got{res.StatusCode, res.Header, body}
}

func (g got) fault(t *testing.T) (kind, message string) {
	t.Helper()
	var e struct {
		Type      string
		RequestID string `json:"request_id"`
		Error     struct{ Type, Message string }
	}
	if err := json.Unmarshal(g.body, &e); err != nil || e.Type != "error" {
		t.Fatalf("no error body: %d %s", g.status, g.body)
	}
	if e.RequestID == "" || e.RequestID != g.header.Get("request-id") {
		t.Errorf("request id %q, header %q", e.RequestID, g.header.Get("request-id"))
	}
	return e.Error.Type, e.Error.Message
}

// A rule is something the server refuses.
type rule struct {
	name   string
	status int
	says   string // part of the message
	spoil  func(a *ask)
}

// set builds a spoiler that puts top-level fields into the body.
func put(pairs ...any) func(*ask) {
	return func(a *ask) {
		for i := 0; i < len(pairs); i += 2 {
			a.body[pairs[i].(string)] = pairs[i+1]
		}
	}
}

func talk(messages ...any) func(*ask) { return put("messages", messages) }

func both(all ...func(*ask)) func(*ask) {
	return func(a *ask) {
		for _, f := range all {
			f(a)
		}
	}
}

func raw(body string) func(*ask) { return func(a *ask) { a.raw = []byte(body) } }

func head(name, value string) func(*ask) { return func(a *ask) { a.header[name] = value } }

func on(id string) func(*ask) { return put("model", id) }

var rules = []rule{
	{"key-missing", 401, "x-api-key", func(a *ask) { delete(a.header, "x-api-key") }},
	{"key-wrong", 401, "invalid x-api-key", head("x-api-key", "sk-other")},
	{"bearer-wrong", 401, "bearer", both(func(a *ask) { delete(a.header, "x-api-key") }, head("Authorization", "Bearer sk-other"))},
	{"version-missing", 400, "anthropic-version", func(a *ask) { delete(a.header, "anthropic-version") }},
	{"beta-name", 400, "Unexpected value(s) `magic` for the `anthropic-beta` header", head("anthropic-beta", "files-api-2025-04-14, magic")},
	{"version-unknown", 400, "2001-01-01", head("anthropic-version", "2001-01-01")},
	{"path-unknown", 404, "", func(a *ask) { a.path = "/v1/complete" }},
	{"method-wrong", 405, "", func(a *ask) { a.method = "PUT" }},
	{"body-too-large", 413, "", func(a *ask) { a.raw = bytes.Repeat([]byte(" "), maxBody+1) }},
	{"body-not-json", 400, "not valid JSON", raw(`{"model":`)},
	{"body-not-utf8", 400, "UTF-8", raw("{\"model\":\"\xff\"}")},
	{"body-half-surrogate", 400, "surrogate", raw(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a\ud83d"}]}`)},
	{"body-no-object", 400, "dictionary", raw(`[]`)},

	{"field-unknown", 400, "extra: Extra inputs are not permitted", put("extra", 1)},
	{"field-beta-only", 400, "context_management: Extra inputs", func(a *ask) {
		a.path += "?beta=true"
		a.header["anthropic-beta"] = "claude-code-20250219"
		a.body["context_management"] = dict{}
	}},
	{"context-edit", 400, "Input tag 'forget'", both(head("anthropic-beta", "context-management-2025-06-27"), put("context_management", dict{"edits": list{dict{"type": "forget"}}}))},
	{"context-thinking", 400, "requires `thinking` to be enabled or adaptive", both(head("anthropic-beta", "context-management-2025-06-27"),
		put("context_management", dict{"edits": list{dict{"type": "clear_thinking_20251015"}}}))},
	{"field-not-counted", 400, "max_tokens: Extra inputs", func(a *ask) { a.path = "/v1/messages/count_tokens" }},
	{"model-missing", 400, "model: Field required", func(a *ask) { delete(a.body, "model") }},
	{"model-empty", 400, "model:", on("")},
	{"max-tokens-missing", 400, "max_tokens: Field required", func(a *ask) { delete(a.body, "max_tokens") }},
	{"max-tokens-no-integer", 400, "valid integer", put("max_tokens", 1.5)},
	{"max-tokens-negative", 400, "greater than or equal to 0", put("max_tokens", -1)},
	{"max-tokens-over-limit", 400, "128001 > 128000", put("max_tokens", 128001)},
	{"sampling-removed", 400, "temperature: Extra inputs are not permitted", put("temperature", 1.0)},
	{"sampling-range", 400, "temperature:", both(head("anthropic-version", "2023-06-01"), put("temperature", 1.5))},
	{"metadata-field", 400, "metadata.team: Extra inputs", put("metadata", dict{"team": "x"})},
	{"effort-unknown", 400, "output_config.effort", put("output_config", dict{"effort": "huge"})},
	{"tier-unknown", 400, "service_tier", put("service_tier", "best")},
	{"speed-unknown", 400, "speed", put("speed", "ludicrous")},
	{"stop-sequence-blank", 400, "non-whitespace", put("stop_sequences", list{" "})},
	{"system-empty-text", 400, "system: text content blocks must be non-empty", put("system", list{words("")})},
	{"system-not-text", 400, "system.0", put("system", list{dict{"type": "image", "source": dict{"type": "url", "url": "x"}}})},

	{"messages-missing", 400, "messages: Field required", func(a *ask) { delete(a.body, "messages") }},
	{"messages-empty", 400, "at least one message", put("messages", list{})},
	{"messages-too-many", 400, "100000", raw(`{"model":"m","max_tokens":1,"messages":[` + strings.TrimSuffix(strings.Repeat("{},", maxMessages+1), ",") + `]}`)},
	{"message-field-unknown", 400, "messages.0.name: Extra inputs", talk(dict{"role": "user", "content": "x", "name": "me"})},
	{"role-unknown", 400, "messages.0.role", talk(dict{"role": "tool", "content": "x"})},
	{"role-first", 400, `must use the "user" role`, talk(assistant("x"), user("y"))},
	{"system-turn-old-model", 400, "not supported on this model", both(on("claude-opus-4-6"), talk(user("x"), dict{"role": "system", "content": "y"}))},
	{"system-turn-first", 400, "messages.0: use the top-level 'system' parameter", talk(system("x"), user("y"))},
	{"system-turn-after-assistant", 400, "messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
		talk(user("x"), assistant("y"), system("z"), system("z"))},
	{"system-turn-before-user", 400, "messages.2: role 'system' must precede an 'assistant' message or end the array", talk(user("x"), system("y"), system("y"), user("z"))},
	{"system-turn-empty", 400, "messages.1: system content must contain at least one block", talk(user("x"), system(list{}))},
	{"system-turn-not-text", 400, "messages.1: role 'system' supports text", talk(user("x"), system(list{dict{"type": "image"}}))},
	{"system-turn-directive", 400, "messages.1.output_config: Extra inputs", talk(user("x"), directive("low"))},
	{"system-turn-clear-at", 400, "messages.1.clear_at: Extra inputs", talk(user("x"), dict{"role": "system", "content": "y", "clear_at": "never"})},
	{"content-missing", 400, "messages.0.content: Field required", talk(dict{"role": "user"})},
	{"content-empty", 400, "messages.0: all messages must have non-empty content", talk(user(""))},
	{"text-empty", 400, "text content blocks must be non-empty", talk(user(list{words("")}))},
	{"text-blank", 400, "non-whitespace", talk(user(list{words(" \n")}))},
	{"block-unknown", 400, "Input tag 'video'", talk(user(list{dict{"type": "video"}}))},
	{"block-beta-only", 400, "Input tag 'mcp_tool_use'", talk(user("x"), assistant(list{dict{"type": "mcp_tool_use"}}), user("y"))},
	{"block-role", 400, "not permitted in `user`", talk(user(list{use("a")}))},
	{"block-document-by-assistant", 400, "not permitted in `assistant`", talk(user("x"), assistant(list{dict{"type": "document", "source": dict{"type": "url", "url": "x"}}}), user("y"))},
	{"block-field-unknown", 400, "messages.0.content.0.text.id: Extra inputs", talk(user(list{dict{"type": "text", "text": "x", "id": "y"}}))},
	{"block-field-missing", 400, "messages.0.content.0.text.text: Field required", talk(user(list{dict{"type": "text"}}))},
	{"citations-by-user", 400, "citations", talk(user(list{dict{"type": "text", "text": "x", "citations": list{dict{}}}}))},
	{"image-type", 400, "media_type", talk(user(list{dict{"type": "image", "source": dict{"type": "base64", "media_type": "image/bmp", "data": "AAAA"}}}))},
	{"image-data", 400, "base64", talk(user(list{dict{"type": "image", "source": dict{"type": "base64", "media_type": "image/png", "data": "%"}}}))},
	{"image-unreadable", 400, "Could not process image", talk(user(list{dict{"type": "image", "source": dict{"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}}))},
	{"image-bytes", 400, "exceeds 5 MB", talk(user(list{dict{"type": "image", "source": dict{"type": "base64", "media_type": "image/webp", "data": strings.Repeat("AAAA", 5<<18+1)}}}))},
	{"image-side", 400, "8000 pixels", talk(user(list{dict{"type": "image", "source": dict{"type": "base64", "media_type": "image/png",
		"data": "iVBORw0KGgoAAAANSUhEUgAAH0EAAAABCAAAAACZyqz4AAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="}}}))},

	{"call-id-pattern", 400, "tool_use.id", talk(user("x"), assistant(list{use("a b")}), user(list{answered("a b", "r")}))},
	{"call-input-no-object", 400, "tool_use.input", talk(user("x"), assistant(list{dict{"type": "tool_use", "id": "a", "name": "B", "input": "{}"}}), user(list{answered("a", "r")}))},
	{"call-id-twice", 400, "ids must be unique", talk(user("x"), assistant(list{use("a")}), user(list{answered("a", "r")}), assistant(list{use("a")}), user(list{answered("a", "r")}))},
	{"call-open", 400, "without `tool_result` blocks immediately after: b. Each", talk(user("x"), assistant(list{use("a"), use("b")}), user(list{answered("a", "r")}))},
	{"call-open-at-end", 400, "immediately after: a.", talk(user("x"), assistant(list{use("a")}))},
	{"result-not-first", 400, "immediately after: a.", talk(user("x"), assistant(list{use("a")}), user(list{words("so"), answered("a", "r")}))},
	{"result-unknown", 400, "unexpected `tool_use_id` found in `tool_result` blocks: b.", talk(user("x"), assistant(list{use("a")}), user(list{answered("a", "r"), answered("b", "r")}))},
	{"result-twice", 400, "single result", talk(user("x"), assistant(list{use("a")}), user(list{answered("a", "r"), answered("a", "r")}))},
	{"result-error-empty", 400, "cannot be empty if `is_error`", talk(user("x"), assistant(list{use("a")}), user(list{dict{"type": "tool_result", "tool_use_id": "a", "is_error": true}}))},
	{"prefill-unsupported", 400, "does not support assistant message prefill", talk(user("x"), assistant("y"))},
	{"prefill-blank-end", 400, "trailing whitespace", both(on("claude-haiku-4-5"), talk(user("x"), assistant("y ")))},

	{"cache-too-many", 400, "A maximum of 4 blocks with cache_control may be provided. Found 5.",
		talk(user(list{cached(words("1"), ""), cached(words("2"), ""), cached(words("3"), ""), cached(words("4"), ""), cached(words("5"), "")}))},
	{"cache-type", 400, "cache_control.type", talk(user(list{dict{"type": "text", "text": "x", "cache_control": dict{"type": "eternal"}}}))},
	{"cache-ttl", 400, "cache_control.ttl", talk(user(list{cached(words("x"), "2h")}))},
	{"cache-ttl-order", 400, "ttl='1h'", talk(user(list{cached(words("x"), "5m"), cached(words("y"), "1h")}))},

	{"tool-name-pattern", 400, "tools.0.custom.name: String should match pattern", put("tools", list{bash(dict{"name": "a b"})})},
	{"tool-name-twice", 400, "Tool names must be unique", put("tools", list{bash(nil), bash(nil)})},
	{"tool-type-unknown", 400, "Input tag 'magic'", put("tools", list{dict{"type": "magic", "name": "m"}})},
	{"tool-field-unknown", 400, "tools.0.custom.secret: Extra inputs", put("tools", list{bash(dict{"secret": 1})})},
	{"tool-schema-missing", 400, "tools.0.custom.input_schema: Field required", put("tools", list{dict{"name": "a"}})},
	{"tool-schema-no-object", 400, "Input should be 'object'", put("tools", list{bash(dict{"input_schema": dict{"type": "string"}})})},
	{"tool-schema-union", 400, "does not support oneOf", put("tools", list{bash(dict{"input_schema": dict{"type": "object", "anyOf": list{}}})})},
	{"tool-schema-required", 400, "required", put("tools", list{bash(dict{"input_schema": dict{"type": "object", "required": "x"}})})},
	{"tool-schema-key", 400, "Property keys should match", put("tools", list{bash(dict{"input_schema": dict{"type": "object", "properties": dict{"a b": dict{}}}})})},
	{"tool-schema-type", 400, "'text' is no type", put("tools", list{bash(dict{"input_schema": dict{"type": "object", "properties": dict{"a": dict{"type": "text"}}}})})},
	{"tools-all-deferred", 400, "All tools have defer_loading set", put("tools", list{bash(dict{"defer_loading": true})})},
	{"choice-type", 400, "tool_choice.type", put("tools", list{bash(nil)}, "tool_choice", dict{"type": "some"})},
	{"choice-without-tools", 400, "while providing tools", put("tool_choice", dict{"type": "auto"})},
	{"choice-unknown-tool", 400, "Tool 'Read' not found", put("tools", list{bash(nil)}, "tool_choice", dict{"type": "tool", "name": "Read"})},
	{"choice-forced-thinking", 400, "forces tool use", put("tools", list{bash(nil)}, "tool_choice", dict{"type": "any"}, "thinking", dict{"type": "adaptive"})},

	{"reference-unknown", 400, "Tool reference 'Fly' has no corresponding tool definition", talk(user("x"), assistant(list{use("a")}), user(list{dict{"type": "tool_result", "tool_use_id": "a",
		"content": list{dict{"type": "tool_reference", "tool_name": "Fly"}}}}))},
	{"thinking-type", 400, "Input tag 'deep'", put("thinking", dict{"type": "deep"})},
	{"thinking-manual", 400, `"thinking.type.enabled" is not supported`, put("thinking", dict{"type": "enabled", "budget_tokens": 2000}, "max_tokens", 4000)},
	{"thinking-adaptive", 400, "adaptive thinking is not supported", put("model", "claude-haiku-4-5", "thinking", dict{"type": "adaptive"})},
	{"thinking-between", 400, "between_tools", put("thinking", dict{"type": "between_tools"})},
	{"thinking-budget-small", 400, "greater than or equal to 1024", put("model", "claude-haiku-4-5", "thinking", dict{"type": "enabled", "budget_tokens": 100})},
	{"thinking-budget-over", 400, "must be greater than `thinking.budget_tokens`", put("model", "claude-haiku-4-5", "thinking", dict{"type": "enabled", "budget_tokens": 2000})},
	{"thinking-display", 400, "display", put("thinking", dict{"type": "adaptive", "display": "loud"})},
	{"thinking-forged", 400, "Invalid `signature` in `thinking` block",
		talk(user("x"), assistant(list{dict{"type": "thinking", "thinking": "t", "signature": "s"}, words("y")}), user("z"), assistant("a"), user("b"))},
	{"prompt-too-long", 400, "prompt is too long: ", put("model", "small", "messages", list{user(strings.Repeat("word ", 200))})},
}

const rulesScript = `
models: {small: {window: 100}}
fallback: {repeat: true, turns: [{say: ok}]}
`

func TestRules(t *testing.T) {
	s := start(t, rulesScript)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			a := s.goodAsk()
			r.spoil(a)
			g := s.do(t, a)
			if g.status != r.status {
				t.Fatalf("status %d, want %d: %s", g.status, r.status, g.body)
			}
			kind, message := g.fault(t)
			if kind != kindOf(r.status) {
				t.Errorf("type %s, want %s", kind, kindOf(r.status))
			}
			if !strings.Contains(message, r.says) {
				t.Errorf("message %q lacks %q", message, r.says)
			}
		})
	}
	if g := s.do(t, s.goodAsk()); g.status != 200 {
		t.Fatalf("the unspoilt request: %d %s", g.status, g.body)
	}
}

// Rules that need an answer of the server's first have tests of their own.
var rulesElsewhere = []string{"thinking-altered", "thinking-missing", "thinking-first", "thinking-other-prefix", "thinking-moved"}

// The table in docs/rehearsal.md lists the rules that are tested, and only those.
func TestRulesDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/rehearsal.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "## What is refused")
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1])
	}
	tested := slices.Clone(rulesElsewhere)
	for _, r := range rules {
		tested = append(tested, r.name)
	}
	for _, name := range tested {
		if !slices.Contains(documented, name) {
			t.Errorf("'%s' is not in the table", name)
		}
	}
	for _, name := range documented {
		if !slices.Contains(tested, name) {
			t.Errorf("'%s' has no test", name)
		}
	}
	if len(documented) != len(tested) {
		t.Errorf("%d documented, %d tested: one appears twice", len(documented), len(tested))
	}
}
