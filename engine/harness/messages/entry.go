package messages

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/rawjson"
)

// A journal writes a session's transcript: each entry names the one before it.
type journal struct {
	store   harness.Transcript
	session string
	dir     string
	now     func() time.Time
	last    string          // uuid of the newest entry, empty at the start
	mark    string          // of the history that was loaded, empty when nothing was changed in it
	left    json.RawMessage // what that history leaves out
}

// A record is an entry to write; the message's bytes go in as they are.
type record struct {
	kind    string // "user" or "assistant"
	id      string // uuid, empty for a new one
	message json.RawMessage
	extra   []member
}

// append writes one entry and returns its uuid once it is on disk. It is not
// cut short by the end of a turn: what happened has to be kept.
func (j *journal) append(ctx context.Context, r record) (string, error) {
	if r.id == "" {
		r.id = newUUID()
	}
	parent := json.RawMessage("null")
	if j.last != "" {
		parent = quoted(j.last)
	}
	entry := object(append([]member{
		{"parentUuid", parent},
		{"isSidechain", json.RawMessage("false")},
		{"cwd", quoted(j.dir)},
		{"sessionId", quoted(j.session)},
		{"type", quoted(r.kind)},
		{"message", r.message},
		{"uuid", quoted(r.id)},
		{"timestamp", quoted(j.now().UTC().Format("2006-01-02T15:04:05.000Z"))},
	}, r.extra...))
	if err := j.store.Append(context.WithoutCancel(ctx), j.session, entry); err != nil {
		return "", fmt.Errorf("keep transcript of session '%s': %w", j.session, err)
	}
	j.last = r.id
	return r.id, nil
}

// newUUID is a random UUID of version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// A stored entry, as far as the conversation needs it.
type stored struct {
	Type  string `json:"type"`
	UUID  string `json:"uuid"`
	Stops bool   `json:"flowerStops"`
	// Seen are the files, by path, that a tool showed or wrote: the sha256 of
	// their content then, so that a resumed session still knows them.
	Seen map[string]string `json:"flowerSeen"`
	// Shells is how many commands the session had started in the background.
	Shells  int `json:"flowerShells"`
	Message struct {
		ID         string          `json:"id"`
		Content    json.RawMessage `json:"content"`
		StopReason string          `json:"stop_reason"`
	} `json:"message"`
}

// userMessage is the message of a user entry.
func userMessage(blocks ...json.RawMessage) json.RawMessage {
	return object([]member{{"role", json.RawMessage(`"user"`)}, {"content", rawjson.Array(blocks)}})
}

// assistantMessage is the message of an assistant entry.
func (r *reply) assistantMessage(blocks []json.RawMessage) json.RawMessage {
	u := r.Usage.Tokens()
	usage := fmt.Appendf(nil, `{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,`+
		`"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}}`,
		u.Input, u.Output, u.Read, u.Write5m+u.Write1h, u.Write5m, u.Write1h)
	sequence := r.sequence
	if len(sequence) == 0 {
		sequence = json.RawMessage("null")
	}
	return object([]member{
		{"id", quoted(r.ID)},
		{"type", json.RawMessage(`"message"`)},
		{"role", json.RawMessage(`"assistant"`)},
		{"model", quoted(r.Model)},
		{"content", rawjson.Array(blocks)},
		{"stop_reason", quoted(r.Stop)},
		{"stop_sequence", sequence},
		{"usage", usage},
	})
}

func textBlock(text string) json.RawMessage {
	return object([]member{{"type", json.RawMessage(`"text"`)}, {"text", quoted(text)}})
}
