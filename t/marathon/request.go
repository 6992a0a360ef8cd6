package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A part is a piece of a request, in the order of the prompt.
type part struct {
	role string // tool, system, user, assistant
	raw  string
}

// cacheMark is where a breakpoint stands. Within a text its quotes would be escaped.
var cacheMark = regexp.MustCompile(`,"cache_control":\{[^}]*\}`)

// partsOf are a request's pieces, breakpoints left out: those move on and are no content.
// opening is the place of the first message's first part, 0 when there is none.
func partsOf(body []byte) (all []part, opening int) {
	var req struct {
		Tools    []json.RawMessage `json:"tools"`
		System   json.RawMessage   `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(cacheMark.ReplaceAll(body, nil), &req) != nil {
		return nil, 0
	}
	for _, t := range req.Tools {
		all = append(all, part{"tool", string(inOrder(t))})
	}
	all = append(all, part{"system", string(req.System)})
	for _, m := range req.Messages {
		if opening == 0 && m.Role == "user" {
			opening = len(all)
		}
		for _, b := range blocksOf(m.Content) {
			all = append(all, part{m.Role, string(inOrder(b))})
		}
	}
	if opening == len(all) {
		opening = 0
	}
	return all, opening
}

// inOrder sorts the members of an object, not those of its values: Claude Code writes
// what it sent before in another order, which the API does not see.
func inOrder(raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	sorted, err := json.Marshal(members)
	if err != nil {
		return raw
	}
	return sorted
}

func blocksOf(content json.RawMessage) []json.RawMessage {
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) == nil {
		return blocks
	}
	text, _ := json.Marshal(map[string]json.RawMessage{"type": json.RawMessage(`"text"`), "text": content})
	return []json.RawMessage{text}
}

// A block is what is counted of a part.
type block struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	For     string          `json:"tool_use_id"`
	Text    json.RawMessage `json:"text"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

// characters are those of a block as stores.md 11.2 counts them.
func (b block) characters() int {
	return characters(b.Text) + characters(b.Input) + characters(b.Content)
}

// characters counts a value: a string's own, else those of its JSON text with a blank
// after ':' and ','.
func characters(raw json.RawMessage) int {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil || v == nil {
		return 0
	}
	if s, ok := v.(string); ok {
		return utf8.RuneCountInString(s)
	}
	return spaced(v)
}

// spaced is how long a value is as JSON text with such blanks.
func spaced(v any) int {
	n := 2 // brackets
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			n += spaced(name) + spaced(member) + len(": ") + len(", ")
		}
		if len(v) > 0 {
			n -= len(", ")
		}
	case []any:
		for _, item := range v {
			n += spaced(item) + len(", ")
		}
		if len(v) > 0 {
			n -= len(", ")
		}
	default:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if e.Encode(v) != nil {
			return 0
		}
		return utf8.RuneCountInString(strings.TrimSuffix(b.String(), "\n"))
	}
	return n
}
