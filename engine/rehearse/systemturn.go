package rehearse

// Messages in the role system. Their rules, and the words in which they are
// refused, are those that users of public projects quote from the API; the
// page on mid-conversation system messages says the same in other words.

const anywhere = "; the directive-only form (content: [] with output_config) is accepted at any position"

// turnFields are the fields of a message in the role system that need a beta.
var turnFields = map[string]string{
	"output_config": "mid-conversation-output-config per-turn-control mid-conversation-effort",
	"clear_at":      "mid-conversation-system-clear-at",
}

func (r *request) readSystemTurn(path string, o object) (message, *apiError) {
	m := message{role: "system"}
	if !r.model.systemTurns() {
		return m, invalid("%s.role: role 'system' is not supported on this model", path)
	}
	err := o.only(r.header.known("role content", turnFields))
	if err != nil {
		return m, err
	}
	directs, err := o.readDirective()
	if err != nil {
		return m, err
	}
	if o.has("content") {
		if err := systemContent(path, o); err != nil {
			return m, err
		}
		if m.blocks, err = readContent(path+".content", o.raw["content"], "system", r.header); err != nil {
			return m, err
		}
	}
	if len(m.blocks) == 0 && !directs {
		return m, invalid("%s: system content must contain at least one block", path)
	}
	return m, nil
}

// readDirective reads what changes how later turns are answered, and says
// whether there is anything (SDK BetaSystemMessageParam).
func (o object) readDirective() (bool, *apiError) {
	if _, err := o.oneOf("clear_at", "next_user_message", "never"); err != nil {
		return false, err
	}
	if !o.has("output_config") {
		return false, nil
	}
	c, err := asObject(o.at("output_config"), o.raw["output_config"])
	if err != nil {
		return false, err
	}
	if err := c.only("effort"); err != nil {
		return false, err
	}
	_, err = c.oneOf("effort", efforts[:]...)
	return c.has("effort"), err
}

// systemContent checks the types of the blocks.
func systemContent(path string, o object) *apiError {
	if first(o.raw["content"]) != '[' {
		return nil
	}
	for _, raw := range listed(o.raw["content"]) {
		b, err := asObject(path, raw)
		if err != nil {
			return err
		}
		if kind, _ := b.optional("type"); kind != "" && !listedIn(systemBlocks, kind) {
			return invalid("%s: role 'system' supports text, tool_addition, and tool_removal blocks only", path)
		}
	}
	return nil
}

// directive says whether a message only changes settings. It may stand anywhere.
func (m message) directive() bool { return m.role == "system" && len(m.blocks) == 0 }

// checkRoles checks who speaks when. Messages in the role system that stand
// together count as one.
func (r *request) checkRoles() *apiError {
	var at []int // of the messages with content
	for i, m := range r.messages {
		if !m.directive() {
			at = append(at, i)
		}
	}
	if len(at) > 0 && r.messages[at[0]].role == "system" {
		return invalid("%s: use the top-level 'system' parameter for the initial system prompt%s", index("messages", at[0]), anywhere)
	}
	if len(at) == 0 || r.messages[at[0]].role != "user" {
		return invalid(`messages: first message must use the "user" role`)
	}
	for n, i := range at {
		if r.messages[i].role != "system" {
			continue
		}
		if before := r.messages[at[n-1]]; before.role == "assistant" && !servedLast(before.blocks) {
			return invalid("%s: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result%s", index("messages", i), anywhere)
		}
		if n+1 < len(at) && r.messages[at[n+1]].role == "user" {
			return invalid("%s: role 'system' must precede an 'assistant' message or end the array%s", index("messages", i), anywhere)
		}
	}
	return nil
}
