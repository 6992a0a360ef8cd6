package gitstate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"git-flower/gitstate/document"
)

// Sizes, in bytes unless said otherwise.
const (
	// MaxBody is the longest body of a document. Append cuts a longer one and
	// says so in its last line: what is longer belongs on the bench, with a pointer.
	MaxBody = 64 << 10
	// MaxFile is the longest file of a record's Files.
	MaxFile = 1 << 20

	maxMessageBody = 16 << 10 // of a body in a commit message
	maxSubject     = 72       // columns, with the kind
	maxValue       = 8 << 10  // of one fact
)

// cleanLine makes one clean line of any text. Cleaning the line again changes
// nothing: what joining the words lays bare at the end is cleaned as well.
func cleanLine(text string) string {
	for {
		line := document.OneLine(text)
		if line == text {
			return line
		}
		text = line
	}
}

// cutText shortens text to at most limit bytes, at the end of a line unless that
// would lose more than half of what fits, else between two characters.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if line := strings.LastIndexByte(text[:end], '\n'); line > limit/2 {
		end = line
	}
	return document.Clean(text[:end])
}

// cutColumns shortens a line to at most limit columns and marks the cut.
func cutColumns(line string, limit int) string {
	columns, fits := 0, 0
	for i, r := range line {
		columns += columnsOf(r)
		if columns <= limit-1 {
			fits = i + utf8.RuneLen(r)
		}
	}
	if columns <= limit {
		return line
	}
	return strings.TrimRight(line[:fits], " ") + "…"
}

// columnsOf is how many columns of a terminal a character takes. The ranges are
// those of Unicode's East Asian Width W and F in coarse blocks: a subject that is
// cut two columns early does no harm.
func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f,
		r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
