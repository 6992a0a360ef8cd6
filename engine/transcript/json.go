package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A member is one key of an object; value is a part of the object's own bytes,
// from start to end.
type member struct {
	key        string
	value      json.RawMessage
	start, end int
}

// isObject says whether raw is a valid JSON object.
func isObject(raw []byte) bool {
	return json.Valid(raw) && bytes.TrimLeft(raw, " \t\r\n")[0] == '{'
}

// opens says whether a valid value is an object.
func opens(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// members splits a valid object.
func members(raw []byte) []member {
	var ms []member
	i := skipSpace(raw, 0) + 1
	for {
		if i = skipSpace(raw, i); raw[i] == '}' {
			return ms
		}
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
		keyEnd := skipValue(raw, i)
		key := text(raw[i:keyEnd])
		start := skipSpace(raw, skipSpace(raw, keyEnd)+1) // behind the colon
		i = skipValue(raw, start)
		ms = append(ms, member{key, raw[start:i], start, i})
	}
}

// elements splits a valid array.
func elements(raw []byte) []json.RawMessage {
	var all []json.RawMessage
	i := skipSpace(raw, 0) + 1
	for {
		if i = skipSpace(raw, i); raw[i] == ']' {
			return all
		}
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
		start := i
		i = skipValue(raw, i)
		all = append(all, raw[start:i])
	}
}

func skipSpace(raw []byte, i int) int {
	for raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n' {
		i++
	}
	return i
}

// skipValue is where the valid value that begins at i ends.
func skipValue(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of a number or a name
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// last is the value of a key; of several the last one counts, as in JavaScript.
func last(ms []member, key string) (member, bool) {
	for _, m := range slices.Backward(ms) {
		if m.key == key {
			return m, true
		}
	}
	return member{}, false
}

// with is the object with one member's value replaced, or put in front.
func with(raw []byte, key string, value []byte) json.RawMessage {
	ms := members(raw)
	if m, found := last(ms, key); found {
		return concat(raw[:m.start], value, raw[m.end:])
	}
	begin := skipSpace(raw, 0) + 1
	comma := []byte(",")
	if len(ms) == 0 {
		comma = nil
	}
	return concat(raw[:begin], quoted(key), []byte(":"), value, comma, raw[begin:])
}

// without is the object without a member.
func without(raw []byte, key string) json.RawMessage {
	for {
		ms := members(raw)
		i := slices.IndexFunc(ms, func(m member) bool { return m.key == key })
		switch {
		case i < 0:
			return raw
		case i > 0:
			raw = concat(raw[:ms[i-1].end], raw[ms[i].end:])
		case len(ms) > 1:
			raw = concat(raw[:skipSpace(raw, 0)+1], raw[skipSpace(raw, skipSpace(raw, ms[0].end)+1):])
		default:
			return json.RawMessage("{}")
		}
	}
}

func concat(parts ...[]byte) json.RawMessage { return bytes.Join(parts, nil) }

// list is a JSON array.
func list(elements []json.RawMessage) json.RawMessage {
	return concat([]byte("["), bytes.Join(raws(elements), []byte(",")), []byte("]"))
}

func raws(all []json.RawMessage) [][]byte {
	out := make([][]byte, len(all))
	for i, e := range all {
		out[i] = e
	}
	return out
}

// text is a string's text, empty for anything else.
func text(raw []byte) string {
	if n := len(raw); n >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && ascii(raw) {
		return string(raw[1 : n-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // no string: empty
	return s
}

// texts are the strings of a valid array; of anything else none.
func texts(raw []byte) []string {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var all []string
	for _, e := range elements(raw) {
		all = append(all, text(e))
	}
	return all
}

func ascii(raw []byte) bool {
	for _, b := range raw {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

// quoted is a JSON string; <, > and & stay as they are.
func quoted(s string) json.RawMessage {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes, a buffer always takes it
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}
