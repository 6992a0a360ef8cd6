package rehearse

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

const okTurns = "turns: [{say: x}]"

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ name, script, at, says string }{
		{"empty", "", "1:1", "empty"},
		{"comment only", "# nothing\n", "1:1", "empty"},
		{"a list", "- a\n", "1:1", "must be a mapping"},
		{"nothing to play", "about: x\n", "1:", "needs scenes or a fallback"},
		{"syntax", "fallback: {turns: [\n", "1:", ""},
		{"second document", "fallback: {turns: [{say: x}]}\n---\na: b\n", "3:1", "second document"},
		{"unknown field", "scenes:\n  - name: a\n    tunrs: []\n", "3:5", "unknown field 'tunrs'"},
		{"deep unknown field", "fallback:\n  turns:\n    - say: x\n      cal: {}\n", "4:7", "fallback.turns[0]: unknown field 'cal'"},
		{"twice", "about: a\nabout: b\nfallback: {turns: [{say: x}]}\n", "2:", "about"},
		{"number as text", "fallback:\n  turns:\n    - say: 012\n", "3:12", "fallback.turns[0].say: must be text"},
		{"boolean as text", "fallback: {turns: [{say: yes}, {say: true}]}", "1:38", "turns[1].say"},
		{"text as number", "models: {m: {window: '3'}}\nfallback: {turns: [{say: x}]}", "1:22", "models.m.window: must be a whole number"},
		{"fraction", "models: {m: {window: 1.5}}\nfallback: {turns: [{say: x}]}", "1:22", "whole number"},
		{"octal", "models: {m: {window: 010}}\nfallback: {turns: [{say: x}]}", "1:22", "decimal"},
		{"negative", "models: {m: {window: -1}}\nfallback: {turns: [{say: x}]}", "1:", "must be from 1"},
		{"pattern", "scenes:\n  - what:\n      first: '('\n    " + okTurns, "3:14", "scenes[0].what.first: missing closing )"},
		{"second pattern", "scenes:\n  - what:\n      any: [a, '[']\n    " + okTurns, "3:16", "scenes[0].what.any[1]"},
		{"template", "fallback:\n  turns:\n    - say: '{{nope}}'\n", "3:12", `function "nope" not defined`},
		{"template in input", "fallback:\n  turns:\n    - call: {tool: B, input: {a: [1, '{{']}}\n", "3:", "fallback.turns[0].call.input.a[1]"},
		{"no turns", "scenes:\n  - name: a\n", "2:", "needs turns"},
		{"empty turns", "fallback: {turns: []}", "1:", "must not be empty"},
		{"turn says nothing", "fallback: {turns: [{delay: 1s}]}", "1:", "says nothing"},
		{"alternative without if", "fallback: {turns: [{when: [{say: x}]}]}", "1:", "needs if"},
		{"empty if", "fallback: {turns: [{when: [{if: {}, say: x}]}]}", "1:", "must not be empty"},
		{"stop", "fallback: {turns: [{say: x, stop: now}]}", "1:35", "'now' is none of"},
		{"duration", "fallback: {turns: [{say: x, delay: 5}]}", "1:36", "duration"},
		{"bad duration", "fallback: {turns: [{say: x, delay: soon}]}", "1:36", "'soon'"},
		{"call without tool", "fallback: {turns: [{call: {input: {}}}]}", "1:", "needs tool"},
		{"input is text", "fallback: {turns: [{call: {tool: B, input: x}}]}", "1:", "must be a mapping"},
		{"fault of no kind", "fallback: {turns: [{fault: {times: 2}}]}", "1:", "needs one of"},
		{"fault of two kinds", "fallback: {turns: [{fault: {drop: 1, stall: 1}}]}", "1:", "a fault is one of"},
		{"fault status", "fallback: {turns: [{fault: {error: 200}}]}", "1:", "must be from 400"},
		{"fault message", "fallback: {turns: [{fault: {drop: 1, message: x}}]}", "1:", "goes with error only"},
		{"fault times", "fallback: {turns: [{fault: {drop: 1, times: often}}]}", "1:", "or always"},
		{"fault not true", "fallback: {turns: [{fault: {empty: false}}]}", "1:", "must be true"},
		{"same name", "scenes:\n  - {name: a, turns: [{say: x}]}\n  - {name: a, turns: [{say: x}]}\n", "", "two scenes are called 'a'"},
		{"merge key", "shared: &a {say: x}\nfallback: {turns: [{<<: *a}]}", "2:", "keys must be plain"},
		{"unknown alias", "fallback: {turns: [{say: *a}]}", "1:", ""},
		{"alias in anchor", "shared: [&a x, &b [*a]]\nfallback: {turns: [{say: x}]}", "1:", "alias inside of an anchor"},
		{"tag", "fallback: {turns: [{say: !!binary eA==}]}", "1:", "tags"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.script))
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			if !strings.HasPrefix(text, "parse script: "+test.at) {
				t.Errorf("position: %s, want %s", text, test.at)
			}
			if !strings.Contains(text, test.says) {
				t.Errorf("%s lacks %q", text, test.says)
			}
			if strings.Contains(text, "\n") {
				t.Errorf("more than one line: %q", text)
			}
		})
	}
}

// Scripts made to take for ever are refused quickly.
func TestParseHostile(t *testing.T) {
	laughs := "shared:\n  - &a " + strings.Repeat("x", 50_000) + "\nfallback:\n  turns:\n    - call: {tool: B, input: {a: [" + strings.Repeat("*a,", 1000) + "]}}\n"
	for name, script := range map[string]string{
		"long":            "about: " + strings.Repeat("x", maxScript),
		"brackets":        strings.Repeat("[", 50_000),
		"braces":          "fallback: " + strings.Repeat("{a: ", 50_000),
		"dashes":          strings.Repeat("- ", 50_000),
		"brackets deep":   "shared: " + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "\nfallback: {turns: [{say: x}]}",
		"indented":        indented(300),
		"billion laughs":  laughs,
		"question marks":  strings.Repeat("? ", 50_000),
		"controls":        "fallback: \x00\x01",
		"no UTF-8":        "fallback: \xff\xfe{",
		"anchor on top":   "&a [*a]",
		"alias to itself": "fallback: &a {turns: *a}",
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			if _, err := Parse([]byte(script)); err == nil {
				t.Error("accepted")
			}
			if d := time.Since(begun); d > 3*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func indented(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String() + strings.Repeat(" ", depth) + "b: 1\n"
}

// Anchors are the way to say a thing once.
func TestAliases(t *testing.T) {
	s := start(t, "shared: {long: &long several words}\nfallback: {turns: [{say: *long}]}\n")
	if m := newChat(t, s, "x").next(); prose(m) != "several words" {
		t.Errorf("%v", m)
	}
}

func TestBuiltin(t *testing.T) {
	names := Builtins()
	if len(names) == 0 {
		t.Fatal("none")
	}
	for _, name := range names {
		if _, err := Builtin(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Builtin("../doc"); err == nil || !strings.Contains(err.Error(), "echo") {
		t.Errorf("unknown name: %v", err)
	}
	script, err := Builtin("echo")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), script, Config{Key: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := newChat(t, s, "hello")
	if m := c.next(); prose(m) != "You said: hello" || s.Key() != "mine" {
		t.Errorf("%v", m)
	}
	c.say(user("and bye"))
	if m := c.next(); prose(m) != "You said: and bye" {
		t.Errorf("%v", m)
	}
}

// The examples of the manual are scripts, or parts of one.
func TestManualExamples(t *testing.T) {
	doc, err := os.ReadFile("../../docs/rehearsal.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	if len(examples) < 4 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		text := e[1]
		if strings.HasPrefix(text, "- ") {
			text = "fallback:\n  turns:\n    " + strings.ReplaceAll(text, "\n", "\n    ")
		}
		if strings.HasPrefix(text, "models:") {
			text += "fallback: {turns: [{say: x}]}\n"
		}
		if _, err := Parse([]byte(text)); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(rulesScript)
	f.Add(thinkingScript)
	f.Add(sdkScript)
	f.Add(turnsScript)
	f.Add("fallback: {turns: [{fault: [{error: 529, times: always}, {drop: 2}], say: '{{.last}}'}]}")
	f.Fuzz(func(t *testing.T, script string) {
		s, err := Parse([]byte(script))
		if (s == nil) == (err == nil) {
			t.Errorf("script %v, error %v", s, err)
		}
	})
}
