package economy

import (
	"encoding/json"
	"time"
	"unicode/utf8"
)

// An entry is a row of a transcript, as far as it is counted.
type entry struct {
	Type      string `json:"type"`
	UUID      string `json:"uuid"`
	Timestamp string `json:"timestamp"`
	Denial    string `json:"toolDenialKind"`
	Fault     bool   `json:"isApiErrorMessage"`
	Aside     bool   `json:"isSidechain"`
	Loaded    string `json:"flowerLoaded"` // the version of the past that it was said after
	Left      *Left  `json:"flowerLeft"`   // what that version leaves out
	Message   *struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   *usage          `json:"usage"`
	} `json:"message"`
}

type usage struct {
	Input   int64 `json:"input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

// context is how much the model was shown.
func (u usage) context() int64 { return u.Input + u.Read + u.Written }

// readEntry reads a row. False: it is nothing that is counted, like what the
// harness notes beside the conversation or makes up about a fault.
func readEntry(raw json.RawMessage) (entry, bool) {
	var e entry
	if json.Unmarshal(raw, &e) != nil || e.Message == nil || e.Fault || e.Message.Model == "<synthetic>" {
		return e, false
	}
	return e, e.Type == "user" || e.Type == "assistant"
}

// at is when an entry was written, the zero time when that is not told.
func (e entry) at() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, e.Timestamp)
	return t
}

// answer is the id of the model's answer that a row is a part of, "" for none.
func (e entry) answer() string {
	switch {
	case e.Type != "assistant" || e.Message.Usage == nil:
		return ""
	case e.Message.ID != "":
		return e.Message.ID
	}
	return e.UUID
}

// A block is a part of a message.
type block struct {
	Type    string          `json:"type"`
	Text    json.RawMessage `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	For     string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
}

// blocks are the parts of a message; one that is only words is one text.
func (e entry) blocks() []block {
	content := e.Message.Content
	if len(content) > 0 && content[0] == '"' {
		return []block{{Type: "text", Text: content}}
	}
	var items []json.RawMessage
	if json.Unmarshal(content, &items) != nil {
		return nil
	}
	var all []block
	for _, item := range items {
		var b block
		if json.Unmarshal(item, &b) == nil {
			all = append(all, b)
		}
	}
	return all
}

func (b block) characters() int {
	return characters(b.Text) + characters(b.Input) + characters(b.Content)
}

// words is what a result says: its text, or its texts one after the other.
func (b block) words() string {
	var s string
	if json.Unmarshal(b.Content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b.Content, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// characters counts a value: a string's own, else those of its JSON text with a
// blank after ':' and ','. What is not there has none.
func characters(raw json.RawMessage) int {
	if len(raw) == 0 || string(raw) == "null" {
		return 0
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return utf8.RuneCountInString(s)
	}
	var n int
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n':
			i++
		case '"':
			end := i + stringEnd(raw[i:])
			n += quotedLength(raw[i:end])
			i = end
		case ':', ',':
			n += 2
			i++
		default:
			n++
			i++
		}
	}
	return n
}

// stringEnd is where the JSON string at the beginning of raw ends.
func stringEnd(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// quotedLength is how many characters a JSON string takes with its quotes, when
// only that is escaped which has to be.
func quotedLength(raw []byte) int {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return utf8.RuneCount(raw)
	}
	n := 2
	for _, r := range s {
		switch {
		case r == '"', r == '\\', r == '\b', r == '\f', r == '\n', r == '\r', r == '\t':
			n += 2
		case r < ' ':
			n += 6
		default:
			n++
		}
	}
	return n
}
