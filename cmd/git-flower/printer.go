package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"git-flower/engine"
)

// eventQueue is how many events may wait for a slow terminal or disk before
// some are lost; a long run makes a few each second.
const eventQueue = 4096

// openEvents opens the run's events file, to which every wake appends.
func openEvents(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "events"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the events file: %w", err)
	}
	return file, nil
}

// events sends the engine's events into the run's events file, and to the
// screen as lines or as JSON.
func (w *wake) events(file io.Writer, l look) *engine.Stream {
	stream := &engine.Stream{}
	stream.Subscribe(eventQueue, func(ev engine.Event) { writeEvent(file, ev) })
	if w.json {
		stream.Subscribe(eventQueue, func(ev engine.Event) { writeEvent(w.env.Out, ev) })
		return stream
	}
	p := &printer{out: w.env.Out, look: l, person: w.person}
	stream.Subscribe(eventQueue, p.print)
	return stream
}

// writeEvent writes one JSON line. Events are for eyes: one that cannot be
// written is lost.
func writeEvent(out io.Writer, ev engine.Event) { _ = jsonLine(out, ev) }

// A printer shows a run as plain lines: who, a mark, what.
type printer struct {
	out    io.Writer
	look   look
	person presence // for the words under a question
	who    string
	open   *engine.Event // the question on the screen
}

func (p *printer) print(ev engine.Event) {
	switch ev.Kind {
	case engine.EventStep:
		p.bar(ev)
	case engine.EventText:
		p.prose(ev)
	case engine.EventCall:
		if !told(ev.Tool) {
			p.line(who(ev), "", "* "+ev.Tool+" "+ev.Text)
		}
	case engine.EventResult:
		if ev.State != "" {
			p.line(who(ev), bad, "x "+ev.State+": "+outcome(ev.Text))
		}
	case engine.EventAsk:
		p.question(ev)
	case engine.EventAnswer:
		p.answer(ev)
	case engine.EventHeartbeat:
		p.line(waiter(ev), asks, "~ "+heartbeatWords(ev))
	case engine.EventAmendment:
		p.line("person", good, "+ "+delivery(ev)+": "+firstLine(ev.Text))
	case engine.EventRetry:
		p.line(who(ev), asks, "~ "+retryWords(ev))
	case engine.EventCheck:
		p.line("check", checkColour(ev.State), "- "+ev.State+": "+ev.Text)
	case engine.EventRecord:
		p.record(ev)
	case engine.EventAside:
		p.aside(ev)
	case engine.EventEnd:
		p.closePrompt()
	case engine.EventHandoff:
		p.line(who(ev), asks, "~ "+handoffWords(ev))
	case engine.EventBudget, engine.EventNotice:
		p.line(who(ev), asks, "! "+ev.Text)
	}
}

func (p *printer) bar(ev engine.Event) {
	name := ev.Label
	switch {
	case ev.Round > 0 && ev.Role == string(engine.Judge):
		name = fmt.Sprintf("judging round %d", ev.Round)
	case ev.Round > 0:
		name = fmt.Sprintf("%s, round %d", ev.Step, ev.Round)
	}
	fmt.Fprintf(p.out, "\n%s\n", p.look.paint(strong, "== "+oneLine(name)))
}

// prose shows what the main roles say; a worker's own words stay in its report.
func (p *printer) prose(ev engine.Event) {
	if ev.Worker != "" {
		return
	}
	for l := range strings.SplitSeq(strings.TrimSpace(sanitise(ev.Text)), "\n") {
		p.line(who(ev), "", l)
	}
}

func (p *printer) question(ev engine.Event) {
	for i, l := range strings.Split(strings.TrimSpace(sanitise(ev.Text)), "\n") {
		mark := "  "
		if i == 0 {
			mark = "? "
		}
		p.line(ev.Role, asks, mark+l)
	}
	for i, o := range ev.Options {
		p.line(ev.Role, asks, fmt.Sprintf("  %d) %s", i+1, o))
	}
	p.open = &ev
	switch p.person {
	case here:
		fmt.Fprint(p.out, answerPrompt(ev))
	case elsewhere:
		p.line(ev.Role, faint, fmt.Sprintf("  git flower answer %s '<words>'", number(ev.ID)))
	}
}

// closePrompt ends the line on which the person would have typed, if it is open.
func (p *printer) closePrompt() {
	if p.open != nil && p.person == here {
		fmt.Fprintln(p.out)
	}
	p.open = nil
}

func (p *printer) answer(ev engine.Event) {
	p.closePrompt()
	if ev.State == engine.Unanswered {
		p.line("person", asks, "! "+ev.Text)
		return
	}
	p.line("person", good, "+ "+firstLine(ev.Text))
}

// aside shows that a side question is under way, or came to nothing. The answer
// itself has been on the screen as the oracle's words, the question where it was
// typed. A question that waits meanwhile is put again.
func (p *printer) aside(ev engine.Event) {
	switch {
	case ev.State == "asked" && p.person != here:
		p.line("person", good, "? "+firstLine(ev.Text))
	case ev.State == "not answered":
		p.line(who(ev), bad, "x not answered: "+firstLine(ev.Text))
	}
	if ev.State != "asked" && p.open != nil && p.person == here {
		fmt.Fprint(p.out, answerPrompt(*p.open))
	}
}

func (p *printer) record(ev engine.Event) {
	if !shown(ev.Record) || ev.State == engine.AsideState {
		return
	}
	id := ev.ID
	if len(id) > 12 {
		id = id[:12]
	}
	room := p.look.room(speaker) - 14 // two blanks and the id
	text := pad(cut("# "+ev.Record+": "+oneLine(ev.Text), room), min(room, 60))
	p.line("", colourOf(ev.State), text+"  "+p.look.paint(faint, id))
}

// speaker is how wide the first column is, with the blank behind it.
const speaker = 12

// line prints one line; the first column is left out while the speaker stays.
func (p *printer) line(who, colour, text string) {
	column := who
	if who == p.who {
		column = ""
	}
	p.who = who
	text = strings.ReplaceAll(sanitise(text), "\n", " ")
	if strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "x ") {
		text = cut(text, p.look.room(speaker))
	}
	dressed := p.look.paint(faint, pad(cut(column, speaker-1), speaker-1)) + " " + p.look.paint(colour, p.hang(text))
	fmt.Fprintln(p.out, strings.TrimRight(dressed, " "))
}

// hang folds a line behind the first column, and behind its mark where it has one.
func (p *printer) hang(text string) string {
	if len(text) > 1 && text[1] == ' ' && strings.Contains(" ?+~!-x*#", text[:1]) {
		return text[:2] + p.look.fold(text[2:], speaker+2)
	}
	return p.look.fold(text, speaker)
}
