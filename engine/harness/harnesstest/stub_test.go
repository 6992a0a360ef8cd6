package harnesstest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func received(t *testing.T, body string) Received {
	t.Helper()
	r := Received{Body: []byte(body)}
	if err := json.Unmarshal(r.Body, &r.Wire); err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	hi    = `{"role":"user","content":"hi"}`
	yes   = `{"role":"assistant","content":[{"type":"text","text":"yes"}]}`
	calls = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x"},{"type":"tool_use","id":"b","name":"x"}]}`
	both  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"two"},{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"one"}]}]}`
	note  = `{"role":"system","content":"note"}`
	level = `{"role":"system","content":[],"output_config":{"effort":"low"}}`
)

func TestCheck(t *testing.T) {
	mark := `{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 4) + `{"type":"text","text":"x"%s}]}`
	for name, test := range map[string]struct{ messages, want string }{
		"plain text":            {hi, ""},
		"results in any order":  {hi + "," + calls + "," + both, ""},
		"system after user":     {hi + "," + note + "," + yes + "," + hi + "," + note, ""},
		"systems together":      {hi + "," + note + "," + note + "," + yes + "," + hi, ""},
		"settings":              {hi + "," + yes + "," + level + "," + hi, ""},
		"four marks":            {fmt.Sprintf(mark, ""), ""},
		"five marks":            {fmt.Sprintf(mark, `,"cache_control":{"type":"ephemeral"}`), "5 cache marks"},
		"assistant first":       {yes + "," + hi, "first message"},
		"same role":             {hi + "," + hi, "role of the one before"},
		"same role over system": {hi + "," + level + "," + hi, "role of the one before"},
		"system first":          {note + "," + hi, "first message"},
		"system after answer":   {hi + "," + yes + "," + note, "must follow a user"},
		"system before user":    {hi + "," + note + "," + hi, "must precede"},
		"system of blanks":      {hi + `,{"role":"system","content":" "}`, "holds text"},
		"empty":                 {`{"role":"user","content":""}`, "is empty"},
		"open call":             {hi + "," + calls + "," + hi, "2 calls, 0 results"},
		"unknown result":        {hi + "," + yes + "," + both, "without its call"},
		"blank text":            {`{"role":"user","content":[{"type":"text","text":" "}]}`, "empty text"},
	} {
		got := check(received(t, `{"messages":[`+test.messages+`]}`))
		if got != test.want && (test.want == "" || !strings.Contains(got, test.want)) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Requests that Claude Code made pass, and read as what was said.
func TestCheckClaudeCode(t *testing.T) {
	files, _ := filepath.Glob("../../rehearse/testdata/claude-code/*.json")
	if len(files) == 0 {
		t.Fatal("no requests")
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var captured struct{ Body json.RawMessage }
		if err := json.Unmarshal(raw, &captured); err != nil {
			t.Fatal(err)
		}
		r := received(t, string(captured.Body))
		if problem := check(r); problem != "" {
			t.Errorf("%s: %s", f, problem)
		}
		for i, m := range r.Conversation() {
			if want := [...]string{"user", "assistant"}[i%2]; m.Role != want {
				t.Errorf("%s: message %d by %s", f, i, m.Role)
			}
		}
	}
}

func TestWire(t *testing.T) {
	r := received(t, `{"system":"be brief","tools":[{"name":"Bash"},{"name":"mcp__s__ask"},{"name":"mcp__t__ask"}],"messages":[`+hi+","+calls+","+both+","+note+`]}`)
	if r.System[0].Text != "be brief" {
		t.Errorf("system %+v", r.System)
	}
	if got, ok := r.ResultOf("a"); !ok || got.Result() != "one" || len(r.Results()) != 2 {
		t.Errorf("results %+v", r.Results())
	}
	if _, ok := r.ResultOf("c"); ok {
		t.Error("a result that is not there")
	}
	if text := r.LatestText(); !strings.Contains(text, "one") || !strings.Contains(text, "note") || strings.Contains(text, "hi") {
		t.Errorf("text %q", text)
	}
	for name, want := range map[string]string{"Bash": "Bash", "ask": "mcp__s__ask", "mcp__t__ask": "mcp__t__ask", "Fly": "Fly"} {
		reply := Use("toolu_1", name, struct{}{}).calling(r.Wire)
		if !strings.Contains(string(reply.Blocks[0].Raw), `"name":"`+want+`"`) {
			t.Errorf("%s: %s", name, reply.Blocks[0].Raw)
		}
	}
}
