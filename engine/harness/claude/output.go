package claude

import (
	"encoding/json"
	"sort"
	"strings"
)

// A tool's result comes in a shape of the tool's own, and has to go back in it:
// another is dropped without a word. So its strings are replaced where they
// stand. What of them is not text for the model (paths, names) is short.

// leafText is from how many bytes on a string in a result is text.
const leafText = 200

// textOf is the text of a result: its strings, the longest first, those that
// only repeat it and the short ones left out.
func textOf(response json.RawMessage) string {
	var v any
	if json.Unmarshal(response, &v) != nil {
		return ""
	}
	if s, ok := v.(string); ok {
		return s
	}
	var parts []string
	for i, l := range leavesOf(v) {
		if i == 0 || len(l.text()) >= leafText {
			parts = append(parts, l.text())
		}
	}
	return strings.Join(parts, "\n")
}

// withText is a result with another text, in the same shape: the longest string
// becomes the text, and the other long ones go.
func withText(response json.RawMessage, text string) json.RawMessage {
	var v any
	if json.Unmarshal(response, &v) != nil {
		return response
	}
	if _, ok := v.(string); ok {
		v = text
	}
	for i, l := range leavesOf(v) {
		switch {
		case i == 0:
			l.set(text)
		case len(l.text()) >= leafText:
			l.set("")
		}
	}
	out, err := json.Marshal(v)
	if err != nil {
		return response
	}
	return out
}

// A leaf is a string inside a value.
type leaf struct {
	name string
	text func() string
	set  func(string)
}

// leavesOf are the strings of a value, the longest first. What a tool was given
// (the old and the new text of an edit, the file as it was) is none of its result.
func leavesOf(v any) []leaf {
	var all []leaf
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, child := range v {
				if _, ok := child.(string); ok && !given(name) {
					all = append(all, leaf{name, func() string { return v[name].(string) }, func(s string) { v[name] = s }})
				} else if !given(name) {
					walk(child)
				}
			}
		case []any:
			for i, child := range v {
				if _, ok := child.(string); ok {
					all = append(all, leaf{"", func() string { return v[i].(string) }, func(s string) { v[i] = s }})
				} else {
					walk(child)
				}
			}
		}
	}
	walk(v)
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if len(a.text()) != len(b.text()) {
			return len(a.text()) > len(b.text())
		}
		return rank(a.name)+a.name < rank(b.name)+b.name
	})
	return all
}

// rank puts the fields that hold a tool's text before others of one length.
func rank(name string) string {
	switch name {
	case "stdout", "content", "text", "result":
		return "0"
	}
	return "1"
}

// given are fields that repeat what the call said, or how the file was.
func given(name string) bool {
	switch name {
	case "filePath", "file_path", "oldString", "newString", "originalFile", "structuredPatch", "type", "mode", "base64", "url", "prompt":
		return true
	}
	return false
}
