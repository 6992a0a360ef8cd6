package economy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"git-flower/engine/rawjson"
	"git-flower/guards"
)

// An entry is a row of a transcript, as far as it is counted.
type entry struct {
	Type, UUID, Timestamp string
	Denial                string
	Fault, Aside          bool
	Loaded                string // the version of the past that it was said after
	Left                  *Left  // what that version leaves out
	Message               *message
}

// A message's content shares its memory with the row.
type message struct {
	ID, Model string
	Content   json.RawMessage
	Usage     *usage
}

type usage struct {
	Input   int64 `json:"input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
	Output  int64 `json:"output_tokens"`
	// Creation tells how long what was written is kept.
	Creation struct {
		Hour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// context is how much the model was shown.
func (u usage) context() int64 { return u.Input + u.Read + u.Written }

// readEntry reads a row. False: it is nothing that is counted, like what the
// harness notes beside the conversation or makes up about a fault. A row is gone
// through once to see that it is JSON, and its texts are not decoded: there are
// tens of thousands of them, of kilobytes each.
func readEntry(raw json.RawMessage) (entry, bool) {
	var e entry
	if !rawjson.IsObject(raw) {
		return e, false
	}
	for m := range rawjson.Members(raw) {
		switch string(m.Key) {
		case "type":
			e.Type = rawjson.Text(m.Value)
		case "uuid":
			e.UUID = rawjson.Text(m.Value)
		case "timestamp":
			e.Timestamp = rawjson.Text(m.Value)
		case "toolDenialKind":
			e.Denial = rawjson.Text(m.Value)
		case "isApiErrorMessage":
			e.Fault = string(m.Value) == "true"
		case "isSidechain":
			e.Aside = string(m.Value) == "true"
		case "flowerLoaded":
			e.Loaded = rawjson.Text(m.Value)
		case "flowerLeft":
			e.Left = decoded[Left](m.Value)
		case "message":
			e.Message = readMessage(m.Value)
		}
	}
	if e.Message == nil || e.Fault || e.Message.Model == "<synthetic>" {
		return e, false
	}
	return e, e.Type == "user" || e.Type == "assistant"
}

func readMessage(raw json.RawMessage) *message {
	if raw[0] != '{' {
		return nil
	}
	var m message
	for member := range rawjson.Members(raw) {
		switch string(member.Key) {
		case "id":
			m.ID = rawjson.Text(member.Value)
		case "model":
			m.Model = rawjson.Text(member.Value)
		case "content":
			m.Content = member.Value
		case "usage":
			m.Usage = decoded[usage](member.Value)
		}
	}
	return &m
}

// decoded is a small value; nil when it is another or null.
func decoded[T any](raw json.RawMessage) *T {
	var value *T
	if json.Unmarshal(raw, &value) != nil {
		return nil
	}
	return value
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

// A block is a part of a message. Text, Input and Content share its memory.
type block struct {
	Type, ID, Name, For  string
	Text, Input, Content json.RawMessage
}

// blocks are the parts of a message; one that is only words is one text.
func (e entry) blocks() []block {
	content := e.Message.Content
	if len(content) > 0 && content[0] == '"' {
		return []block{{Type: "text", Text: content}}
	}
	var all []block
	for _, item := range rawjson.Elements(content) {
		all = append(all, readBlock(item))
	}
	return all
}

func readBlock(raw json.RawMessage) (b block) {
	for m := range rawjson.Members(raw) {
		switch string(m.Key) {
		case "type":
			b.Type = rawjson.Text(m.Value)
		case "id":
			b.ID = rawjson.Text(m.Value)
		case "name":
			b.Name = rawjson.Text(m.Value)
		case "tool_use_id":
			b.For = rawjson.Text(m.Value)
		case "text":
			b.Text = m.Value
		case "input":
			b.Input = m.Value
		case "content":
			b.Content = m.Value
		}
	}
	return b
}

func (b block) characters() int {
	return characters(b.Text) + characters(b.Input) + characters(b.Content)
}

// pointer is how many characters a result had that went to the bench; not ok for
// any other result.
func (b block) pointer() (characters int, ok bool) {
	texts := []json.RawMessage{b.Content}
	if len(b.Content) > 0 && b.Content[0] == '[' {
		texts = nil
		for _, part := range rawjson.Elements(b.Content) {
			texts = append(texts, rawjson.Value(part, "text"))
		}
	}
	texts = slices.DeleteFunc(texts, func(t json.RawMessage) bool { return len(t) < 3 })
	if len(texts) == 0 || texts[0][1] != '[' && texts[0][1] != '\\' {
		return 0, false // it does not begin like one: most do not, and are long
	}
	var words strings.Builder
	for _, t := range texts {
		words.WriteString(rawjson.Text(t))
	}
	characters, _, ok = guards.ReadPointer(words.String())
	return characters, ok
}

// characters counts a value: a string's own, else those of its JSON text with a
// blank after ':' and ','. What is not there has none.
func characters(raw json.RawMessage) int {
	if len(raw) == 0 || string(raw) == "null" {
		return 0
	}
	if raw[0] == '"' {
		return textLength(raw)
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

// textLength is how many characters the text of a JSON string has.
func textLength(raw []byte) int {
	n := utf8.RuneCount(raw) - 2
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i < len(raw); {
		size := 2
		if raw[i+1] == 'u' {
			size = 6
			if isPair(raw[i:]) {
				size = 12
			}
		}
		n -= size - 1
		i += size
		next := bytes.IndexByte(raw[i:], '\\')
		if next < 0 {
			break
		}
		i += next
	}
	return n
}

// isPair says whether what begins with an escaped half of a character goes on with
// the other.
func isPair(raw []byte) bool {
	if len(raw) < 12 || raw[6] != '\\' || raw[7] != 'u' {
		return false
	}
	return utf16.DecodeRune(escapedRune(raw), escapedRune(raw[6:])) != utf8.RuneError
}

func escapedRune(raw []byte) rune {
	n, _ := strconv.ParseUint(string(raw[2:6]), 16, 16) // four digits, in JSON
	return rune(n)
}

// quotedLength is how many characters a JSON string takes with its quotes, when
// only that is escaped which has to be.
func quotedLength(raw []byte) int {
	if !bytes.Contains(raw, []byte(`\u`)) && !bytes.Contains(raw, []byte(`\/`)) {
		return utf8.RuneCount(raw) // nothing is escaped that need not be
	}
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
