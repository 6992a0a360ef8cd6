package rehearse

import "strings"

// checkPairs checks that every call has its result and every result its call
// (tool use pages; the wordings are those the API answers with).
func (r *request) checkPairs(object) *apiError {
	turns := merge(r.messages)
	if err := uniqueCalls(turns); err != nil {
		return err
	}
	for i, t := range turns {
		if t.role == "assistant" {
			if err := checkAnswered(turns, i); err != nil {
				return err
			}
			continue
		}
		var before []block
		if i > 0 {
			before = turns[i-1].blocks
		}
		if err := checkResults(t, before); err != nil {
			return err
		}
	}
	return nil
}

// A said is what one side said at a stretch: the API combines consecutive
// messages of one role.
type said struct {
	role   string
	at     int // index of its first message
	blocks []block
}

func merge(messages []message) []said {
	var out []said
	for i, m := range messages {
		if m.role == "system" {
			continue
		}
		if n := len(out); n > 0 && out[n-1].role == m.role {
			out[n-1].blocks = append(out[n-1].blocks[:len(out[n-1].blocks):len(out[n-1].blocks)], m.blocks...)
			continue
		}
		out = append(out, said{role: m.role, at: i, blocks: m.blocks})
	}
	return out
}

func uniqueCalls(turns []said) *apiError {
	seen := map[string]bool{}
	for _, t := range turns {
		for _, b := range t.blocks {
			if b.kind != "tool_use" {
				continue
			}
			if seen[b.id] {
				return invalid("messages: `tool_use` ids must be unique")
			}
			seen[b.id] = true
		}
	}
	return nil
}

// checkAnswered checks that the calls of one assistant turn are answered at the
// beginning of the next message.
func checkAnswered(turns []said, i int) *apiError {
	answered := map[string]bool{}
	if i+1 < len(turns) {
		for _, b := range turns[i+1].blocks {
			if b.kind != "tool_result" {
				break
			}
			answered[b.id] = true
		}
	}
	var open []string
	for _, b := range turns[i].blocks {
		if b.kind == "tool_use" && !answered[b.id] {
			open = append(open, b.id)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return invalid("%s: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
		index("messages", turns[i].at), strings.Join(open, ", "))
}

// checkResults checks that each result answers a call of the message before, once.
func checkResults(t said, before []block) *apiError {
	calls := map[string]bool{}
	for _, b := range before {
		if b.kind == "tool_use" {
			calls[b.id] = true
		}
	}
	seen := map[string]bool{}
	for _, b := range t.blocks {
		if b.kind != "tool_result" {
			continue
		}
		if !calls[b.id] {
			return invalid("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", b.path, b.id)
		}
		if seen[b.id] {
			return invalid("%s: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", b.path, b.id)
		}
		seen[b.id] = true
	}
	return nil
}
