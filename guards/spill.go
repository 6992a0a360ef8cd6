package guards

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	spillFrom = 4000 // characters (code points) of a text that goes to the bench
	spillHead = 400  // characters of it that stay
)

// bulky are the tools whose results go to the bench when they are long. Results
// of our own tools never do: reports, answers and verdicts are short by their
// form, and a session decides by them.
var bulky = [...]string{"Bash", "BashOutput", "Read", "Grep", "Glob", "WebFetch", "WebSearch"}

// Spills tells whether a text that a call gave is too long to stay in the context.
// Nothing large gets in by itself; a part of a file that was asked for by its
// lines is a choice, and is shown.
func Spills(c Call, text string) bool {
	return slices.Contains(bulky[:], c.Tool) && len(text) >= spillFrom && utf8.RuneCountInString(text) >= spillFrom && !part(c)
}

// part tells whether a call reads lines that it names.
func part(c Call) bool {
	var fields map[string]json.RawMessage
	if c.Tool != "Read" || json.Unmarshal(c.Input, &fields) != nil {
		return false
	}
	var limit float64
	return json.Unmarshal(fields["limit"], &limit) == nil && limit > 0
}

// Pointer stands in place of a text that a call gave and that was put into a file.
func Pointer(c Call, text, file string) string {
	n, start := 0, len(text)
	for i := range text {
		if n == spillHead {
			start = i
			break
		}
		n++
	}
	begin := strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(strings.ToValidUTF8(text[:start], "\uFFFD"))
	also := ""
	if c.Tool == "Read" {
		also = " Or Read the lines you need, with offset and limit."
	}
	return fmt.Sprintf("[%d characters, kept in '%s': Read that file for the whole, Grep it to search.%s] It begins: %s",
		utf8.RuneCountInString(text), file, also, begin)
}

// pointer is how the text begins that Pointer makes.
var pointer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[([0-9]{1,18}) characters, kept in '([^\n]*?[/\\][0-9a-f]{16}\.txt)': Read that file for the whole, Grep it to search\.`)
})

// ReadPointer reads what Pointer made: how many characters the text had and where
// it is kept. A text that only quotes a pointer further on is none.
func ReadPointer(text string) (characters int, file string, ok bool) {
	m := pointer().FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	characters, err := strconv.Atoi(m[1])
	return characters, m[2], err == nil && characters >= spillFrom
}

// EachText puts f's answer in place of every string field of a tool's result,
// in nested objects too, and keeps the shape: the harness drops an output of
// another shape without a word. Lists are left alone, they may hold pictures.
// A result that is a string itself counts as one field.
func EachText(result json.RawMessage, f func(string) string) json.RawMessage {
	trimmed := bytes.TrimSpace(result)
	if len(trimmed) == 0 {
		return result
	}
	switch trimmed[0] {
	case '"':
		var s string
		if json.Unmarshal(trimmed, &s) != nil {
			return result
		}
		if out := f(s); out != s {
			return encoded(out, result)
		}
	case '{':
		return eachField(trimmed, f)
	}
	return result
}

func eachField(result json.RawMessage, f func(string) string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil {
		return result
	}
	changed := false
	for key, value := range fields {
		out := EachText(value, f)
		changed = changed || !bytes.Equal(out, value)
		fields[key] = out
	}
	if !changed {
		return result
	}
	return encoded(fields, result)
}

// encoded is v as JSON, or what was there before.
func encoded(v any, before json.RawMessage) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		return before
	}
	return out
}

// spillName is what spilled files are named by: the beginning of a SHA-256.
var spillName = regexp.MustCompile(`[0-9a-f]{16}`)

// A Spill is the folder of spilled files.
type Spill struct {
	Dir    string                 // absolute
	Known  func(name string) bool // whether a name of 16 hexadecimal digits is that of a spilled file
	Places Places                 // nil: links are not followed
}

// maxWords is how many words of a command are looked up as paths.
const maxWords = 200

// Reads tells whether a call reads a spilled file, by any form of its path: what
// a model has decided to read must not be spilled again.
func (s Spill) Reads(c Call) bool {
	var input any
	if json.Unmarshal(c.Input, &input) != nil {
		return false
	}
	words := maxWords
	return anyText(input, func(text string) bool {
		if strings.Contains(text, s.Dir) || slices.ContainsFunc(spillName.FindAllString(text, maxWords), s.Known) {
			return true
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`;|&<>()=", r) }) {
			if words--; words < 0 {
				return false
			}
			if s.leads(c.Dir, word) {
				return true
			}
		}
		return false
	})
}

// leads tells whether a word is a path into the folder.
func (s Spill) leads(dir, word string) bool {
	if len(word) > maxPath {
		return false
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	roots := []string{s.Dir}
	if s.Places != nil {
		for _, path := range []*string{&roots[0], &word} {
			if place, err := s.Places.Place(*path); err == nil {
				*path = place.Path
			}
		}
	}
	return within(filepath.Clean(word), roots)
}

// anyText asks about every string in a value, until the answer is yes.
func anyText(v any, f func(string) bool) bool {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		return slices.ContainsFunc(v, func(v any) bool { return anyText(v, f) })
	case map[string]any:
		for _, v := range v {
			if anyText(v, f) {
				return true
			}
		}
	}
	return false
}
