package document

import "strings"

// A lineKind is what one line is to the grammar.
type lineKind int

const (
	textLine lineKind = iota
	blankLine
	itemLine    // begins a list item
	headingLine // begins a section
	ruleLine    // a horizontal rule
	fenceLine   // opens, fills or closes a fenced block
)

// A scanner classifies the lines of one text in their order.
type scanner struct {
	grammar grammar
	numbers bool // a number alone marks a heading

	headings int    // seen so far
	fence    string // marks of the open fence, "" outside
	inList   bool   // a list is running
	numbered bool   // and its last outer item had a number
	blank    bool   // the line before was blank
}

// look says what line is; the heading counts only for a headingLine.
func (s *scanner) look(line string) (lineKind, heading) {
	if s.fence != "" || openingFence(line) != "" {
		return fenceLine, heading{}
	}
	switch {
	case strings.TrimSpace(line) == "":
		return blankLine, heading{}
	case rule(line):
		return ruleLine, heading{}
	}
	if !s.inList || indent(line) < 2 {
		if h, ok := s.grammar.heading(line); ok && s.counts(h) {
			return headingLine, h
		}
	}
	if m := listMark(line); m.size > 0 {
		return itemLine, heading{}
	}
	return textLine, heading{}
}

// counts tells a numbered heading from the item of a numbered list.
func (s *scanner) counts(h heading) bool {
	switch {
	case h.number < 0:
		return true
	case h.unmarked && !s.numbers:
		return false
	case s.inList && s.numbered:
		return false
	}
	return h.number != 1 || s.headings == 0
}

// step moves past a line that look called kind.
func (s *scanner) step(line string, kind lineKind) {
	switch kind {
	case fenceLine:
		s.stepFence(line)
	case headingLine:
		s.headings++
		s.inList, s.numbered = false, false
	case ruleLine:
		s.inList, s.numbered = false, false
	case itemLine:
		if indent(line) < 2 || !s.inList {
			s.numbered = listMark(line).number >= 0
		}
		s.inList = true
	case textLine:
		if s.blank && indent(line) < 2 {
			s.inList, s.numbered = false, false
		}
	}
	s.blank = kind == blankLine || kind == fenceLine || kind == ruleLine
}

func (s *scanner) stepFence(line string) {
	if s.fence == "" {
		s.fence = openingFence(line)
		return
	}
	marks := strings.TrimSpace(line)
	if len(marks) >= len(s.fence) && strings.Trim(marks, s.fence[:1]) == "" {
		s.fence = ""
	}
}

// openingFence returns the marks of the fence that line opens, alone or as the
// content of a list item.
func openingFence(line string) string {
	rest := strings.TrimLeft(line[listMark(line).size:], " \t")
	for _, mark := range []string{"`", "~"} {
		info := strings.TrimLeft(rest, mark)
		if n := len(rest) - len(info); n >= 3 && (mark == "~" || !strings.Contains(info, "`")) {
			return rest[:n]
		}
	}
	return ""
}

// rule recognises "---", "* * *" and "___".
func rule(line string) bool {
	marks := strings.TrimSpace(line)
	if len(marks) < 3 || indent(line) > 3 {
		return false
	}
	mark := marks[:1]
	return strings.Contains("-*_", mark) && strings.Trim(marks, mark+" ") == "" && strings.Count(marks, mark) >= 3
}

// A mark is the sign before a list item.
type mark struct {
	size   int // with the blanks around it, 0 for a line that is no item
	number int // -1 for a bullet
}

// listMark reads the mark of a list item. A bullet and a number with "." or ")"
// need a blank or the line's end behind them, or a letter that is not ASCII:
// "3.14" and "-v" begin no list.
func listMark(line string) mark {
	rest := strings.TrimLeft(line, " \t")
	for _, bullet := range []string{"-", "*", "+", "•"} {
		if after, ok := strings.CutPrefix(rest, bullet); ok && (after == "" || after[0] == ' ' || after[0] == '\t') {
			return mark{len(line) - len(strings.TrimLeft(after, " \t")), -1}
		}
	}
	n, after, ok := cutNumber(rest)
	if !ok {
		return mark{}
	}
	before := line[len(line)-len(after)-1]
	if after == "" || before == ' ' || before == '\t' || before >= 0x80 || after[0] >= 0x80 {
		return mark{len(line) - len(after), n}
	}
	return mark{}
}

// indent counts the blanks before a line; a tab is enough for any rule here.
func indent(line string) int {
	rest := strings.TrimLeft(line, " \t")
	before := line[:len(line)-len(rest)]
	return len(before) + 3*strings.Count(before, "\t")
}
