package rehearse

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const turnsScript = `
scenes:
  - name: judge
    who: {system: '(?m)^Role: judge$', tools: [verdict], without: [Bash]}
    turns: [{say: judging}]
  - name: coder
    who: {system: ['(?m)^Role: worker$', '(?m)^Worker: (?P<worker>\S+)$'], tools: [Bash]}
    what: {first: '(?m)^# Task\s+(?P<task>.+)$', not: STOP}
    turns:
      - say: "{{.cap.worker}} does {{.cap.task}}"
        call:
          - {tool: Bash, input: {command: ./test.sh, list: [1, two, true, null, 1.5], nested: {a: "{{.cap.task}}"}}}
          - {tool: Bash, input: {command: 'echo "{{quote .cap.task}}"'}}
      - when:
          - if: {tool: Bash, result: '(?P<why>FAIL: .*)'}
            say: "It fails with {{.cap.why}}"
            call: {tool: Bash, input: {command: fix}}
          - if: {failed: true}
            say: an error
          - if: {last: hurry}
            say: in a hurry
        say: "{{len .results}} results, the last: {{result \"Bash\" | lines | first}}"
      - say: third
  - name: second part
    since: '^# Round (?P<n>\d+)'
    repeat: true
    turns:
      - say: round {{.cap.n}} begins
      - say: round {{.cap.n}} goes on, {{.turn}}
  - name: by model
    who: {model: haiku}
    turns: [{say: small}]
`

func coder(t *testing.T, s *Server, task string) *chat {
	c := newChat(t, s, "# Task\n"+task)
	c.body["system"] = "You are a test.\nRole: worker\nWorker: coder-1\n"
	return c
}

func TestScenes(t *testing.T) {
	s := start(t, turnsScript)
	for _, test := range []struct {
		name, want string
		spoil      func(*chat)
	}{
		{"coder", "coder-1 does sums", func(*chat) {}},
		{"system as blocks", "coder-1 does sums", func(c *chat) {
			c.body["system"] = list{words("Role: worker"), words("Worker: coder-1")}
		}},
		{"judge", "judging", func(c *chat) {
			c.body["system"] = "Role: judge"
			c.body["tools"] = list{bash(dict{"name": "verdict"})}
		}},
		{"model", "small", func(c *chat) { c.body["system"] = "x"; c.body["model"] = "claude-haiku-5-5" }},
		{"since", "round 7 begins", func(c *chat) { c.body["messages"] = list{user("# Round 7")} }},
	} {
		c := coder(t, s, "sums")
		test.spoil(c)
		if m := c.next(); prose(m) != test.want {
			t.Errorf("%s: %v", test.name, m)
		}
	}
	if p := s.Problems(); len(p) > 0 {
		t.Errorf("problems %q", p)
	}
}

func TestNoSceneFits(t *testing.T) {
	s := start(t, turnsScript)
	for _, spoil := range []func(*chat){
		func(c *chat) { c.body["messages"] = list{user("# Task\nSTOP")} },
		func(c *chat) { c.body["system"] = "Role: worker" },
		func(c *chat) { delete(c.body, "tools") },
		func(c *chat) {
			c.body["system"] = "Role: judge"
			c.body["tools"] = list{bash(nil), bash(dict{"name": "verdict"})}
		},
	} {
		c := coder(t, s, "sums")
		spoil(c)
		c.refused("no scene fits: ")
	}
	problems := s.Problems()
	if len(problems) != 4 || !strings.Contains(problems[3], "'Role: judge'") || !strings.Contains(problems[3], "[Bash verdict]") {
		t.Errorf("problems %q", problems)
	}
}

func TestInput(t *testing.T) {
	m := coder(t, start(t, turnsScript), `a "b" <c>`).next()
	b := blocks(m)
	if m["stop_reason"] != "tool_use" || len(b) != 3 {
		t.Fatalf("%v", m)
	}
	input := b[1]["input"].(dict)
	nested := input["nested"].(dict)
	l := input["list"].(list)
	if nested["a"] != `a "b" <c>` || len(l) != 5 || l[0] != 1.0 || l[1] != "two" || l[2] != true || l[3] != nil || l[4] != 1.5 {
		t.Errorf("input %v", input)
	}
	if got := b[2]["input"].(dict)["command"]; got != `echo ""a \"b\" <c>""` {
		t.Errorf("command %v", got)
	}
}

func TestAlternatives(t *testing.T) {
	s := start(t, turnsScript)
	for _, test := range []struct {
		name, want string
		answer     func(c *chat, m dict)
	}{
		{"pattern", "It fails with FAIL: sums", func(c *chat, m dict) { c.reply(m, "ran\nFAIL: sums\n") }},
		{"otherwise", "2 results, the last: fine", func(c *chat, m dict) { c.reply(m, "fine\nall\n") }},
		{"error", "an error", func(c *chat, m dict) {
			c.reply(m, "no such file")
			c.block(2, 1)["is_error"] = true
		}},
		{"words", "in a hurry", func(c *chat, m dict) { c.reply(m, "fine"); c.say(user("hurry up")) }},
	} {
		c := coder(t, s, "sums")
		test.answer(c, c.next())
		if m := c.next(); prose(m) != test.want {
			t.Errorf("%s: %v", test.name, m)
		}
	}
}

func TestTurnsEnd(t *testing.T) {
	s := start(t, turnsScript)
	c := coder(t, s, "sums")
	c.reply(c.next(), "fine")
	c.next()
	c.say(user("go on"))
	if m := c.next(); prose(m) != "third" {
		t.Fatalf("%v", m)
	}
	c.say(user("and on"))
	c.refused("'coder' has no turn 4")
}

func TestSince(t *testing.T) {
	s := start(t, turnsScript)
	c := newChat(t, s, "# Round 1")
	want := []string{"round 1 begins", "round 1 goes on, 2", "round 1 goes on, 2", "round 2 begins", "round 2 goes on, 2"}
	for i, next := range []string{"", "on", "on", "# Round 2", "on"} {
		if next != "" {
			c.say(user(next))
		}
		if m := c.next(); prose(m) != want[i] {
			t.Errorf("%d: %v, want %s", i, m, want[i])
		}
	}
}

// An answer whose calls were all cut off is given again, under other ids; one
// that was cut off in part counts.
func TestCutOff(t *testing.T) {
	s := start(t, turnsScript)
	c := coder(t, s, "sums")
	first := c.next()
	c.reply(first, "[interrupted] the process died")
	again := c.next()
	if prose(again) != prose(first) {
		t.Fatalf("again %v", again)
	}
	if blocks(again)[1]["id"] == blocks(first)[1]["id"] {
		t.Error("the same id twice")
	}
	c.reply(again, "[interrupted]")
	third := c.next()
	c.reply(third, "fine")
	c.block(len(c.messages())-1, 0)["content"] = "[interrupted]"
	if m := c.next(); prose(m) != "6 results, the last: fine" {
		t.Errorf("cut off in part: %v", m)
	}
}

// Ids of later calls are those of a run that was never cut off.
func TestIDsAfterCutOff(t *testing.T) {
	whole := coder(t, start(t, turnsScript), "sums")
	whole.reply(whole.next(), "FAIL: x")
	want := blocks(whole.next())[1]["id"]

	c := coder(t, start(t, turnsScript), "sums")
	c.reply(c.next(), "[interrupted]")
	c.reply(c.next(), "FAIL: x")
	if got := blocks(c.next())[1]["id"]; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// Two runs in different folders at different times hear the same ids; two
// conversations that begin differently do not.
func TestIDs(t *testing.T) {
	id := func(task string) any { return blocks(coder(t, start(t, turnsScript), task).next())[1]["id"] }
	a := id("look at /tmp/abc/x.go, 2026-11-30T10:00:00Z, took 1.3s, at 0123456789abcdef")
	b := id("look at /home/me/y/x.go, 2026-12-01T11:22:33Z, took 22ms, at fedcba9876543210")
	if a != b {
		t.Errorf("%v and %v", a, b)
	}
	if a == id("look at something else") {
		t.Error("equal ids for different tasks")
	}
}

func TestTemplateErrors(t *testing.T) {
	for text, says := range map[string]string{
		"{{.cap.nope}}":        `no entry for key "nope"`,
		"{{.nope}}":            `no entry for key "nope"`,
		`{{result "Read"}}`:    "no result of 'Read'",
		`{{find "z+" .first}}`: "matches nothing",
		`{{index .results 3}}`: "out of range",
	} {
		s := start(t, "fallback:\n  turns:\n    - say: '"+text+"'\n")
		newChat(t, s, "x").refused("3:12: fallback.turns[0].say: ")
		if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], says) {
			t.Errorf("%s: %q", text, p)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	newChat(t, start(t, "fallback: {turns: [{call: {tool: Fly}}]}"), "x").refused("'Fly' is not offered")
	m := newChat(t, start(t, "fallback: {turns: [{call: {tool: Fly, unknown: true}}]}"), "x").next()
	if b := blocks(m)[0]; b["name"] != "Fly" || len(b["input"].(dict)) != 0 {
		t.Errorf("%v", m)
	}
}

// Whatever a client does between answers that the API allows, a conversation
// of the server's own answers is accepted, its ids are unique and a second
// server gives the same next answer.
func TestConversations(t *testing.T) {
	script := `
fallback:
  repeat: true
  turns:
    - {thinking: "t {{.turn}}", say: "s {{len .results}}", call: [{tool: Bash, input: {c: "{{.last}}"}}, {tool: Bash}]}
    - {say: words only}
    - {thinking: more, call: {tool: Bash}}
`
	one, two := start(t, script), start(t, script)
	rapid.Check(t, func(rt *rapid.T) {
		c := newChat(t, one, rapid.StringMatching(`[a-z /]{1,20}x`).Draw(rt, "first"))
		ids := map[any]bool{}
		for range rapid.IntRange(1, 8).Draw(rt, "answers") {
			c.body["stream"] = false
			m := c.next()
			other := *c
			other.ask = two.goodAsk()
			for k, v := range c.body {
				other.body[k] = v
			}
			other.s = two
			other.body["messages"] = c.messages()[:len(c.messages())-1]
			if again := other.next(); prose(again) != prose(m) {
				rt.Fatalf("two servers: %v and %v", m, again)
			}
			calls := 0
			for _, b := range blocks(m) {
				if b["type"] != "tool_use" {
					continue
				}
				calls++
				if ids[b["id"]] {
					rt.Fatalf("id %v twice", b["id"])
				}
				ids[b["id"]] = true
			}
			if calls > 0 {
				c.reply(m, rapid.SampledFrom([]string{"ok", "[interrupted] x", "two\nlines"}).Draw(rt, "result"))
			}
			if calls == 0 || rapid.Bool().Draw(rt, "more") {
				c.say(user(rapid.StringMatching(`[a-z]{1,9}`).Draw(rt, "words")))
			}
		}
	})
	if p := append(one.Refusals(), two.Refusals()...); len(p) > 0 {
		t.Errorf("refused: %q", p)
	}
}
