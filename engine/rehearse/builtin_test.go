package rehearse

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every script that comes with the tool can be parsed.
func TestBuiltins(t *testing.T) {
	all := Builtins()
	if len(all) < 3 {
		t.Fatalf("got %q", all)
	}
	for _, name := range all {
		if _, err := Builtin(name); err != nil {
			t.Error(err)
		}
	}
}

// builtinTools are the fields of tools' inputs, the required ones first up to
// the bar: those of Claude Code 2.1.332, which our own harness takes too.
var builtinTools = map[string]string{
	"Bash":  "command | description timeout",
	"Read":  "file_path | offset limit",
	"Edit":  "file_path old_string new_string | replace_all",
	"Write": "file_path content |",
	"Glob":  "pattern | path",
	"Grep":  "pattern | path glob output_mode -A -B -C -n -i type head_limit multiline",
	"ask":   "", "dispatch": "", "goal": "", "verdict": "", // ours: their own tests
}

// The built-in scripts can be played with either harness: tools and inputs are
// valid for Claude Code, which edits only what was read, keeps no directory
// between two commands and refuses to sleep.
func TestBuiltinsUnderClaudeCode(t *testing.T) {
	for _, name := range Builtins() {
		script, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, sc := range script.scenes {
			read := map[string]bool{}
			for _, c := range sc.calls() {
				if problem := c.problem(read); problem != "" {
					t.Errorf("%s, %s: %s %s", name, sc.name, c.tool.plain, problem)
				}
			}
		}
	}
}

// calls are all that a scene may make, in order.
func (sc *scene) calls() []call {
	var all []call
	for _, turn := range sc.turns {
		for _, choice := range turn.choices {
			all = append(all, choice.reply.calls...)
		}
	}
	return all
}

var unfit = regexp.MustCompile(`(^|[;&|]\s*)(cd|sleep)\b`)

// problem is what Claude Code would refuse, or empty. read holds the files that
// were read so far.
func (c call) problem(read map[string]bool) string {
	fields, known := builtinTools[c.tool.plain]
	if !known {
		return "is no tool"
	}
	required, optional, _ := strings.Cut(fields, "|")
	for f := range strings.FieldsSeq(required) {
		if !slices.Contains(c.input.keys, f) {
			return "lacks " + f
		}
	}
	input := map[string]string{}
	for i, key := range c.input.keys {
		if fields != "" && !listedIn(required+optional, key) {
			return "has no " + key
		}
		if v := c.input.fields[i]; v.kind == 's' {
			input[key] = v.text.plain
		}
	}
	switch file := input["file_path"]; {
	case unfit.MatchString(input["command"]):
		return "does " + input["command"]
	case c.tool.plain == "Edit" && !read[file]:
		return "changes what was not read: " + file
	case c.tool.plain == "Read":
		read[file] = true
	}
	return ""
}
