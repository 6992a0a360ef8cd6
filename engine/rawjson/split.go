package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
)

// A Member is one key of an object; Value is a part of the object's own bytes.
type Member struct {
	Key        []byte
	Value      json.RawMessage
	start, end int // of Value, in the object
}

// IsObject says whether raw is a valid JSON object.
func IsObject(raw []byte) bool {
	return json.Valid(raw) && raw[skipSpace(raw, 0)] == '{'
}

// Members yields an object's members in their order; none when object is something else.
func Members(object []byte) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		i := skipSpace(object, 0)
		if i >= len(object) || object[i] != '{' {
			return
		}
		for i = skipSpace(object, i+1); object[i] != '}'; {
			end := skipString(object, i)
			key := object[i+1 : end-1]
			if bytes.IndexByte(key, '\\') >= 0 || !isASCII(key) {
				key = []byte(Text(object[i:end]))
			}
			start := skipSpace(object, skipSpace(object, end)+1) // behind the colon
			i = skipValue(object, start)
			if !yield(Member{key, object[start:i:i], start, i}) {
				return
			}
			i = skipComma(object, i)
		}
	}
}

// Elements splits an array; none when raw is something else.
func Elements(raw []byte) []json.RawMessage {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil
	}
	var all []json.RawMessage
	for i = skipSpace(raw, i+1); raw[i] != ']'; i = skipComma(raw, i) {
		start := i
		i = skipValue(raw, i)
		all = append(all, raw[start:i:i])
	}
	return all
}

// Find finds an object's key; of several the last one counts, as decoders have it.
func Find(object []byte, key string) (found Member, ok bool) {
	for m := range Members(object) {
		if string(m.Key) == key {
			found, ok = m, true
		}
	}
	return found, ok
}

// Value is the value of an object's key; nil without one, and when object is none.
func Value(object []byte, key string) json.RawMessage {
	m, _ := Find(object, key)
	return m.Value
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n') {
		i++
	}
	return i
}

// skipComma is where the next member begins, or the closing bracket stands.
func skipComma(raw []byte, i int) int {
	if i = skipSpace(raw, i); raw[i] == ',' {
		i = skipSpace(raw, i+1)
	}
	return i
}

// skipValue is where the value that begins at i ends.
func skipValue(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		return skipString(raw, i)
	case '{', '[':
		return skipBrackets(raw, i)
	}
	for i < len(raw) && bytes.IndexByte([]byte(" \t\r\n,]}"), raw[i]) < 0 {
		i++
	}
	return i
}

func skipBrackets(raw []byte, i int) int {
	for depth := 0; ; {
		switch raw[i] {
		case '"':
			i = skipString(raw, i)
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

// skipString looks for the first quote that no odd number of backslashes stands before.
func skipString(raw []byte, i int) int {
	for {
		i++
		i += bytes.IndexByte(raw[i:], '"')
		escapes := 0
		for raw[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}
