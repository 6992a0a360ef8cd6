package gitstate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Canonical writes what happened in a run without what differs between two runs
// that did the same: costs, times, ids of sessions, machines, wakes, commits and
// tool calls, digests, and the records of kind session and notice, which tell
// how often it was interrupted. Documents stand in the order in which they came
// to be and are named by kind and number: "brief 1". Equal runs print equal bytes.
func (s *Store) Canonical(ctx context.Context, name string, w io.Writer) error {
	r, err := s.Run(ctx, name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	c := newPlainer(r.now().history)
	for _, d := range r.now().history.Docs {
		if told(d.Kind) {
			fmt.Fprint(out, c.document(d)) // bufio keeps the error for Flush
		}
	}
	return out.Flush()
}

// told says whether a canonical history tells of a kind.
func told(k Kind) bool { return k != KindSession && k != KindNotice }

// A plainer puts neutral words in the place of what differs between equal runs.
type plainer struct {
	names map[string]string // of documents: "brief 1"
	words *strings.Replacer // ids that the history itself holds
	forms []form
}

// A form is something that differs between equal runs and is known by its looks.
type form struct {
	looks *regexp.Regexp
	word  string
	least int // characters
}

func newPlainer(h History) plainer {
	c := plainer{names: map[string]string{}, forms: forms()}
	count := map[Kind]int{}
	words := []string{h.ID, "<run>", "/" + h.Name, "/<name>"}
	add := func(value, word string) {
		if len(value) >= 6 { // a shorter one is as likely a word of its own
			words = append(words, value, word)
		}
	}
	for _, d := range h.Docs {
		c.names[d.Name()] = string(d.Kind)
		if told(d.Kind) { // the number of another would tell of interruptions
			count[d.Kind]++
			c.names[d.Name()] += " " + strconv.Itoa(count[d.Kind])
		}
		words = append(words, d.Name(), c.names[d.Name()])
		m := d.Meta
		add(m.Session, "<session>")
		add(m.Machine, "<machine>")
		add(m.Wake, "<wake>")
		add(m.Call, "<call>")
	}
	c.words = strings.NewReplacer(words...)
	return c
}

func (c plainer) document(d Doc) string {
	var b strings.Builder
	b.WriteString(c.names[d.Name()])
	if d.Meta.Step != "" {
		b.WriteString(" step " + d.Meta.Step)
	}
	for _, p := range d.Meta.pairs() {
		if !varies(p.key) {
			b.WriteString(" " + p.key + "=" + c.text(p.value))
		}
	}
	b.WriteString("\n")
	for line := range strings.SplitSeq(d.Body, "\n") {
		if line != "" {
			b.WriteString("    " + c.text(line))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// varies says whether a fact differs between equal runs.
func varies(key string) bool {
	switch key {
	case "step", "label", "session", "machine", "code", "tip", "call", "cost", "wake", "time":
		return true
	}
	return false
}

// forms are object ids and digests, moments, durations, money, temporary paths.
func forms() []form {
	return []form{
		{regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?`), "<moment>", 0},
		{regexp.MustCompile(`\b[0-9a-f]*([0-9][0-9a-f]*[a-f]|[a-f][0-9a-f]*[0-9])[0-9a-f]*\b`), "<id>", 7},
		{regexp.MustCompile(`\b[0-9]+(\.[0-9]+)? ?(ns|µs|us|ms|s|sec|seconds|min|minutes)\b`), "<duration>", 0},
		{regexp.MustCompile(`\$[0-9]+(\.[0-9]+)?|\b[0-9]+(\.[0-9]+)? USD\b`), "<money>", 0},
		{regexp.MustCompile(`(/[^\s/'"` + "`" + `]+)+/(tree|bench|tmp)/[^\s'"` + "`" + `]*`), "<path>", 0},
	}
}

func (c plainer) text(line string) string {
	line = c.words.Replace(line)
	for _, f := range c.forms {
		line = f.looks.ReplaceAllStringFunc(line, func(found string) string {
			if len(found) < f.least {
				return found
			}
			return f.word
		})
	}
	return line
}
