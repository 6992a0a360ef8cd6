package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// JSON that must come out as it went in is never decoded and encoded again:
// the API refuses thinking blocks that changed, and the prompt cache misses
// when a byte does. These functions work on the bytes.

// A member is one key of an object and its value's own bytes.
type member struct {
	key   string
	value json.RawMessage
}

var errNotObject = errors.New("not a JSON object")

// members splits an object, keeping order and every value's bytes.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotObject
	}
	var ms []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		ms = append(ms, member{key.(string), value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	return ms, nil
}

// object is the inverse of members.
func object(ms []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range ms {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendQuoted(out, m.key)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// replaced is the object with one member's value replaced, or added at the end.
func replaced(raw json.RawMessage, key string, value json.RawMessage) (json.RawMessage, error) {
	ms, err := members(raw)
	if err != nil {
		return nil, err
	}
	for i := range ms {
		if ms[i].key == key {
			ms[i].value = value
			return object(ms), nil
		}
	}
	return object(append(ms, member{key, value})), nil
}

// appendQuoted appends s as a JSON string. Bytes that are no UTF-8 and NUL,
// which the API refuses, become U+FFFD; <, > and & stay as they are.
func appendQuoted(dst []byte, s string) []byte {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	w := bytes.NewBuffer(dst)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes, a bytes.Buffer always takes it
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}

func quoted(s string) json.RawMessage { return appendQuoted(nil, s) }
