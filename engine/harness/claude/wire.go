package claude

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxLine is how long a line of the CLI may be, in bytes: a tool's result is
// carried whole, pictures as base64.
const maxLine = 64 << 20

// A line is what the CLI prints, as far as we look at it. Unknown fields and
// types are no error: raw has everything.
type line struct {
	raw json.RawMessage

	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`

	// assistant, user
	Message  message `json:"message"`
	Parent   *string `json:"parent_tool_use_id"` // set inside sub-agents
	APIError bool    `json:"is_api_error_message"`
	Error    string  `json:"error"`
	Meta     []struct {
		ID   string `json:"id"`
		Kind string `json:"non_execution_kind"`
	} `json:"tool_result_meta"`

	// control_request, control_response, control_cancel_request
	RequestID string   `json:"request_id"`
	Request   request  `json:"request"`
	Response  response `json:"response"`

	// transcript_mirror
	FilePath string            `json:"filePath"`
	Entries  []json.RawMessage `json:"entries"`

	// result
	IsError        bool            `json:"is_error"`
	StopReason     string          `json:"stop_reason"`
	TerminalReason string          `json:"terminal_reason"`
	Result         string          `json:"result"`
	Errors         []string        `json:"errors"`
	Status         int             `json:"api_error_status"`
	ErrorType      string          `json:"api_error_type"`
	Origin         json.RawMessage `json:"origin"`
	NumTurns       int             `json:"num_turns"`

	// command_lifecycle
	Command string `json:"command_uuid"`
	State   string `json:"state"`

	// system: api_retry, compact_boundary
	ErrorStatus int `json:"error_status"`
	Compact     struct {
		Before int64 `json:"pre_tokens"`
		After  int64 `json:"post_tokens"`
	} `json:"compact_metadata"`
}

// A message is what an assistant or a user line carries.
type message struct {
	ID         string  `json:"id"`
	Model      string  `json:"model"`
	Content    content `json:"content"`
	StopReason string  `json:"stop_reason"`
	Usage      usage   `json:"usage"`
}

// content are the blocks of a message. A plain string is one text block.
type content []block

// UnmarshalJSON takes both forms.
func (c *content) UnmarshalJSON(raw []byte) error {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		b := block{Type: "text"}
		err := json.Unmarshal(raw, &b.Text)
		*c = content{b}
		return err
	}
	return json.Unmarshal(raw, (*[]block)(c))
}

// A block of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   content         `json:"content"`
	IsError   bool            `json:"is_error"`
}

// text is the prose of blocks.
func (c content) text() string {
	var s strings.Builder
	for _, b := range c {
		if b.Type == "text" {
			s.WriteString(b.Text)
		}
	}
	return s.String()
}

// usage is what the API counted for an answer.
type usage struct {
	Input    int64 `json:"input_tokens"`
	Output   int64 `json:"output_tokens"`
	Read     int64 `json:"cache_read_input_tokens"`
	Write    int64 `json:"cache_creation_input_tokens"`
	Creation struct {
		Write5m int64 `json:"ephemeral_5m_input_tokens"`
		Write1h int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// A request is what the CLI asks of us.
type request struct {
	Subtype    string          `json:"subtype"`
	CallbackID string          `json:"callback_id"`
	Input      hookInput       `json:"input"`
	Server     string          `json:"server_name"`
	Message    json.RawMessage `json:"message"`
}

// hookInput is what a hook is told.
type hookInput struct {
	Event     string          `json:"hook_event_name"`
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	Response  json.RawMessage `json:"tool_response"`
	Error     string          `json:"error"`
	ToolUseID string          `json:"tool_use_id"`
	AgentID   string          `json:"agent_id"`
	AgentType string          `json:"agent_type"`
	Dir       string          `json:"cwd"`
}

// A response is the CLI's answer to a request of ours.
type response struct {
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Error     string          `json:"error"`
	Response  json.RawMessage `json:"response"`
}

// parseLine reads a line. What is no JSON object is none of the protocol's.
func parseLine(raw []byte) (line, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return line{}, false
	}
	l := line{raw: bytes.Clone(raw)}
	if err := json.Unmarshal(raw, &l); err != nil {
		// A field may have another type than we know; the type alone will do.
		var head struct{ Type, Subtype string }
		if json.Unmarshal(raw, &head) != nil {
			return line{}, false
		}
		return line{raw: l.raw, Type: "unreadable " + head.Type, Subtype: head.Subtype}, true
	}
	return l, true
}
