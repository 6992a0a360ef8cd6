package rehearse

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions here take JSON apart that was already found valid. A request
// is read at six levels, and encoding/json would check all of it at each.

// members splits an object. Of two equal keys the last counts.
func members(raw []byte) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	var key string
	elements(raw, func(item []byte, isKey bool) {
		if isKey {
			key = unquote(item)
			return
		}
		m[key] = item
	})
	return m
}

// listed splits a list.
func listed(raw []byte) []json.RawMessage {
	list := []json.RawMessage{}
	elements(raw, func(item []byte, _ bool) { list = append(list, item) })
	return list
}

// elements calls each on the keys and values of an object or list.
func elements(raw []byte, each func(item []byte, isKey bool)) {
	depth, begin := 0, -1
	take := func(end int, isKey bool) {
		if begin >= 0 {
			each(bytes.TrimRight(raw[begin:end], " \t\r\n"), isKey)
		}
		begin = -1
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[':
			if depth++; depth == 1 {
				continue
			}
		case '}', ']':
			if depth--; depth == 0 {
				take(i, false)
				return
			}
		case ',', ':':
			if depth == 1 {
				take(i, c == ':')
				continue
			}
		case '"':
			if depth == 1 && begin < 0 {
				begin = i
			}
			i = closing(raw, i)
			continue
		}
		if begin < 0 {
			begin = i
		}
	}
}

// closing is the index of the quote that ends the string beginning at i.
func closing(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// unquote is what a JSON string says.
func unquote(quoted []byte) string {
	s := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		next := bytes.IndexByte(s, '\\')
		if next < 0 {
			out = append(out, s...)
			break
		}
		out = append(out, s[:next]...)
		var r rune
		r, s = unescape(s[next+1:])
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// unescape reads one escape, without its backslash, and what follows it.
func unescape(s []byte) (rune, []byte) {
	switch c := s[0]; c {
	case 'b':
		return '\b', s[1:]
	case 'f':
		return '\f', s[1:]
	case 'n':
		return '\n', s[1:]
	case 'r':
		return '\r', s[1:]
	case 't':
		return '\t', s[1:]
	case 'u':
		r := unit(s[1:5])
		if utf16.IsSurrogate(r) && len(s) >= 11 {
			return utf16.DecodeRune(r, unit(s[7:11])), s[11:]
		}
		return r, s[5:]
	default:
		return rune(c), s[1:]
	}
}

func unit(hex []byte) rune {
	n, _ := strconv.ParseUint(string(hex), 16, 16) // four hex digits
	return rune(n)
}
