package gitstate

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"git-flower/gitstate/document"
)

// formatVersion is the version of the format on the page.
const formatVersion = 1

// A message is a record's commit message, taken apart.
type message struct {
	Kind    Kind
	Subject string
	Body    string // as far as the message holds it
	Run     string
	Meta    Meta
}

// newMessage returns the message that repeats a document.
func newMessage(run, subject string, d Doc) message {
	m := message{Kind: d.Kind, Run: run, Meta: d.Meta, Body: d.Body}
	if m.Subject = cleanLine(subject); m.Subject == "" {
		m.Subject = firstLine(d.Body)
	}
	m.Subject = cutColumns(m.Subject, maxSubject-len(d.Kind)-len(": "))
	if len(d.Body) > maxMessageBody {
		m.Body = cutText(d.Body, maxMessageBody) + "\n\n" + pointer(d)
	}
	return m
}

func pointer(d Doc) string {
	return "[cut: the whole is " + d.Name() + " in this commit's tree, see git show]"
}

func firstLine(body string) string {
	line, _, _ := strings.Cut(body, "\n")
	if line = cleanLine(line); line == "" {
		return "(no words)"
	}
	return line
}

// repeats says whether the message repeats the document.
func (m message) repeats(d Doc) bool {
	want := newMessage(m.Run, m.Subject, d)
	return string(m.print()) == string(want.print())
}

// print returns the message as it stands in the commit.
func (m message) print() []byte {
	var b strings.Builder
	b.Grow(len(m.Body) + len(m.Body)/16 + 512)
	b.WriteString(string(m.Kind) + ": " + m.Subject + "\n\n")
	if m.Body != "" {
		for line := range strings.SplitSeq(m.Body, "\n") {
			if line != "" {
				b.WriteString("    ")
			}
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	trailer := func(key, value string) { b.WriteString(trailerName(key) + ": " + value + "\n") }
	trailer("run", m.Run)
	trailer("kind", string(m.Kind))
	for _, p := range m.Meta.pairs() {
		trailer(p.key, p.value)
	}
	trailer("format", strconv.Itoa(formatVersion))
	return []byte(b.String())
}

// parseMessage reads a record's message strictly: what is not in its one
// encoding is an error.
func parseMessage(raw []byte) (message, error) {
	m, err := scanMessage(raw)
	if err == nil {
		err = m.Meta.check()
	}
	if err == nil {
		err = m.check()
	}
	if err == nil && !bytes.Equal(m.print(), raw) {
		err = fmt.Errorf("the message is %w", errEncoding)
	}
	return m, err
}

// scanMessage reads a record's message without looking at its encoding. A newer
// format is ErrFormat, whatever else the message holds.
func scanMessage(raw []byte) (message, error) {
	m, body, err := scanHead(raw)
	m.Body = unindent(string(body))
	return m, err
}

// scanHead reads all but the body, which it returns as it stands.
func scanHead(raw []byte) (m message, body []byte, err error) {
	head, block := splitTrailers(raw)
	if m, err = parseTrailers(string(block)); err != nil {
		return m, nil, err
	}
	subject, body, _ := bytes.Cut(head, []byte("\n\n"))
	kind, rest, _ := strings.Cut(string(subject), ": ")
	if kind != string(m.Kind) {
		return m, nil, fmt.Errorf("subject '%.80s' does not begin with the kind '%.80s'", subject, m.Kind)
	}
	if m.Subject = rest; !isRunID(m.Run) {
		return m, nil, fmt.Errorf("run id '%.80s' is not 16 hex digits", m.Run)
	}
	return m, body, nil
}

// check says what is wrong with kind, subject or body.
func (m message) check() error {
	switch {
	case !isKind(m.Kind):
		return fmt.Errorf("'%.80s' is not a kind", string(m.Kind))
	case m.Subject == "" || m.Subject != cutColumns(cleanLine(m.Subject), maxSubject-len(m.Kind)-len(": ")):
		return errors.New("the subject is not one clean short line")
	case m.Body != document.Clean(m.Body):
		return errors.New("the body is not clean")
	}
	return nil
}

// splitTrailers cuts a message before its last paragraph.
func splitTrailers(text []byte) (head, block []byte) {
	if i := bytes.LastIndex(text, []byte("\n\n")); i >= 0 {
		return text[:i], text[i+2:]
	}
	return text, nil
}

func parseTrailers(block string) (message, error) {
	var m message
	if err := checkFormat(block); err != nil {
		return m, err
	}
	for line := range strings.Lines(block) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			return m, fmt.Errorf("'%.80s' is not a trailer", line)
		}
		var err error
		switch key := trailerKey(name); key {
		case "run":
			m.Run = value
		case "kind":
			m.Kind = Kind(value)
		case "format":
		default:
			err = m.Meta.set(pair{key, value})
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// checkFormat looks at the format before anything else: what else a newer one
// means is not known here.
func checkFormat(block string) error {
	rest, found := strings.CutPrefix(block, "Flower-Format: ")
	if !found {
		_, rest, found = strings.Cut(block, "\nFlower-Format: ")
	}
	format, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(format)
	switch {
	case !found:
		return errors.New("no trailer Flower-Format, so this is not a record")
	case err != nil || n < 1:
		return fmt.Errorf("format '%.80s' is not a number", format)
	case n > formatVersion:
		return fmt.Errorf("format %d: %w", n, ErrFormat)
	}
	return nil
}

func unindent(body string) string {
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "    ")
	}
	return strings.Join(lines, "\n")
}
