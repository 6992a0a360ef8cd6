package rehearse

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A block is one content block of the request.
type block struct {
	kind      string
	path      string // "messages.1.content.0"
	raw       map[string]json.RawMessage
	text      string // of text and thinking
	id        string // of tool_use, or the id a tool_result answers
	name      string // of tool_use, or of what a tool_reference refers to
	isError   bool
	inner     []block // of tool_result
	signature string
	cache     string // life of its cache breakpoint, "" for none
}

func index(path string, i int) string { return path + "." + strconv.Itoa(i) }

// A shape says what a block type may hold and who may say it.
type shape struct {
	fields string
	roles  string
}

// shapes are the block types: SDK ContentBlockParamUnion and, behind a beta
// header, BetaContentBlockParamUnion (2.15.0). A shape with the field * is
// taken as it is; rehearsal does not look inside of what server tools bring.
var shapes = map[string]shape{
	"text":                                   {"text citations cache_control", "user assistant system result"},
	"image":                                  {"source cache_control transformations", "user result"},
	"document":                               {"source title context citations cache_control", "user result"},
	"search_result":                          {"source title content citations cache_control", "user result"},
	"thinking":                               {"thinking signature", "assistant"},
	"redacted_thinking":                      {"data", "assistant"},
	"tool_use":                               {"id name input caller toolset_name cache_control", "assistant"},
	"tool_result":                            {"tool_use_id content is_error toolset_name cache_control", "user"},
	"tool_reference":                         {"tool_name cache_control", "result"},
	"browser_state":                          {"*", "result"},
	"container_upload":                       {"*", "user"},
	"server_tool_use":                        {"*", "assistant"},
	"web_search_tool_result":                 {"*", "assistant"},
	"web_fetch_tool_result":                  {"*", "assistant"},
	"code_execution_tool_result":             {"*", "assistant"},
	"bash_code_execution_tool_result":        {"*", "assistant"},
	"text_editor_code_execution_tool_result": {"*", "assistant"},
	"tool_search_tool_result":                {"*", "assistant user"},
}

// betaShapes are block types that need a beta, with its name. They are taken as they are.
var betaShapes = map[string]string{
	"mcp_tool_use": "mcp-client", "mcp_tool_result": "mcp-client", "mid_conv_system": "", "compaction": "compact",
	"advisor_tool_result": "advisor-tool", "fallback": "server-side-fallback",
	"tool_addition": "mid-conversation-tool-changes inline-tools", "tool_removal": "mid-conversation-tool-changes inline-tools",
}

// systemBlocks are the types that a message in the role system may hold
// (SDK BetaSystemMessageParamContentUnion).
const systemBlocks = "text tool_addition tool_removal"

// readContent reads a text or a list of blocks.
func readContent(path string, raw json.RawMessage, role string, h header) ([]block, *apiError) {
	if first(raw) == '"' {
		s := unquote(raw)
		b := block{kind: "text", path: path, text: s, raw: map[string]json.RawMessage{"type": json.RawMessage(`"text"`), "text": raw}}
		if s == "" {
			return nil, nil
		}
		return []block{b}, b.checkText(h, role)
	}
	list, err := asList(path, raw)
	if err != nil {
		return nil, err
	}
	var out []block
	for i, item := range list {
		b, err := readBlock(index(path, i), item, role, h)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

func readBlock(path string, raw json.RawMessage, role string, h header) (block, *apiError) {
	o, err := asObject(path, raw)
	if err != nil {
		return block{}, err
	}
	b := block{path: path, raw: o.raw}
	if b.kind, err = o.str("type"); err != nil {
		return b, err
	}
	kind, known := shapes[b.kind]
	if !known {
		if features, beta := betaShapes[b.kind]; beta && h.beta(features) {
			return b, nil
		}
		return b, invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", path, b.kind)
	}
	if !listedIn(kind.roles, role) {
		return b, invalid("%s: `%s` blocks are not permitted in `%s` messages", path, b.kind, role)
	}
	o.path = path + "." + b.kind
	if kind.fields != "*" {
		if err := o.only(kind.fields + " type"); err != nil {
			return b, err
		}
	}
	return b, b.read(o, h, role)
}

// read takes the fields of the types that rehearsal understands.
func (b *block) read(o object, h header, role string) (err *apiError) {
	if b.cache, err = o.cacheControl(h); err != nil {
		return err
	}
	switch b.kind {
	case "text":
		if b.text, err = o.str("text"); err != nil {
			return err
		}
		return b.checkText(h, role)
	case "thinking":
		if b.signature, err = o.str("signature"); err != nil {
			return err
		}
		b.text, err = o.str("thinking")
	case "redacted_thinking":
		b.signature, err = o.str("data")
	case "tool_use":
		return b.readUse(o)
	case "tool_result":
		return b.readResult(o, h)
	case "tool_reference":
		b.name, err = o.str("tool_name")
	case "image", "document":
		return checkSource(b.kind, o)
	}
	return err
}

func (b *block) checkText(h header, role string) *apiError {
	if b.text == "" {
		where, _, _ := strings.Cut(b.path, ".")
		return invalid("%s: text content blocks must be non-empty", where)
	}
	if role != "result" && strings.TrimSpace(b.text) == "" {
		where, _, _ := strings.Cut(b.path, ".")
		return invalid("%s: text content blocks must contain non-whitespace text", where)
	}
	if role == "user" && h.version == newest {
		if raw, ok := b.raw["citations"]; ok && first(raw) == '[' && len(strings.Trim(string(raw), "[] \t\r\n")) > 0 {
			return invalid("%s.text.citations: citations are not permitted in user messages", b.path)
		}
	}
	return nil
}

var toolUseID = lazily(`^[a-zA-Z0-9_-]+$`)

func (b *block) readUse(o object) (err *apiError) {
	if b.id, err = o.str("id"); err != nil {
		return err
	}
	if !toolUseID().MatchString(b.id) {
		return invalid("%s: String should match pattern '%s'", o.at("id"), toolUseID())
	}
	if b.name, err = o.str("name"); err != nil {
		return err
	}
	if n := len(b.name); n < 1 || n > 200 {
		return invalid("%s: String should have from 1 to 200 characters", o.at("name"))
	}
	if _, ok := o.raw["input"]; !ok {
		return invalid("%s: Field required", o.at("input"))
	}
	_, err = asObject(o.at("input"), o.raw["input"])
	return err
}

func (b *block) readResult(o object, h header) (err *apiError) {
	if b.id, err = o.str("tool_use_id"); err != nil {
		return err
	}
	if b.isError, err = o.boolean("is_error"); err != nil {
		return err
	}
	if o.has("content") {
		if b.inner, err = readContent(o.at("content"), o.raw["content"], "result", h); err != nil {
			return err
		}
	}
	if b.isError && len(b.inner) == 0 {
		return invalid("%s: content cannot be empty if `is_error` is true", b.path)
	}
	for _, inner := range b.inner {
		if inner.kind == "text" {
			b.text += inner.text
		}
	}
	return nil
}
