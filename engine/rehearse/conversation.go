package rehearse

import "strings"

// A conversation is what a request holds, in the terms of a script.
type conversation struct {
	model   string
	system  string
	tools   []string
	turns   []said
	opening string   // text of the first message
	texts   []string // of turns
	results []result // all, oldest first
	last    int      // how many of results the last user message brought
}

// A result is what a tool gave back.
type result struct {
	turn   int // index into turns
	Tool   string
	ID     string
	Text   string
	Failed bool
}

func converse(r *request) *conversation {
	c := &conversation{model: r.model.id, turns: merge(spoken(r.messages))}
	for _, b := range r.system {
		c.system += b.text + "\n"
	}
	for _, t := range r.tools {
		c.tools = append(c.tools, t.name)
	}
	names := map[string]string{}
	for i, t := range c.turns {
		c.last = 0
		for _, b := range t.blocks {
			switch b.kind {
			case "tool_use":
				names[b.id] = b.name
			case "tool_result":
				c.results = append(c.results, result{i, names[b.id], b.id, b.text, b.isError})
				c.last++
			}
		}
		c.texts = append(c.texts, textOf(t.blocks))
	}
	c.opening = opening(r.messages)
	return c
}

// opening is the text of the first message in which something was said.
func opening(messages []message) string {
	for _, m := range spoken(messages) {
		return textOf(m.blocks)
	}
	return ""
}

// textOf is the prose of blocks and the text of tool results.
func textOf(blocks []block) string {
	var parts []string
	for _, b := range blocks {
		if (b.kind == "text" || b.kind == "tool_result") && b.text != "" {
			parts = append(parts, b.text)
		}
	}
	return strings.Join(parts, "\n")
}

// lastText is the text of the last user message.
func (c *conversation) lastText() string {
	for i := len(c.turns) - 1; i >= 0; i-- {
		if c.turns[i].role == "user" {
			return c.texts[i]
		}
	}
	return ""
}

func (c *conversation) whole() string { return strings.Join(c.texts, "\n\n") }

// lastResults are those that the last user message brought.
func (c *conversation) lastResults() []result { return c.results[len(c.results)-c.last:] }

// answers counts the model's answers after a turn (-1: all), and how many of
// the latest in a row were cut off and so are not counted.
func (c *conversation) answers(after int) (counted, cut int) {
	for i := after + 1; i < len(c.turns); i++ {
		if c.turns[i].role != "assistant" {
			continue
		}
		for range c.pauses(i) {
			counted, cut = counted+1, 0
		}
		if !c.finished(i) {
			continue
		}
		if c.interrupted(i) {
			cut++
			continue
		}
		counted, cut = counted+1, 0
	}
	return counted, cut
}

// pauses counts the answers within an assistant turn that ended in pause_turn:
// each ends with a call of the server's that has no result.
func (c *conversation) pauses(i int) int {
	n := 0
	for _, b := range c.turns[i].blocks {
		if b.kind == "server_tool_use" {
			n++
		}
	}
	return n
}

// finished says whether something follows the last pause.
func (c *conversation) finished(i int) bool {
	blocks := c.turns[i].blocks
	return len(blocks) > 0 && blocks[len(blocks)-1].kind != "server_tool_use"
}

// interrupted says whether all calls of an assistant turn were cut off. Such a
// turn does not count: it is played again.
func (c *conversation) interrupted(i int) bool {
	calls, cut := 0, 0
	for _, b := range c.turns[i].blocks {
		if b.kind == "tool_use" {
			calls++
		}
	}
	for _, r := range c.results {
		if r.turn == i+1 && isCutOff(r.Text) {
			cut++
		}
	}
	return calls > 0 && calls == cut
}
