package document

import (
	"strings"
	"unicode/utf8"
)

// Clean makes text fit for a record: plain lines that print as they read. Line
// ends become "\n"; bad UTF-8 becomes U+FFFD; whole terminal sequences, control
// characters other than tab and newline, overrides of the writing direction,
// byte order marks and invisible tag characters go; so do blanks at the ends of
// lines and blank lines at both ends of the text. Clean of cleaned text is the
// same text.
func Clean(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		if n := escapeSequence(text); n > 0 {
			text = text[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == '\r' && strings.HasPrefix(text, "\r\n"):
		case r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			b.WriteByte('\n')
		case !unfit(r):
			b.WriteRune(r)
		}
		text = text[n:]
	}
	return trimLines(b.String())
}

// OneLine is Clean with every run of blanks and newlines made one blank.
func OneLine(text string) string {
	return strings.Join(strings.Fields(Clean(text)), " ")
}

func unfit(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidi
		return true
	case r == 0xfeff, r >= 0xfff9 && r <= 0xfffb: // byte order mark, annotations
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f // tags: words only a model would see
}

// escapeSequence returns the length of the terminal sequence that text begins
// with, 0 for none. One that is never ended is only its introducer, so that the
// rest of the text is not lost.
func escapeSequence(text string) int {
	intro := introducer(text)
	if intro == 0 {
		return 0
	}
	kind := text[intro-1]
	switch {
	case kind == '[' || kind == 0x9b:
		return intro + parameters(text[intro:])
	case strings.IndexByte("]PX^_\x9d\x90\x98\x9e\x9f", kind) >= 0:
		return intro + untilStop(text[intro:])
	}
	return intro
}

// introducer returns the length of "ESC x", with what may stand between the two,
// or of a C1 control in UTF-8.
func introducer(text string) int {
	switch {
	case c1(text):
		return 2
	case text[0] != 0x1b:
		return 0
	}
	i := 1
	for i < len(text) && text[i] >= 0x20 && text[i] < 0x30 {
		i++
	}
	if i < len(text) && text[i] >= 0x30 && text[i] < 0x7f {
		return i + 1
	}
	return 0
}

// c1 reports whether text begins with a C1 control, except the line end NEL.
func c1(text string) bool {
	return len(text) >= 2 && text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0 && text[1] != 0x85
}

// parameters returns the length of a control sequence's parameters and its
// final byte.
func parameters(text string) int {
	i := 0
	for i < len(text) && text[i] >= 0x20 && text[i] < 0x40 {
		i++
	}
	if i < len(text) && text[i] >= 0x40 && text[i] < 0x7f {
		return i + 1
	}
	return 0
}

// untilStop returns the length of a control string with its end, BEL or ST. A
// newline or the beginning of another sequence means that it never ends.
func untilStop(text string) int {
	for i := range len(text) {
		switch {
		case text[i] == 0x07:
			return i + 1
		case strings.HasPrefix(text[i:], "\x1b\\"), strings.HasPrefix(text[i:], "\u009c"):
			return i + 2
		case text[i] == '\n', text[i] == 0x1b, c1(text[i:]):
			return 0
		}
	}
	return 0
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, blanks)
	}
	return strings.Join(trimBlank(lines), "\n")
}

// blanks are what may stand at the end of a line without being seen.
const blanks = " \t\u00a0\u3000\u200b"

// trimBlank drops empty lines at both ends.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
