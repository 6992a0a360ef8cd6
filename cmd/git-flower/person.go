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

// A person answers from the terminal. Where there is none, or with a time-out
// of zero, nobody is there: every question falls through at once.
type person struct {
	timeout time.Duration
	lines   <-chan string // nil: nobody
}

// newPerson listens to the terminal. One goroutine reads lines for the whole
// life of the process, since a read from a terminal cannot be called off; what
// is typed while no question waits is dropped, so that it is not taken for the
// answer to a question nobody has seen.
func newPerson(env *Env, timeout time.Duration, there bool) *person {
	p := &person{timeout: timeout}
	if !there {
		return p
	}
	lines := make(chan string)
	p.lines = lines
	go readLines(env.In, lines)
	return p
}

func readLines(in io.Reader, lines chan<- string) {
	defer close(lines)
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		select {
		case lines <- strings.TrimSpace(line):
		default: // no question waits
		}
	}
}

// Ask waits for a line. An empty one skips the question; a closed terminal
// means that nobody is there any more.
func (p *person) Ask(ctx context.Context, q engine.Question) (string, error) {
	if p.lines == nil {
		return "", engine.ErrNobody
	}
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.lines = nil
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
