package main

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// sanitise returns text that is safe to show on a terminal: valid UTF-8 without
// escape sequences, control characters (but newline and tab), and the invisible
// marks that reorder or hide what is read. Text of models, of repositories and
// of git passes through here before it is printed.
//
// ansi.Strip alone is not enough: it lets C0 and C1 controls pass, and after a
// cut UTF-8 lead byte a whole escape sequence. Joiners (U+200C, U+200D) stay:
// Persian, Hindi and emoji need them.
func sanitise(text string) string {
	return strings.Map(visible, ansi.Strip(strings.ToValidUTF8(text, "\uFFFD")))
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

// oneLine is sanitise for a place in a line.
func oneLine(text string) string {
	return strings.Join(strings.Fields(sanitise(text)), " ")
}
