package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi/parser"
)

// sanitise returns text that is safe to show on a terminal: valid UTF-8 without
// escape sequences, control characters (but newline and tab), and the invisible
// marks that reorder or hide what is read. Text of models, of repositories and
// of git passes through here before it is printed.
//
// Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji need them.
func sanitise(text string) string {
	if printable(text) {
		return text
	}
	return strings.Map(visible, withoutSequences(strings.ToValidUTF8(text, "\uFFFD")))
}

// withoutSequences drops escape sequences as a whole. It walks the tables of
// x/ansi, but by runes: ansi.Strip takes bytes, and lets a sequence pass that
// begins inside a character. The package ansi itself is not linked: it brings
// go-runewidth, whose init takes 22 ms at each start.
func withoutSequences(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	var b strings.Builder
	state := parser.GroundState
	for _, r := range text {
		if r >= utf8.RuneSelf {
			if !inString(state) {
				state = parser.GroundState
				b.WriteRune(r)
			}
			continue
		}
		next, action := parser.Table.Transition(state, byte(r))
		if action == parser.PrintAction || action == parser.ExecuteAction {
			b.WriteRune(r)
		}
		state = next
	}
	return b.String()
}

// inString reports whether a sequence is being read that ends only with its
// terminator, such as a window's title.
func inString(state parser.State) bool {
	switch state {
	case parser.OscStringState, parser.DcsStringState, parser.SosStringState, parser.PmStringState, parser.ApcStringState:
		return true
	}
	return false
}

// visible keeps a rune or, with -1, drops it.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case unicode.IsControl(r), hidden(r):
		return -1
	}
	return r
}

// hidden reports bidirectional controls, zero-width marks, line separators
// and tag characters.
func hidden(r rune) bool {
	switch {
	case r == 0x061C, r == 0x180E, r == 0x200B, r == 0x200E, r == 0x200F, r == 0xFEFF,
		r >= 0x2028 && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

// printable reports whether a text is of printable ASCII alone, as nearly all
// ids and subjects are.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// oneLine is sanitise for a place in a line.
func oneLine(text string) string {
	if printable(text) && !strings.Contains(text, "  ") {
		return strings.Trim(text, " ")
	}
	return strings.Join(strings.Fields(sanitise(text)), " ")
}
