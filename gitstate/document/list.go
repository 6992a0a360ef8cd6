package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An item is one entry of a list.
type item struct {
	lines  []string // the first and what continues it, without indentation
	number int      // -1 for none
}

// items reads a section as a list. An item goes on over lines that are indented
// or follow it directly; items below an item belong to it. Lines outside any
// list are items of their own. Placeholders and words for "none" are no items.
func items(body string) []item {
	var list []item
	var open, marked, blank bool // an item is open, has a mark, the line before was blank
	var depth int                // its indentation
	for line := range strings.SplitSeq(body, "\n") {
		if line == "" {
			blank = true
			continue
		}
		m := listMark(line)
		in := indent(line)
		switch {
		case open && in >= depth+2, open && marked && m.size == 0 && !blank:
			last := &list[len(list)-1]
			last.lines = append(last.lines, strings.TrimSpace(line))
		default:
			list = append(list, newItem(strings.TrimSpace(line[m.size:]), m))
			open, marked, depth = true, m.size > 0, in
		}
		blank = false
	}
	return dropEmpty(list)
}

func newItem(text string, m mark) item {
	if m.size == 0 {
		return item{[]string{text}, -1}
	}
	return item{[]string{cutBox(text)}, m.number}
}

// cutBox cuts the boxes of a task list, "[ ]" and "[x]".
func cutBox(text string) string {
	for {
		rest := text
		for _, box := range []string{"[ ]", "[x]", "[X]"} {
			rest = strings.TrimPrefix(rest, box)
		}
		if len(rest) == len(text) {
			return text
		}
		text = strings.TrimLeft(rest, " \t")
	}
}

func dropEmpty(list []item) []item {
	kept := list[:0]
	for _, it := range list {
		if text := it.text(); text != "" && !noneWord(text) && !placeholder(text) {
			kept = append(kept, it)
		}
	}
	return kept
}

// text joins the item's lines into one.
func (it item) text() string { return joinWrapped(it.lines) }

// joinWrapped joins wrapped lines with a blank, or with nothing between two
// characters of a script that has no blanks between words.
func joinWrapped(lines []string) string {
	var b strings.Builder
	var last rune
	for _, line := range lines {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(line)
		if b.Len() > 0 && !(unspaced(last) && unspaced(first)) {
			b.WriteByte(' ')
		}
		b.WriteString(line)
		last, _ = utf8.DecodeLastRuneInString(line)
	}
	return b.String()
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || strings.ContainsRune("，。、；：！？）（", r)
}

// noneWord recognises the entry of a list that says there is none.
func noneWord(text string) bool {
	if len(text) > 64 {
		return false
	}
	word := strings.Trim(text, "*_()（）[]【】 .。!！")
	return noneWords[strings.ToLower(word)]
}

var noneWords = map[string]bool{
	"none": true, "n/a": true, "nothing": true, "no failed checks": true, "all passed": true, "-": true, "–": true, "—": true,
	"无": true, "没有": true, "暂无": true, "空": true, "全部通过": true, "": true,
}
