package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-flower/engine/harness"
	"git-flower/engine/transcript"
	"git-flower/guards"
)

// conversation is a session of count entries, an even number, of about 2 KB: a
// person's words, then calls and their results in turn, then the last answer.
// Half of the calls are glances, half have long results, one of a hundred is
// refused.
func conversation(count int) []json.RawMessage {
	entries := make([]json.RawMessage, count)
	for n := range entries {
		switch {
		case n == 0:
			entries[n] = chained(n, "user", `{"type":"text","text":"Find the fault."}`, "")
		case n == count-1:
			entries[n] = chained(n, "assistant", `{"type":"text","text":"It is found."}`, "")
		case n%2 == 1:
			entries[n] = chained(n, "assistant", callBlocks(n/2), "")
		default:
			entries[n] = resultEntry(n, n/2-1)
		}
	}
	return entries
}

// chained is the nth entry, behind the one before it. more are members of its own.
func chained(n int, role, blocks, more string) json.RawMessage {
	parent := "null"
	if n > 0 {
		parent = `"` + entryID(n-1) + `"`
	}
	return fmt.Appendf(nil, `{"type":"%s","uuid":"%s","parentUuid":%s,"sessionId":"%s","timestamp":"2026-05-04T03:02:01.000Z"%s,"message":{"id":"msg_%d","role":"%s","content":[%s]}}`,
		role, entryID(n), parent, sessionName, more, n, role, blocks)
}

func callBlocks(call int) string {
	tool, input := "Read", fmt.Sprintf(`{"file_path":"/work/file%d.go"}`, call%50)
	if call%2 == 0 {
		tool, input = "Bash", fmt.Sprintf(`{"command":"grep -n func file%d.go"}`, call%50)
	}
	return fmt.Sprintf(`{"type":"thinking","thinking":"%s","signature":"c2ln"},{"type":"tool_use","id":"toolu_%d","name":"%s","input":%s}`,
		strings.Repeat("let me see ", 130), call, tool, input)
}

func resultEntry(n, call int) json.RawMessage {
	text, more := strings.Repeat("a line of the file\\n", 110), ""
	switch {
	case call%100 == 99:
		text, more = "A rule refuses this.", `,"toolDenialKind":"permission-rule"`
	case call%2 == 0:
		text = strings.Repeat("12: func main() {\\n", 90)
	}
	return chained(n, "user", fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_%d","content":"%s"}`, call, text), more)
}

// conversationReader has all steps of reading as the engine sets them for a
// coordinator; only no long result is written to a file.
func conversationReader() transcript.Options {
	o := harness.Options{Role: "coordinator", Dir: "/work", Expires: guards.Expires,
		Archive: func(guards.Call, string) string { return "It is in a file." }}
	return o.Reading("Carry on.", func(tool string) string { return tool })
}
