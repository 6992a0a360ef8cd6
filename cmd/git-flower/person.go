package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"time"

	"git-flower/engine"
	"git-flower/gitstate/document"
)

// A presence says where a person can be reached while a run is driven.
type presence int

const (
	nobody    presence = iota // every question falls through at once
	elsewhere                 // with 'git flower answer', at another terminal
	here                      // at this terminal, and at others
)

// A person answers from the terminal. Answers from elsewhere are the engine's
// to see; then it calls the question off.
type person struct {
	timeout time.Duration
	there   presence
	lines   <-chan string     // nil: nobody at this terminal
	words   chan string       // said while no question waits
	asides  chan engine.Aside // side questions
}

// newPerson listens to the terminal. One goroutine reads lines for the whole
// life of the process, since a read from a terminal cannot be called off; what
// is typed while no question waits adds to what is wanted, so that it is not
// taken for the answer to a question nobody has seen, and not lost either. A line
// that begins with '?' is a side question at any time; recent tells what happened
// before it.
func newPerson(env *Env, timeout time.Duration, there presence, recent func() []string) *person {
	p := &person{timeout: timeout, there: there, words: make(chan string), asides: make(chan engine.Aside)}
	if there != here {
		return p
	}
	lines := make(chan string)
	p.lines = lines
	go p.read(env.In, lines, recent)
	return p
}

func (p *person) read(in io.Reader, lines chan<- string, recent func() []string) {
	defer close(lines)
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		line = strings.TrimSpace(line)
		if err != nil && line == "" {
			return
		}
		line, aside := asideOf(line)
		if aside && line != "" {
			p.asides <- engine.Aside{Question: line, Recent: recent(), Driven: true}
		}
		if aside {
			continue
		}
		select {
		case lines <- line:
			continue
		default: // no question waits
		}
		if line != "" {
			p.words <- line
		}
	}
}

// leftover is what was typed and has not come to anybody, "" for nothing.
func (p *person) leftover() string {
	select {
	case words := <-p.words:
		return words
	default:
		return ""
	}
}

// asideOf tells a side question from words: it begins with one question mark.
// Two stand for one that is meant, and one alone asks nothing.
func asideOf(line string) (text string, aside bool) {
	for _, mark := range []string{"?", "\uff1f"} { // the second is of Chinese and Japanese keyboards
		rest, ok := strings.CutPrefix(line, mark)
		if !ok {
			continue
		}
		if strings.HasPrefix(rest, mark) {
			return rest, false
		}
		return strings.TrimSpace(rest), true
	}
	return line, false
}

// Ask waits for a line. An empty one skips the question; a closed terminal
// means that nobody is at it any more.
func (p *person) Ask(ctx context.Context, q engine.Question) (string, error) {
	if p.there == nobody {
		return "", engine.ErrNobody
	}
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.lines, p.there = nil, nobody
		}
		if line == "" {
			return "", engine.ErrNobody
		}
		if i, chosen := document.MatchOption(line, q.Options); chosen {
			return q.Options[i], nil
		}
		return line, nil
	case <-timer.C:
		return "", engine.ErrNobody
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
