package plugin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of texts.
const (
	maxName        = 64       // letters of a name, as the Agent Skills standard has it
	maxDescription = 1024     // characters, likewise
	maxText        = 64 << 10 // bytes of a file of text
)

const bom = "\ufeff"

// wrongIdentifier says why a text is no name of a pack, a skill or an agent.
func wrongIdentifier(name string) string {
	switch {
	case name == "":
		return "is missing"
	case len(name) > maxName:
		return fmt.Sprintf("is longer than %d letters", maxName)
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || name[0] == '-' || name[len(name)-1] == '-':
		return fmt.Sprintf("'%s' is not of lower-case letters, digits and '-' between them", printable(name))
	}
	return ""
}

// plain is a text with newlines as its only ends of lines and without a mark at
// its beginning; changed tells whether characters that nobody sees were taken out.
func plain(data []byte) (text string, changed bool, why string) {
	switch {
	case len(data) > maxText:
		return "", false, fmt.Sprintf("it has %d bytes, and a text may have %d", len(data), maxText)
	case !utf8.Valid(data):
		return "", false, "it is not UTF-8"
	}
	text = strings.TrimPrefix(string(data), bom)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	seen := strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || invisible(r) {
			return -1
		}
		return r
	}, text)
	return seen, seen != text, ""
}

// oneLine is a text with single blanks for all space in it.
func oneLine(text string) string { return printable(strings.Join(strings.Fields(text), " ")) }

// cut is the beginning of a text, of limit characters at most.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
