package proxy

import (
	"bytes"
	"encoding/json"
)

// These functions work on the bytes of JSON that json.Valid has passed, and
// never decode and encode: the API refuses thinking blocks that changed, and
// the prompt cache misses when a byte does.

// A field is one member of an object, its value at an offset in the object's bytes.
type field struct {
	key   string
	at    int
	value []byte
}

// fields splits an object; nothing when raw is none.
func fields(raw []byte) []field {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return nil
	}
	var fs []field
	for i = space(raw, i+1); raw[i] != '}'; {
		from := i
		i = end(raw, i)
		key := text(raw[from:i])
		i = space(raw, space(raw, i)+1) // the colon
		from, i = i, end(raw, i)
		fs = append(fs, field{key, from, raw[from:i]})
		i = comma(raw, i)
	}
	return fs
}

// elements splits an array; nothing when raw is none.
func elements(raw []byte) [][]byte {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil
	}
	var es [][]byte
	for i = space(raw, i+1); raw[i] != ']'; {
		from := i
		i = end(raw, i)
		es = append(es, raw[from:i])
		i = comma(raw, i)
	}
	return es
}

// comma is where the next member begins, or the closing bracket stands.
func comma(raw []byte, i int) int {
	if i = space(raw, i); raw[i] == ',' {
		i = space(raw, i+1)
	}
	return i
}

func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// end is the offset after the value that begins at i.
func end(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		return afterString(raw, i)
	case '{', '[':
		return afterBrackets(raw, i)
	}
	for i < len(raw) && bytes.IndexByte([]byte(" \n\t\r,]}"), raw[i]) < 0 {
		i++
	}
	return i
}

func afterString(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func afterBrackets(raw []byte, i int) int {
	for depth := 0; ; {
		switch raw[i] {
		case '"':
			i = afterString(raw, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
}

// text decodes a string; empty when raw is none.
func text(raw []byte) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// last is the value of an object's last member with that key, which is the one
// that decoders take; nil without one.
func last(fs []field, key string) *field {
	for i := len(fs) - 1; i >= 0; i-- {
		if fs[i].key == key {
			return &fs[i]
		}
	}
	return nil
}

// value is a member's bytes; nil when the object has none.
func value(object []byte, key string) []byte {
	if f := last(fields(object), key); f != nil {
		return f.value
	}
	return nil
}

// replaced is outer with the field's value replaced.
func (f *field) replaced(outer, value []byte) []byte {
	out := append(make([]byte, 0, len(outer)+len(value)), outer[:f.at]...)
	return append(append(out, value...), outer[f.at+len(f.value):]...)
}

// array is the inverse of elements.
func array(es [][]byte) []byte {
	out := append([]byte{'['}, bytes.Join(es, []byte{','})...)
	return append(out, ']')
}
