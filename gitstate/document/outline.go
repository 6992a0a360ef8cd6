package document

import "strings"

// A section is what stands below one heading.
type section struct {
	key    int
	lines  []string
	fenced bool // a fenced block was left out of it
}

// An outline is a text cut into its sections.
type outline struct {
	sections []section
	cut      bool // a fence was never closed, what follows it is lost
}

// read cuts a text into sections. Text that is not cleaned is cleaned first.
func (g grammar) read(text string) outline {
	lines := strings.Split(Clean(text), "\n")
	o := g.scan(lines, false)
	if g.numbers && len(o.sections) == 0 {
		o = g.scan(lines, true)
	}
	return o
}

func (g grammar) scan(lines []string, numbers bool) outline {
	var o outline
	var last *section // the open one, nil before the first heading
	s := scanner{grammar: g, numbers: numbers}
	for _, line := range lines {
		kind, h := s.look(line)
		s.step(line, kind)
		if kind == headingLine {
			o.sections = append(o.sections, section{key: h.section, lines: []string{h.body}})
			last = &o.sections[len(o.sections)-1]
			continue
		}
		if last == nil {
			continue
		}
		switch kind {
		case fenceLine:
			last.fenced = true
			last.lines = append(last.lines, "")
		case ruleLine:
			last.lines = append(last.lines, "")
		default:
			last.lines = append(last.lines, line)
		}
	}
	o.cut = s.fence != ""
	return o
}

// first returns the first body of a section that is not empty.
func (o outline) first(key int) string {
	for _, s := range o.sections {
		if s.key == key {
			if body := s.body(); body != "" {
				return body
			}
		}
	}
	return ""
}

// body joins a section's lines: no blank lines at its ends, never two together.
// A placeholder is nothing.
func (s section) body() string {
	body := tidy(s.lines)
	if placeholder(body) {
		return ""
	}
	return body
}

func tidy(lines []string) string {
	var kept []string
	for _, line := range trimBlank(lines) {
		if line != "" || kept[len(kept)-1] != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// placeholder recognises what is written where nothing is known: "(empty)".
// Words such as "none" are no placeholders, they say something.
func placeholder(body string) bool {
	if len(body) > 64 {
		return false
	}
	word := strings.Trim(body[listMark(body).size:], "*_ ")
	for _, pair := range []string{"()", "（）", "[]"} {
		runes := []rune(pair)
		inner, opened := strings.CutPrefix(word, string(runes[0]))
		inner, closed := strings.CutSuffix(inner, string(runes[1]))
		if opened && closed {
			return placeholders[strings.ToLower(strings.TrimSpace(inner))]
		}
	}
	return false
}

var placeholders = map[string]bool{
	"empty": true, "not filled in": true, "to be filled in": true, "to fill in": true,
	"空": true, "未填": true, "未填写": true, "待填": true, "待填写": true,
}
