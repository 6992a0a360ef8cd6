package harnesstest

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-flower/engine/harness"
	"git-flower/guards"
)

// looked is how many looks lookedBefore stores.
const looked = 30

// lookedBefore stores a session in which the model looked around, thinking before
// each look, and came to its end.
func (c *Case) lookedBefore() {
	var all []json.RawMessage
	last := ""
	put := func(kind, message string) {
		uuid := fmt.Sprintf("00000000-0000-4000-8000-%012d", len(all))
		parent := "null"
		if last != "" {
			parent = `"` + last + `"`
		}
		all = append(all, fmt.Appendf(nil, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":%q,"sessionId":%q,"version":"2.1.332","type":%q,"message":%s,"uuid":%q,"timestamp":"2026-05-04T03:02:01.%03dZ"}`,
			parent, c.Options.Dir, c.Options.Session, kind, message, uuid, len(all)))
		last = uuid
	}
	look := func(id string) {
		put("assistant", fmt.Sprintf(`{"id":"msg_%s","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"git status"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`, id, id))
		put("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":[{"type":"text","text":%q}]}]}`, id, strings.Repeat("old ", 400)))
	}
	put("user", `{"role":"user","content":[{"type":"text","text":"look around"}]}`)
	for n := range looked {
		look(fmt.Sprintf("toolu_%d", n))
	}
	put("assistant", `{"id":"msg_end","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"seen"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	if err := c.Transcript.Append(c.Ctx, c.Options.Session, all...); err != nil {
		c.Fatal(err)
	}
}

// resumeShort: a resumed session is not told again of what has gone stale, nor of
// the thoughts behind it. The store stays as it is, and the next time it is told
// the same.
func resumeShort(c *Case) {
	c.lookedBefore()
	before, _ := c.Transcript.Load(c.Ctx, c.Options.Session)
	c.Options.Resume = true
	c.Options.Expires = func(g guards.Call) bool {
		return g.Tool == "Bash" && g.Role == c.Options.Role && g.Dir == c.Options.Dir
	}
	c.Stub.Push(Say("one"), Say("two"))
	var told [2]string
	for i := range told {
		s := c.start()
		c.turn(s, fmt.Sprintf("words %d", i), harness.StopDone)
		_ = s.Close()
		told[i] = c.Stub.Last().looks()
	}
	if n := strings.Count(told[0], "gone stale"); n != looked-6 || strings.Count(told[0], "a thought") > 1 {
		c.Errorf("%d looks are left out:\n%.2000s", n, told[0])
	}
	if told[0] != told[1] {
		c.Errorf("told first\n%.2000s\nthen\n%.2000s", told[0], told[1])
	}
	after, _ := c.Transcript.Load(c.Ctx, c.Options.Session)
	for _, raw := range after[len(before):] {
		var e struct {
			Type string                            `json:"type"`
			Left struct{ Expired, Characters int } `json:"flowerLeft"`
		}
		if err := json.Unmarshal(raw, &e); err != nil || e.Type == "assistant" && (e.Left.Expired != looked-6 || e.Left.Characters <= 0) {
			c.Errorf("an answer does not tell what was left out: %v %s", err, raw)
		}
	}
	for i := range before {
		if string(before[i]) != string(after[i]) {
			c.Errorf("stored entry %d is now %s", i, after[i])
		}
	}
}

// looks are the results that a request holds, each on a line, and its thoughts.
func (w Wire) looks() string {
	var all strings.Builder
	for _, m := range w.Messages {
		for _, b := range m.Content {
			switch b.Type {
			case "tool_result":
				all.WriteString(b.ToolUseID + " " + b.Result() + "\n")
			case "thinking":
				all.WriteString("a thought\n")
			}
		}
	}
	return all.String()
}
