package rawjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Replaced is the object that m is a member of, with another value in its place.
func (m Member) Replaced(object, value []byte) json.RawMessage {
	return slices.Concat(object[:m.start], value, object[m.end:])
}

// With is the object with one member's value replaced, or put in front.
func With(object []byte, key string, value []byte) json.RawMessage {
	if m, found := Find(object, key); found {
		return m.Replaced(object, value)
	}
	begin := skipSpace(object, 0) + 1
	comma := []byte(",")
	if object[skipSpace(object, begin)] == '}' {
		comma = nil
	}
	return slices.Concat(object[:begin], Quoted(key), []byte(":"), value, comma, object[begin:])
}

// Without is the object lacking a key; the very same bytes when it has none.
func Without(object []byte, key string) json.RawMessage {
	if _, found := Find(object, key); !found {
		return object
	}
	from := skipSpace(object, 0) + 1
	rest, nothing := slices.Clone(object[:from]), from
	for m := range Members(object) {
		switch {
		case string(m.Key) != key:
			rest = append(rest, object[from:m.end]...)
			from = m.end
		case len(rest) == nothing:
			from = skipComma(object, m.end)
		default:
			from = m.end
		}
	}
	return append(rest, object[from:]...)
}

// Array is the inverse of Elements.
func Array(elements []json.RawMessage) json.RawMessage {
	n := 2
	for _, e := range elements {
		n += len(e) + 1
	}
	out := append(make([]byte, 0, n), '[')
	for i, e := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e...)
	}
	return append(out, ']')
}

// Text is a string's text, empty for anything else.
func Text(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 && isASCII(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // bytes that are no UTF-8 become U+FFFD
	return s
}

func isASCII(raw []byte) bool {
	for _, b := range raw {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

// Quoted is a JSON string; <, > and & stay as they are.
func Quoted(s string) json.RawMessage {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes, a buffer always takes it
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}
