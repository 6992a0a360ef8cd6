package document

import "strings"

// A writer prints sections so that they are read back as they are.
type writer struct {
	grammar grammar
	titles  []string
	b       strings.Builder
}

func newWriter(g grammar, titles []string) *writer { return &writer{grammar: g, titles: titles} }

// section prints one section, nothing if it is empty.
func (w *writer) section(key int, body string) {
	body = tidy(strings.Split(Clean(body), "\n"))
	if body == "" || placeholder(body) {
		return
	}
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString("## " + w.titles[key] + "\n\n")
	w.body(body)
}

// body prints the lines of a section, with a backslash before what the grammar
// would not read as body.
func (w *writer) body(body string) {
	s := scanner{grammar: w.grammar, headings: 1}
	for line := range strings.SplitSeq(body, "\n") {
		kind, _ := s.look(line)
		if kind == headingLine || kind == fenceLine || kind == ruleLine {
			line = escape(line)
			kind, _ = s.look(line)
		}
		s.step(line, kind)
		w.b.WriteString(line + "\n")
	}
}

// escape puts a backslash before the first sign of a line or of its list item.
func escape(line string) string {
	at := len(line) - len(strings.TrimLeft(line, " \t"))
	if openingFence(line) != "" || rule(line) {
		if m := listMark(line); m.size < len(line) {
			at = max(at, m.size)
		}
	}
	return line[:at] + `\` + line[at:]
}

func (w *writer) String() string { return w.b.String() }

// missing returns the titles of the sections that are empty.
func missing(titles []string, bodies ...string) []string {
	var names []string
	for i, body := range bodies {
		if strings.TrimSpace(body) == "" {
			names = append(names, titles[i])
		}
	}
	return names
}

// bullets prints a list of single lines.
func bullets(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + text)
	}
	return b.String()
}
