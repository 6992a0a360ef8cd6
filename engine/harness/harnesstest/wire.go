package harnesstest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// A Received is one request.
type Received struct {
	Body   []byte
	Header http.Header
	Wire
}

// Wire is what a request says, decoded.
type Wire struct {
	Model     string            `json:"model"`
	MaxTokens int64             `json:"max_tokens"`
	Stream    bool              `json:"stream"`
	System    WireContent       `json:"system"`
	Tools     []json.RawMessage `json:"tools"`
	Messages  []WireMessage     `json:"messages"`
	Thinking  json.RawMessage   `json:"thinking"`
	Output    json.RawMessage   `json:"output_config"`
}

// A WireMessage is one message of a request.
type WireMessage struct {
	Role    string          `json:"role"`
	Content WireContent     `json:"content"`
	Output  json.RawMessage `json:"output_config"` // of the role system
}

// A WireBlock is one block of a message; only what tests look at.
type WireBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   WireContent     `json:"content"`
	Cache     json.RawMessage `json:"cache_control"`
}

// WireContent is the content of a message, a tool_result or the system prompt. A
// plain string is one text block, an empty one none.
type WireContent []WireBlock

// UnmarshalJSON takes both forms.
func (c *WireContent) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		b := WireBlock{Type: "text"}
		err := json.Unmarshal(raw, &b.Text)
		if *c = nil; b.Text != "" {
			*c = WireContent{b}
		}
		return err
	}
	return json.Unmarshal(raw, (*[]WireBlock)(c))
}

// Result is the text of a tool_result.
func (b WireBlock) Result() string {
	var s strings.Builder
	for _, c := range b.Content {
		s.WriteString(c.Text)
	}
	return s.String()
}

// Conversation is what a person, the model and the tools said: no messages in
// the role system and no reminders, which a harness may put in between.
func (w Wire) Conversation() []WireMessage {
	var out []WireMessage
	for _, m := range w.Messages {
		if m.Role == "system" {
			continue
		}
		own := WireMessage{Role: m.Role}
		for _, b := range m.Content {
			if m.Role != "user" || !strings.HasPrefix(b.Text, "<system-reminder>") {
				own.Content = append(own.Content, b)
			}
		}
		out = append(out, own)
	}
	return out
}

// lastUser is the index of the user's last message, -1 for none.
func (w Wire) lastUser() int {
	for i := len(w.Messages) - 1; i >= 0; i-- {
		if w.Messages[i].Role == "user" {
			return i
		}
	}
	return -1
}

// Results are the tool results of the user's last message.
func (w Wire) Results() []WireBlock {
	var rs []WireBlock
	if at := w.lastUser(); at >= 0 {
		for _, b := range w.Messages[at].Content {
			if b.Type == "tool_result" {
				rs = append(rs, b)
			}
		}
	}
	return rs
}

// ResultOf is the result of one call in the user's last message. Harnesses send
// the results of one answer in any order.
func (w Wire) ResultOf(id string) (WireBlock, bool) {
	for _, b := range w.Results() {
		if b.ToolUseID == id {
			return b, true
		}
	}
	return WireBlock{}, false
}

// LatestText is all text from the user's last message on, in whatever form:
// prose, results, messages in the role system.
func (w Wire) LatestText() string {
	var s strings.Builder
	for _, m := range w.Messages[max(0, w.lastUser()):] {
		for _, b := range m.Content {
			s.WriteString(b.Text + "\n" + b.Result() + "\n")
		}
	}
	return s.String()
}

// toolNamed is the offered tool that a reply's name means: the one of that name
// or else that of an MCP server, which Claude Code calls mcp__<server>__<name>.
func (w Wire) toolNamed(name string) string {
	from := name
	for _, raw := range w.Tools {
		var tool struct{ Name string }
		_ = json.Unmarshal(raw, &tool) // has no name then
		if tool.Name == name {
			return name
		}
		if rest, ok := strings.CutPrefix(tool.Name, "mcp__"); ok {
			if _, own, _ := strings.Cut(rest, "__"); own == name && from == name {
				from = tool.Name
			}
		}
	}
	return from
}
