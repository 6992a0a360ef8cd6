package rehearse

import (
	"encoding/json"
	"strings"
	"testing"
)

// What the API takes, the server takes: a double that is too strict would make
// the loop wrong as well.
func TestAccepted(t *testing.T) {
	s := start(t, rulesScript)
	png := dict{"type": "image", "source": dict{"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="}}
	for _, test := range []struct {
		name  string
		spoil func(*ask)
	}{
		{"key as bearer", both(func(a *ask) { delete(a.header, "x-api-key") }, head("Authorization", "Bearer "+s.Key()))},
		{"both keys, the first counts", head("Authorization", "Bearer other")},
		{"older version", head("anthropic-version", "2023-06-01")},
		{"sampling in the older version", both(head("anthropic-version", "2023-06-01"), put("temperature", 0.5, "top_p", 0.9, "top_k", 40))},
		{"consecutive roles", talk(user("a"), user("b"), assistant("c"), assistant("d"), user("e"))},
		{"results in two messages", talk(user("x"), assistant(list{use("a"), use("b")}), user(list{answered("a", "r")}), user(list{answered("b", "r")}))},
		{"text after results", talk(user("x"), assistant(list{use("a")}), user(list{answered("a", "r"), words("and so")}))},
		{"result without content", talk(user("x"), assistant(list{use("a")}), user(list{dict{"type": "tool_result", "tool_use_id": "a"}}))},
		{"result of blanks", talk(user("x"), assistant(list{use("a")}), user(list{answered("a", "\n")}))},
		{"result of blocks", talk(user("x"), assistant(list{use("a")}), user(list{dict{"type": "tool_result", "tool_use_id": "a",
			"content": list{png, cached(words("seen"), "")}, "is_error": false}}))},
		{"picture", talk(user(list{png, words("what is it?")}))},
		{"picture by address", talk(user(list{dict{"type": "image", "source": dict{"type": "url", "url": "http://localhost/x.png"}}, words("?")}))},
		{"document", talk(user(list{dict{"type": "document", "title": "t", "source": dict{"type": "text", "media_type": "text/plain", "data": "x"}}, words("?")}))},
		{"file", talk(user(list{dict{"type": "document", "source": dict{"type": "file", "file_id": "file_1"}}, words("?")}))},
		{"system turn at the end", talk(user("x"), dict{"role": "system", "content": "be brief"})},
		{"system turns together", talk(user("x"), system("a"), system("b"), assistant("y"), user("z"), system("c"), system("d"))},
		{"settings anywhere", both(head("anthropic-beta", "per-turn-control-2026-07-01"),
			talk(directive("low"), user("x"), assistant("y"), directive("high"), user("z"), directive("low"), system("w")))},
		{"system turn with settings", both(head("anthropic-beta", "mid-conversation-output-config-2026-07-01,mid-conversation-system-clear-at-2026-08-21"),
			talk(user("x"), dict{"role": "system", "content": "y", "output_config": dict{"effort": "max"}, "clear_at": "next_user_message"}))},
		{"settings without content", both(head("anthropic-beta", "per-turn-control-2026-07-01"),
			talk(user("x"), dict{"role": "system", "output_config": dict{"effort": "low"}}))},
		{"tools that come and go", both(head("anthropic-beta", "mid-conversation-tool-changes-2026-07-01"),
			talk(user("x"), system(list{dict{"type": "tool_addition", "tool": dict{"type": "tool_reference", "name": "Bash"}}, words("new")})))},
		{"thinking with updates", both(head("anthropic-beta", "thinking-display-updates-2026-08-18"), put("thinking", dict{"type": "adaptive", "display": "updates"}))},
		{"tool references", both(put("tools", list{bash(dict{"defer_loading": true}), bash(dict{"name": "ToolSearch"})}), talk(user("x"), assistant(list{use("a")}), user(list{dict{"type": "tool_result", "tool_use_id": "a",
			"content": list{dict{"type": "tool_reference", "tool_name": "Bash"}}}})))},
		{"system turn before the assistant", talk(user("x"), dict{"role": "system", "content": list{words("be brief")}}, assistant("y"), user("z"))},
		{"prefill on an old model", both(on("claude-haiku-4-5"), talk(user("x"), assistant("The answer is")))},
		{"an empty last answer on an old model", both(on("claude-haiku-4-5"), talk(user("x"), assistant("")))},
		{"paused search", talk(user("x"), assistant(list{words("I search."), dict{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": dict{}}}))},
		{"four marks", talk(user(list{cached(words("1"), "1h"), cached(words("2"), "1h"), cached(words("3"), ""), cached(words("4"), "5m")}))},
		{"no tools", put("tools", list{})},
		{"tool with everything", put("tools", list{bash(dict{"type": "custom", "description": "d", "strict": true, "defer_loading": false,
			"eager_input_streaming": true, "allowed_callers": list{"direct"}, "input_examples": list{dict{}}, "cache_control": dict{"type": "ephemeral"}})})},
		{"schema without properties", put("tools", list{bash(dict{"input_schema": dict{"type": "object"}})})},
		{"schema with more", put("tools", list{bash(dict{"input_schema": dict{"type": "object", "required": list{"a"}, "additionalProperties": false,
			"properties": dict{"a": dict{"type": list{"string", "null"}}, "b": dict{"anyOf": list{}}, "c": true}}})})},
		{"server tools", put("tools", list{dict{"type": "web_search_20250305", "name": "web_search"}, dict{"type": "bash_20250124", "name": "bash"}})},
		{"choice", put("tools", list{bash(nil)}, "tool_choice", dict{"type": "tool", "name": "Bash", "disable_parallel_tool_use": true})},
		{"choice none", put("tool_choice", dict{"type": "none"})},
		{"thinking", put("thinking", dict{"type": "adaptive", "display": "omitted"})},
		{"thinking off", put("thinking", dict{"type": "disabled"})},
		{"thinking with a budget", put("model", "claude-sonnet-4-5-20250929", "max_tokens", 4000, "thinking", dict{"type": "enabled", "budget_tokens": 1024})},
		{"thinking between tools", put("model", "claude-sonnet-5-5", "thinking", dict{"type": "between_tools"})},
		{"the rest", put("metadata", dict{"user_id": "u"}, "service_tier", "auto", "speed", "standard", "stop_sequences", list{"END"},
			"output_config", dict{"effort": "xhigh"}, "stream", false, "container", nil, "system", nil, "tools", nil)},
		{"no tokens at all", put("max_tokens", 0)},
		{"surrogate pairs", raw(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"\ud83d\ude00 \\ud83d \u00e4"}]}`)},
		{"beta fields", func(a *ask) {
			a.path += "?beta=true"
			a.header["anthropic-beta"] = "claude-code-20250219,context-management-2025-06-27"
			a.body["context_management"] = dict{"edits": list{}}
		}},
		{"beta blocks", both(head("anthropic-beta", "mcp-client-2025-11-20"), talk(user("x"), assistant(list{dict{"type": "mcp_tool_use", "id": "x"}, words("y")}), user("z")))},
		{"trailing slash", func(a *ask) { a.path += "/" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := s.goodAsk()
			test.spoil(a)
			if g := s.do(t, a); g.status != 200 {
				t.Errorf("%d %s", g.status, g.body)
			}
		})
	}
}

// The order of two faults in one request is the API's: who asks, then the
// form, then the length.
func TestFirstFault(t *testing.T) {
	s := start(t, rulesScript)
	a := s.goodAsk()
	a.header["x-api-key"] = "wrong"
	a.raw = []byte("{")
	if g := s.do(t, a); g.status != 401 {
		t.Errorf("key and body: %d", g.status)
	}
	a = s.goodAsk()
	put("model", "small", "extra", 1, "messages", list{user(strings.Repeat("x", 9000))})(a)
	if _, m := s.do(t, a).fault(t); !strings.Contains(m, "extra") {
		t.Errorf("field and length: %s", m)
	}
}

func TestSources(t *testing.T) {
	s := start(t, rulesScript)
	for name, source := range map[string]any{
		"no source": nil, "no object": "x", "no type": dict{}, "other type": dict{"type": "disk"}, "no address": dict{"type": "url"},
		"no file": dict{"type": "file"}, "no kind": dict{"type": "base64", "data": "AAAA"}, "no data": dict{"type": "base64", "media_type": "image/png"},
		"empty data": dict{"type": "base64", "media_type": "image/png", "data": ""},
	} {
		a := s.goodAsk()
		b := dict{"type": "image"}
		if source != nil {
			b["source"] = source
		}
		talk(user(list{b}))(a)
		if g := s.do(t, a); g.status != 400 {
			t.Errorf("%s: %d %s", name, g.status, g.body)
		}
	}
}

// Wrong JSON types are refused wherever they stand, with the path.
func TestWrongTypes(t *testing.T) {
	s := start(t, rulesScript)
	for path, spoil := range map[string]func(*ask){
		"model":                               put("model", 3),
		"max_tokens":                          put("max_tokens", "many"),
		"stream":                              put("stream", "yes"),
		"system":                              put("system", 3),
		"tools":                               put("tools", dict{}),
		"tools.0":                             put("tools", list{"Bash"}),
		"tools.0.custom.description":          put("tools", list{bash(dict{"description": 1})}),
		"tools.0.custom.input_schema":         put("tools", list{bash(dict{"input_schema": "x"})}),
		"tool_choice":                         put("tools", list{bash(nil)}, "tool_choice", "auto"),
		"messages":                            put("messages", dict{}),
		"messages.0":                          talk("hello"),
		"messages.0.role":                     talk(dict{"role": 1, "content": "x"}),
		"messages.0.content":                  talk(user(7)),
		"messages.0.content.0":                talk(user(list{"x"})),
		"messages.0.content.0.type":           talk(user(list{dict{"text": "x"}})),
		"messages.0.content.0.text.text":      talk(user(list{dict{"type": "text", "text": 1}})),
		"messages.1.content.0.tool_use.id":    talk(user("x"), assistant(list{dict{"type": "tool_use", "name": "B", "input": dict{}}})),
		"messages.1.content.0.tool_use.name":  talk(user("x"), assistant(list{dict{"type": "tool_use", "id": "a", "input": dict{}}})),
		"messages.1.content.0.tool_use.input": talk(user("x"), assistant(list{dict{"type": "tool_use", "id": "a", "name": "B"}})),
		"messages.2.content.0.tool_result.tool_use_id": talk(user("x"), assistant(list{use("a")}), user(list{dict{"type": "tool_result"}})),
		"messages.2.content.0.tool_result.is_error": talk(user("x"), assistant(list{use("a")}),
			user(list{dict{"type": "tool_result", "tool_use_id": "a", "is_error": "no"}})),
		"messages.1.content.0.thinking.signature": talk(user("x"), assistant(list{dict{"type": "thinking", "thinking": "t"}}), user("y")),
		"thinking":       put("thinking", true),
		"thinking.type":  put("thinking", dict{}),
		"metadata":       put("metadata", "x"),
		"output_config":  put("output_config", "high"),
		"stop_sequences": put("stop_sequences", "END"),
		"cache_control":  put("cache_control", true),
		"temperature":    both(head("anthropic-version", "2023-06-01"), put("temperature", "hot")),
	} {
		a := s.goodAsk()
		spoil(a)
		g := s.do(t, a)
		if g.status != 400 {
			t.Errorf("%s: %d %s", path, g.status, g.body)
			continue
		}
		if _, message := g.fault(t); !strings.HasPrefix(message, path+": ") && !strings.HasPrefix(message, path+".") {
			t.Errorf("%s: %s", path, message)
		}
	}
}

func TestGenerations(t *testing.T) {
	for id, want := range map[string]int{
		"claude-opus-4-6": 406, "claude-opus-4-6[1m]": 406, "claude-sonnet-5": 500, "claude-sonnet-4-20250514": 400,
		"claude-haiku-4-5-20251001": 405, "claude-3-7-sonnet-20250219": 307, "anthropic.claude-opus-4-8-v1:0": 408,
		"claude-fable-5-2": 502, "claude-haiku-4-5@20251001": 405, "llama-3.1": 9999, "claude-mythos-preview": 9999, "": 9999,
	} {
		if got := (model{id: id}).generation(); got != want {
			t.Errorf("%s: %d, want %d", id, got, want)
		}
	}
	for id, bound := range map[string]bool{"claude-opus-5-5": true, "claude-opus-5": false, "claude-fable-5-1": true, "claude-fable-5": false, "other": true} {
		if (model{id: id}).bound() != bound {
			t.Errorf("%s bound: %v", id, !bound)
		}
	}
}

// The error types are those of the SDK, and each status has one.
func TestKinds(t *testing.T) {
	for status, want := range map[int]string{400: "invalid_request_error", 402: "billing_error", 409: "conflict_error", 422: "invalid_request_error",
		500: "api_error", 502: "api_error", 503: "api_error", 529: "overloaded_error"} {
		if got := kindOf(status); got != want {
			t.Errorf("%d: %s", status, got)
		}
	}
	var e struct{ Error dict }
	if err := json.Unmarshal([]byte(invalid("a \"b\" <c>").body("r")), &e); err != nil || e.Error["message"] != `a "b" <c>` {
		t.Errorf("%v %v", e, err)
	}
}
