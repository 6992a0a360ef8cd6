package transcript

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-flower/engine/rawjson"
)

// CutOff answers a call that an interruption or a crash cut off. Without the
// second half a model hunts for a fault of its surroundings.
const CutOff = "[interrupted] This call was cut off before its result was recorded. It may have taken effect, " +
	"wholly or in part, or not at all: check first, then repeat it if it is still needed. " +
	"The interruption says nothing about the call itself; nobody refused it and nothing is broken."

// timeFormat is that of Claude Code's transcripts.
const timeFormat = "2006-01-02T15:04:05.000Z"

// A Result answers a call.
type Result struct {
	UUID    string // of the entry, a lower-case UUID
	Time    time.Time
	Text    string
	Blocks  json.RawMessage // what to show instead of Text: a list of text and image blocks
	IsError bool
	Denied  bool // the call was refused, not made
	Stops   bool // it ends the turn
}

// entry is a user's entry that answers a call of the caller's; its parent is null.
func (r Result) entry(caller *entry, id string) json.RawMessage {
	raw := slices.Concat([]byte(`{"parentUuid":null,"isSidechain":false`))
	add := func(key string, value json.RawMessage) {
		raw = slices.Concat(raw, []byte(","), rawjson.Quoted(key), []byte(":"), value)
	}
	for _, key := range []string{"cwd", "sessionId", "version", "gitBranch", "userType", "entrypoint"} {
		if value := rawjson.Value(caller.raw, key); value != nil {
			add(key, value)
		}
	}
	add("type", json.RawMessage(`"user"`))
	add("message", slices.Concat([]byte(`{"role":"user","content":[`), r.block(id), []byte(`]}`)))
	add("uuid", rawjson.Quoted(r.UUID))
	add("timestamp", rawjson.Quoted(r.Time.UTC().Format(timeFormat)))
	add("sourceToolAssistantUUID", rawjson.Quoted(caller.uuid))
	if r.Denied {
		add("toolDenialKind", json.RawMessage(`"permission-rule"`))
	}
	if r.Stops {
		add("flowerStops", json.RawMessage("true"))
	}
	return append(raw, '}')
}

// block is the result as the API takes it.
func (r Result) block(id string) json.RawMessage {
	content := r.Blocks
	if content == nil {
		content = textContent(r.Text)
	}
	failed := ""
	if r.IsError {
		failed = `,"is_error":true`
	}
	return slices.Concat([]byte(`{"type":"tool_result","tool_use_id":`), rawjson.Quoted(id), []byte(`,"content":`), content, []byte(failed), []byte("}"))
}

// textContent is a text as a result's content. NUL, which the API refuses, becomes U+FFFD.
func textContent(text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	return slices.Concat([]byte(`[{"type":"text","text":`), rawjson.Quoted(strings.ReplaceAll(text, "\x00", "\uFFFD")), []byte(`}]`))
}

// cutOff is the result of a call that nobody can make any more. It is the same
// at every reading, and no error: nothing has failed.
func cutOff(caller *entry, id string, taken map[string]bool) Result {
	at, _ := time.Parse(time.RFC3339, caller.time) // unknown: the zero time
	r := Result{UUID: derived(caller.uuid, id, ""), Time: at, Text: CutOff}
	for n := 1; taken[r.UUID]; n++ {
		r.UUID = derived(caller.uuid, id, fmt.Sprint(n))
	}
	taken[r.UUID] = true
	return r
}

// derived is a UUID that is the same for the same things (version 8 of RFC 9562).
func derived(about ...string) string {
	h := sha256.New()
	for _, a := range about {
		fmt.Fprintf(h, "%d:%s", len(a), a)
	}
	b := h.Sum(nil)
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
