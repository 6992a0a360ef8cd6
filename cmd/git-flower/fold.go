package main

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// leastRoom is how narrow a column of folded words may be. Where there is less,
// the terminal breaks the lines itself.
const leastRoom = 20

// fold breaks clean text between words, so that behind indent columns it fits the
// terminal; the lines that follow are indented as far. A word is never broken. Where
// there is no terminal only the text's own line breaks are indented.
func (l look) fold(text string, indent int) string {
	lines := strings.Split(text, "\n")
	if room := l.columns - indent; room >= leastRoom {
		var folded []string
		for _, line := range lines {
			folded = append(folded, foldLine(line, room)...)
		}
		lines = folded
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

// foldLine breaks one line into lines of at most room columns, a longer word aside.
func foldLine(line string, room int) []string {
	var lines []string
	at, width := "", 0
	for _, atom := range atoms(line) {
		if width+displaywidth.String(strings.TrimRight(atom, " ")) > room && strings.TrimSpace(at) != "" {
			lines = append(lines, strings.TrimRight(at, " "))
			at, width = "", 0
		}
		at += atom
		width += displaywidth.String(atom)
	}
	return append(lines, strings.TrimRight(at, " "))
}

// atoms are the parts between which a line may break: behind blanks, and before and
// behind Chinese and Japanese letters, which no blanks part. Their punctuation stays
// with the letter before it.
func atoms(line string) []string {
	var parts []string
	begin, last := 0, ' '
	for i, r := range line {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if i > begin && (last == ' ' && r != ' ' || ideographic(r) || letter && ideographic(last)) {
			parts = append(parts, line[begin:i])
			begin = i
		}
		last = r
	}
	return append(parts, line[begin:])
}

func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
