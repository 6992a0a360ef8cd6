package document

import (
	"slices"
	"strings"
)

// A name is one accepted heading of a section.
type name struct {
	text    string // as accepted; ASCII letters in lower case
	section int
}

// A grammar knows the headings of one sort of document.
type grammar struct {
	names []name // longest first, so that a long name is not eaten by its beginning
	// numbers says that in a document without one marked heading a number is
	// mark enough.
	numbers bool
}

// newGrammar takes the accepted names of each section, separated by "|".
func newGrammar(numbers bool, sections ...string) grammar {
	g := grammar{numbers: numbers}
	for i, accepted := range sections {
		for text := range strings.SplitSeq(accepted, "|") {
			g.names = append(g.names, name{strings.ToLower(text), i})
		}
	}
	slices.SortStableFunc(g.names, func(a, b name) int { return len(b.text) - len(a.text) })
	return g
}

// A heading is a line that was recognised as one.
type heading struct {
	section  int
	body     string // what follows the colon
	number   int    // before the name and not behind # or bold; -1 for none
	unmarked bool   // nothing but the number marks it
}

// heading recognises a line, without regard to the lines around it.
func (g grammar) heading(line string) (heading, bool) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return heading{}, false // indented code
	}
	h := heading{number: -1}
	rest, hashes := cutHashes(rest)
	rest, bold := cutBold(rest)
	marked := hashes || bold != ""
	if n, after, ok := cutNumber(rest); ok {
		rest = after
		if !marked {
			h.number = n
		}
	}
	if bold == "" {
		rest, bold = cutBold(rest)
		marked = marked || bold != ""
	}
	for _, n := range g.names {
		if after, ok := cutFold(rest, n.text); ok && h.finish(after, bold, hashes, marked) {
			h.section = n.section
			return h, true
		}
	}
	return heading{}, false
}

// finish reads what follows the name: nothing, or a colon and body.
func (h *heading) finish(rest, bold string, hashes, marked bool) bool {
	rest = strings.TrimLeft(rest, " ")
	closed := bold != "" && strings.HasPrefix(rest, bold)
	if closed {
		rest = strings.TrimLeft(rest[len(bold):], " ")
	}
	if hashes && strings.Trim(rest, "# ") == "" {
		rest = ""
	}
	body, colon := cutColon(rest)
	switch {
	case !colon && rest != "":
		return false
	case !colon:
		h.unmarked = !marked && h.number >= 0
		return marked || h.number >= 0
	}
	h.body = strings.TrimSpace(body)
	if bold != "" && !closed {
		if after, ok := strings.CutPrefix(h.body, bold); ok {
			h.body = after
		} else {
			h.body = strings.TrimSuffix(h.body, bold)
		}
		h.body = strings.TrimSpace(h.body)
	}
	return true
}

func cutHashes(s string) (string, bool) {
	rest := strings.TrimLeft(s, "#")
	if n := len(s) - len(rest); n == 0 || n > 6 {
		return s, false
	}
	return strings.TrimLeft(rest, " \t"), true
}

func cutBold(s string) (rest, bold string) {
	for _, mark := range []string{"**", "__"} {
		if after, ok := strings.CutPrefix(s, mark); ok {
			return strings.TrimLeft(after, " "), mark
		}
	}
	return s, ""
}

func cutColon(s string) (string, bool) {
	for _, colon := range []string{":", "："} {
		if after, ok := strings.CutPrefix(s, colon); ok {
			return after, true
		}
	}
	return s, false
}

// numberMarks are what may follow the number of a heading or of a list item.
var numberMarks = []string{".", ")", "、", "）", "．"}

// cutNumber cuts "12." and the blanks behind it.
func cutNumber(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && i < 3 && s[i] >= '0' && s[i] <= '9' {
		n = 10*n + int(s[i]-'0')
		i++
	}
	if i == 0 {
		return 0, s, false
	}
	for _, mark := range numberMarks {
		if after, ok := strings.CutPrefix(s[i:], mark); ok {
			return n, strings.TrimLeft(after, " \t"), true
		}
	}
	return 0, s, false
}

// cutFold cuts prefix, which has no capitals, from s in any case of ASCII letters.
func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) {
		return s, false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return s, false
		}
	}
	return s[len(prefix):], true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
