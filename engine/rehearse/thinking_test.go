package rehearse

import (
	"encoding/json"
	"strings"
	"testing"
)

const thinkingScript = `
fallback:
  turns:
    - {thinking: first thought, say: I look., call: {tool: Bash, input: {command: ls, n: 1.0}}}
    - {thinking: second thought, call: {tool: Bash, input: {command: "pwd <&>"}}}
    - {say: Done.}
    - {say: Again.}
`

// A chat is a conversation with the server, as a client keeps it.
type chat struct {
	*ask
	s *Server
	t *testing.T
}

func newChat(t *testing.T, s *Server, first string) *chat {
	a := s.goodAsk()
	a.body["tools"] = list{bash(nil)}
	a.body["system"] = "Be brief."
	a.body["messages"] = list{user(first)}
	return &chat{a, s, t}
}

func (c *chat) messages() list { return c.body["messages"].(list) }

func (c *chat) say(m any) {
	c.body["messages"] = append(c.messages()[:len(c.messages()):len(c.messages())], m)
}

// next asks, appends the answer as it came and returns it.
func (c *chat) next() dict {
	c.t.Helper()
	g := c.s.do(c.t, c.ask)
	if g.status != 200 {
		c.t.Fatalf("%d %s", g.status, g.body)
	}
	var m dict
	if err := json.Unmarshal(g.body, &m); err != nil {
		c.t.Fatal(err)
	}
	c.say(assistant(m["content"]))
	return m
}

// reply answers the calls of an answer.
func (c *chat) reply(m dict, text string) {
	var results list
	for _, b := range blocks(m) {
		if b["type"] == "tool_use" {
			results = append(results, answered(b["id"].(string), text))
		}
	}
	c.say(user(results))
}

func blocks(m dict) []dict {
	var out []dict
	for _, b := range m["content"].(list) {
		out = append(out, b.(dict))
	}
	return out
}

// prose is the text of an answer.
func prose(m dict) string {
	var parts []string
	for _, b := range blocks(m) {
		if b["type"] == "text" {
			parts = append(parts, b["text"].(string))
		}
	}
	return strings.Join(parts, "\n")
}

func (c *chat) refused(says string) {
	c.t.Helper()
	g := c.s.do(c.t, c.ask)
	if g.status != 400 {
		c.t.Fatalf("accepted: %d %s", g.status, g.body)
	}
	if _, message := g.fault(c.t); !strings.Contains(message, says) {
		c.t.Errorf("message %q lacks %q", message, says)
	}
}

// twoTurns plays two answers with thinking; the chat then waits for the third.
func twoTurns(t *testing.T, model string) *chat {
	c := newChat(t, start(t, thinkingScript), "go")
	c.body["model"] = model
	c.body["thinking"] = dict{"type": "adaptive", "display": "summarized"}
	c.reply(c.next(), "a b")
	c.reply(c.next(), "/")
	return c
}

func (c *chat) block(message, at int) dict {
	return c.messages()[message].(dict)["content"].(list)[at].(dict)
}

// drop takes a block out of a message.
func (c *chat) drop(message, at int) {
	m := c.messages()[message].(dict)
	old := m["content"].(list)
	m["content"] = append(append(list{}, old[:at]...), old[at+1:]...)
}

func TestThinkingComesBack(t *testing.T) {
	c := twoTurns(t, "claude-opus-5-5")
	if c.block(1, 0)["thinking"] != "first thought" {
		t.Errorf("shown: %v", c.block(1, 0))
	}
	if m := c.next(); prose(m) != "Done." {
		t.Errorf("third answer %v", m)
	}
}

func TestThinkingRules(t *testing.T) {
	t.Run("thinking-altered", func(t *testing.T) {
		c := twoTurns(t, "claude-opus-5-5")
		c.block(3, 0)["thinking"] = "another thought"
		c.refused("latest assistant message cannot be modified")
		c = twoTurns(t, "claude-opus-5-5")
		c.block(1, 0)["thinking"] = "another thought"
		c.refused("messages.1.content.0: Invalid `signature` in `thinking` block")
	})
	t.Run("thinking-missing", func(t *testing.T) {
		c := twoTurns(t, "claude-opus-4-6")
		c.drop(3, 0)
		c.refused("cannot be modified")
	})
	t.Run("thinking-first", func(t *testing.T) {
		c := newChat(t, start(t, thinkingScript), "go")
		c.body["model"] = "claude-haiku-4-5"
		c.reply(c.next(), "a b") // does not think unless told
		c.body["thinking"] = dict{"type": "enabled", "budget_tokens": 1024}
		c.body["max_tokens"] = 4000
		c.refused("Expected `thinking` or `redacted_thinking`, but found `text`")
	})
	t.Run("thinking-other-prefix", func(t *testing.T) {
		for name, change := range map[string]func(*chat){
			"system":  func(c *chat) { c.body["system"] = "Be long." },
			"tools":   func(c *chat) { c.body["tools"] = list{bash(dict{"description": "new"})} },
			"message": func(c *chat) { c.messages()[0] = user("go on") },
			"result":  func(c *chat) { c.block(2, 0)["content"] = "[trimmed]" },
			"input":   func(c *chat) { c.block(1, 2)["input"] = dict{"command": "ls"} },
		} {
			c := twoTurns(t, "claude-opus-5-5")
			change(c)
			c.refused("The block is bound to a different conversation")
			c.body["model"] = "claude-opus-5"
			if m := c.next(); prose(m) != "Done." {
				t.Errorf("%s: %v", name, m)
			}
		}
	})
	t.Run("thinking-moved", func(t *testing.T) {
		c := twoTurns(t, "claude-opus-5-5")
		c.block(3, 0)["signature"], c.block(1, 0)["signature"] = c.block(1, 0)["signature"], c.block(3, 0)["signature"]
		c.block(3, 0)["thinking"], c.block(1, 0)["thinking"] = c.block(1, 0)["thinking"], c.block(3, 0)["thinking"]
		c.refused("bound to a different conversation")
	})
}

// What may change without harm: marks for the cache, thinking of earlier
// turns left out from the start, the way the same JSON is written.
func TestThinkingAllows(t *testing.T) {
	for name, change := range map[string]func(*chat){
		"cache_control":            func(c *chat) { cached(c.block(2, 0), "") },
		"oldest thinking left out": func(c *chat) { c.drop(1, 0) },
		"content as blocks":        func(c *chat) { c.messages()[0] = user(list{words("go")}) },
		"drop_block": func(c *chat) {
			c.header["anthropic-beta"] = "thinking-binding-controls-2026-08-01"
			c.body["thinking"] = dict{"type": "adaptive", "block_binding": dict{"prefix_mismatch_behavior": "drop_block"}}
			c.body["system"] = "Be long."
		},
	} {
		c := twoTurns(t, "claude-opus-5-5")
		change(c)
		if m := c.next(); prose(m) != "Done." {
			t.Errorf("%s: %v", name, m)
		}
	}
}

// Another process goes on: another server knows the signatures.
func TestThinkingInAnotherServer(t *testing.T) {
	c := twoTurns(t, "claude-opus-5-5")
	c.s = start(t, thinkingScript)
	c.header["x-api-key"] = c.s.Key()
	if m := c.next(); prose(m) != "Done." {
		t.Errorf("%v", m)
	}
}

func TestThinkingDisplay(t *testing.T) {
	for _, test := range []struct {
		model    string
		thinking any
		blocks   int
		text     string
	}{
		{"claude-opus-5-5", nil, 3, ""},
		{"claude-opus-5-5", dict{"type": "disabled"}, 2, ""},
		{"claude-opus-5-5", dict{"type": "adaptive"}, 3, ""},
		{"claude-opus-5-5", dict{"type": "adaptive", "display": "summarized"}, 3, "first thought"},
		{"claude-opus-4-6", nil, 2, ""},
		{"claude-opus-4-6", dict{"type": "adaptive"}, 3, "first thought"},
		{"claude-opus-4-6", dict{"type": "adaptive", "display": "omitted"}, 3, ""},
	} {
		c := newChat(t, start(t, thinkingScript), "go")
		c.body["model"] = test.model
		if test.thinking != nil {
			c.body["thinking"] = test.thinking
		}
		got := blocks(c.next())
		if len(got) != test.blocks {
			t.Errorf("%v: %d blocks, want %d", test, len(got), test.blocks)
			continue
		}
		if got[0]["type"] == "thinking" && (got[0]["thinking"] != test.text || got[0]["signature"] == "") {
			t.Errorf("%v: %v", test, got[0])
		}
	}
}
