package document

import (
	"strconv"
	"strings"
)

// MatchOption finds the option that a person chose: by its whole text, by its
// id (the one word before the option's first colon), or by its number, counted
// from 1, as "2", "2." or "(2)". Case, blanks, quotes and a full stop do not
// count. Anything else, also the beginning of an option or a sentence about one,
// is an answer in the person's own words and matches nothing.
func MatchOption(answer string, options []string) (index int, ok bool) {
	want := plain(answer)
	if want == "" {
		return 0, false
	}
	for i, option := range options {
		if plain(option) == want {
			return i, true
		}
	}
	if index, ok = matchID(want, options); ok {
		return index, true
	}
	n, err := strconv.ParseUint(strings.Trim(want, "()（）、"), 10, 16)
	if err != nil || n < 1 || n > uint64(len(options)) {
		return 0, false
	}
	return int(n) - 1, true
}

// matchID finds the one option with that id.
func matchID(want string, options []string) (index int, ok bool) {
	for i, option := range options {
		if id := optionID(option); id == "" || plain(id) != want {
			continue
		}
		if ok {
			return 0, false
		}
		index, ok = i, true
	}
	return index, ok
}

func optionID(option string) string {
	i := strings.IndexAny(option, ":：")
	if i < 0 || strings.ContainsAny(strings.TrimSpace(option[:i]), " \t") {
		return ""
	}
	return option[:i]
}

// plain is text without what does not count in comparing words.
func plain(text string) string {
	text = strings.Trim(OneLine(text), "\"'`“”‘’「」*_.。!！ ")
	return strings.ToLower(strings.Map(narrow, text))
}

// narrow makes the digits of an East Asian keyboard plain ones.
func narrow(r rune) rune {
	if '０' <= r && r <= '９' {
		return r - '０' + '0'
	}
	return r
}

// Said reports whether words are one of the earlier remarks, whole: part of a
// remark or of a document is not the remark.
func Said(earlier []string, words string) bool {
	words = OneLine(words)
	for _, e := range earlier {
		if OneLine(e) == words {
			return true
		}
	}
	return false
}

// WithAmendments appends what people said later to the text of a document, each
// remark as one list item, so that no line of it can be read as a section.
func WithAmendments(text string, remarks []string) string {
	var items []string
	for _, remark := range remarks {
		if remark = Clean(remark); remark != "" {
			items = append(items, trimLines(strings.ReplaceAll(remark, "\n", "\n  ")))
		}
	}
	if len(items) == 0 {
		return text
	}
	w := newWriter(grammar{}, nil)
	w.body(bullets(items))
	return strings.TrimRight(text, "\n") + "\n\n## Said later, and counting as much\n\n" + w.String()
}
