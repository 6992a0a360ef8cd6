package guards

import (
	"slices"
	"strings"
)

// openingWords begin the line that opens places for secrets.
const openingWords = "May be read:"

// Opened are the places for secrets that may be read: each is named, letter for
// letter, in a line
//
//	May be read: config/.env, certs/server.key
//
// of the person's own words, or in such a line of the brief when the person's
// words name the path anywhere. A brief is written by a model that reads the
// repository, so it alone opens nothing; and naming a file is not yet leave to
// read it ("do not touch .env").
func Opened(person []string, brief ...string) []string {
	var open []string
	for _, words := range person {
		open = append(open, opening(words)...)
	}
	for _, section := range brief {
		for _, path := range opening(section) {
			if slices.ContainsFunc(person, func(words string) bool { return mentions(words, path) }) {
				open = append(open, path)
			}
		}
	}
	return open
}

// opening are the paths that a text's lines name after the opening words.
func opening(text string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(line, " \t-*>"))
		if len(line) < len(openingWords) || !strings.EqualFold(line[:len(openingWords)], openingWords) {
			continue
		}
		for path := range strings.SplitSeq(line[len(openingWords):], ",") {
			if path = strings.Trim(strings.TrimSpace(path), "`'\"“”"); path != "" && oddForm(path) == "" {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// mentions tells whether a text has a path as a word of its own.
func mentions(text, path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n`'\"“”()<>,;", r)
	}), func(word string) bool {
		return word == path || strings.TrimRight(word, ".:!?") == path
	})
}
