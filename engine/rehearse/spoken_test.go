package rehearse

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const told = "The user sent a new message while you were working:\nhurry\n\nThis is how Claude Code surfaces messages the user sends mid-turn."

func reminder(s string) string { return "<system-reminder>\n" + s + "\n</system-reminder>" }

const spokenScript = `
fallback:
  turns:
    - {say: "{{.first}}|{{.last}}", call: {tool: ask, input: {}}}
    - say: "{{.first}}|{{.last}}|{{result \"ask\"}}"
    - say: third
`

// The same conversation in the forms that Claude Code gives it reads as one of
// our own harness's.
func TestSpoken(t *testing.T) {
	s := start(t, spokenScript)
	asked := assistant(list{dict{"type": "tool_use", "id": "a", "name": "mcp__flower__ask", "input": dict{}}})
	for name, test := range map[string]struct {
		want     string
		messages list
	}{
		"system message":     {"go|go", list{user("go"), system("# Environment\nLinux")}},
		"reminders":          {"go|go", list{user(list{words(reminder("date") + "\n"), words("go")})}},
		"reminder in front":  {"go|go", list{user(reminder("a") + "\n\n" + reminder("b") + "\ngo")}},
		"reminder behind":    {"go|go", list{user("go\n\n" + reminder("a") + "\n" + reminder("b") + "\n")}},
		"words of reminders": {"say <system-reminder> once|say <system-reminder> once", list{user("say <system-reminder> once")}},
		"line break":         {"go|go\nmore", list{user("go\n"), user("more")}},
		"answered":           {"go|r|r", list{user("go"), asked, user(list{answered("a", "r")})}},
		"hook":               {"go|r|r", list{user("go"), asked, user(list{answered("a", "r")}), system("PostToolUse hook additional context: x")}},
		"reminder in result": {"go|r|r", list{user("go"), asked, user(list{answered("a", "r\n\n"+reminder("x"))})}},
		"blocks in result": {"go|r\nhurry|r", list{user("go"), asked, user(list{dict{"type": "tool_result", "tool_use_id": "a",
			"content": list{words("r\n"), words(reminder(told) + "\n"), words(reminder("x"))}}})}},
		"said meanwhile":       {"go|r\nhurry|r", list{user("go"), asked, user(list{answered("a", "r")}), system("hook\n\n" + told)}},
		"said in a reminder":   {"go|r\nhurry|r", list{user("go"), asked, user(list{answered("a", "r"), words(reminder(told))})}},
		"local command":        {"go|go", list{user(list{words("go\n"), words("<local-command-caveat>x</local-command-caveat>"), words("<command-name>/x</command-name>")})}},
		"resumed":              {"go|r\nnow|r", list{user("go"), asked, user(list{answered("a", "r")}), assistant("No response requested."), user("now")}},
		"interrupted":          {"go|r\nnow|r", list{user("go"), asked, user(list{answered("a", "r"), words("[Request interrupted by user for tool use]\n"), words("now")})}},
		"nothing but reminder": {"|", list{user(reminder("x"))}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t, s, "")
			c.body["tools"] = list{bash(dict{"name": "mcp__flower__ask"})}
			c.body["messages"] = test.messages
			if m := c.next(); prose(m) != test.want {
				t.Errorf("%q, want %q", prose(m), test.want)
			}
		})
	}
}

// An answer whose calls were all cut off is given again, however the harness
// says that they were.
func TestCutOffWords(t *testing.T) {
	s := start(t, spokenScript)
	for _, words := range []string{
		"[interrupted] the outcome is unknown",
		"[Tool call interrupted: the session ended before this call's result was recorded]",
		"[Request interrupted by user for tool use]",
		"The user doesn't want to proceed with this tool use. The tool use was rejected",
		"The user doesn't want to take this action right now.",
	} {
		c := newChat(t, s, "go")
		c.body["tools"] = list{bash(dict{"name": "ask"})}
		first := c.next()
		c.reply(first, words)
		again := c.next()
		if prose(again) != "go|"+words || len(again["content"].(list)) != 2 {
			t.Errorf("%s: %v", words, again)
		}
		c.reply(again, "r")
		if m := c.next(); !strings.HasSuffix(prose(m), "|r|r") {
			t.Errorf("%s: %v", words, m)
		}
	}
}

// What is cut off and what is left make up the text, and nothing is cut off
// that has no reminder.
func TestReminders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"<system-reminder>", "</system-reminder>", "\n", " ", "x"}), 0, 12).Draw(t, "parts")
		text := strings.Join(parts, "")
		own, rest := withoutReminders(text), reminders(text)
		if len(own)+len(rest) != len(text) || !strings.Contains(text, own) {
			t.Fatalf("%q: %q and %q", text, own, rest)
		}
		if !strings.Contains(text, "</system-reminder>") && own != text {
			t.Fatalf("%q: %q", text, own)
		}
		if own != withoutReminders(own) {
			t.Fatalf("%q: %q has more", text, own)
		}
		inner := rapid.StringMatching(`[a-z\n]{0,5}`).Draw(t, "inner")
		if got := withoutReminders(reminder(inner) + "\nwords\n" + reminder(inner)); got != "words" {
			t.Fatalf("%q", got)
		}
	})
}

func TestToolNamed(t *testing.T) {
	for _, test := range []struct {
		offered []string
		name    string
		want    string
	}{
		{[]string{"Bash", "dispatch"}, "dispatch", "dispatch"},
		{[]string{"Bash", "mcp__flower__dispatch"}, "dispatch", "mcp__flower__dispatch"},
		{[]string{"mcp__a__dispatch", "dispatch"}, "dispatch", "dispatch"},
		{[]string{"mcp__a__dispatch", "mcp__b__dispatch"}, "dispatch", "mcp__a__dispatch"},
		{[]string{"mcp__a__dispatch", "mcp__b__dispatch"}, "mcp__b__dispatch", "mcp__b__dispatch"},
		{[]string{"mcp__a__x__dispatch"}, "dispatch", ""},
		{[]string{"mcp__a", "mcp__", "Bash"}, "", ""},
		{[]string{"xmcp__a__dispatch"}, "dispatch", ""},
	} {
		if got, ok := toolNamed(test.offered, test.name); got != test.want || ok != (test.want != "") {
			t.Errorf("%s of %v: '%s'", test.name, test.offered, got)
		}
	}
}

// A script that names our tools by their own name plays under Claude Code.
func TestScriptWithMCPTools(t *testing.T) {
	for _, tool := range []string{"dispatch", "mcp__flower__dispatch"} {
		s := start(t, `
scenes:
  - {name: other, who: {without: [dispatch]}, turns: [{say: wrong}]}
  - name: coordinate
    who: {tools: [dispatch]}
    turns:
      - call: {tool: dispatch, input: {tasks: []}}
      - when: [{if: {tool: dispatch, result: report}, say: "{{result \"dispatch\"}}"}]
`)
		c := newChat(t, s, "go")
		c.body["tools"] = list{bash(dict{"name": tool})}
		m := c.next()
		if called := m["content"].(list)[0].(dict)["name"]; called != tool {
			t.Errorf("called %v", called)
		}
		c.reply(m, "report")
		if m := c.next(); prose(m) != "report" {
			t.Errorf("%s: %v", tool, m)
		}
	}
}
