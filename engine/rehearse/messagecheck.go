package rehearse

import (
	"encoding/json"
	"strings"
)

// maxMessages is the limit the SDK's MessageNewParams names.
const maxMessages = 100_000

func (r *request) readMessages(o object) *apiError {
	if _, ok := o.raw["messages"]; !ok {
		return invalid("messages: Field required")
	}
	list, err := asList("messages", o.raw["messages"])
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return invalid("messages: at least one message is required")
	}
	if len(list) > maxMessages {
		return invalid("messages: at most %d messages are allowed", maxMessages)
	}
	for i, raw := range list {
		m, err := r.readMessage(i, raw, i == len(list)-1)
		if err != nil {
			return err
		}
		r.messages = append(r.messages, m)
	}
	return r.checkRoles()
}

func (r *request) readMessage(i int, raw json.RawMessage, last bool) (message, *apiError) {
	path := index("messages", i)
	o, err := asObject(path, raw)
	if err != nil {
		return message{}, err
	}
	m := message{}
	if m.role, err = o.role(); err != nil {
		return m, err
	}
	if m.role == "system" {
		return r.readSystemTurn(path, o)
	}
	if err := o.only("role content"); err != nil {
		return m, err
	}
	if _, ok := o.raw["content"]; !ok {
		return m, invalid("%s: Field required", o.at("content"))
	}
	if m.blocks, err = readContent(path+".content", o.raw["content"], m.role, r.header); err != nil {
		return m, err
	}
	if len(m.blocks) == 0 && !(last && m.role == "assistant") {
		return m, invalid("%s: all messages must have non-empty content except for the optional final assistant message", path)
	}
	return m, nil
}

// role reads who speaks.
func (o object) role() (string, *apiError) {
	role, err := o.str("role")
	if err != nil {
		return "", err
	}
	if role != "user" && role != "assistant" && role != "system" {
		return "", invalid("%s: Input should be 'user' or 'assistant'", o.at("role"))
	}
	return role, nil
}

// checkEnd checks a conversation that ends with the assistant.
func (r *request) checkEnd(object) *apiError {
	last := message{}
	for _, m := range r.messages {
		if !m.directive() {
			last = m
		}
	}
	if last.role != "assistant" || paused(last.blocks) {
		return nil
	}
	if !r.model.prefill() {
		return invalid("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	if n := len(last.blocks); n > 0 && last.blocks[n-1].kind == "text" {
		if text := last.blocks[n-1].text; strings.TrimRight(text, " \t\r\n") != text {
			return invalid("messages: final assistant content cannot end with trailing whitespace")
		}
	}
	return nil
}

// paused says whether an assistant message ends in work of the server, so that
// sending it back continues it.
func paused(blocks []block) bool {
	if len(blocks) == 0 {
		return false
	}
	return blocks[len(blocks)-1].kind == "server_tool_use" || servedLast(blocks)
}

// servedLast says whether an assistant message ends in a result of a server tool.
func servedLast(blocks []block) bool {
	if len(blocks) == 0 {
		return false
	}
	kind := blocks[len(blocks)-1].kind
	return kind != "tool_result" && strings.HasSuffix(kind, "_tool_result")
}
