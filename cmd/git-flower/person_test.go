package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"git-flower/engine"
)

// typing is a terminal whose lines the test writes.
func typing(t *testing.T, there presence, timeout time.Duration) (*person, *io.PipeWriter) {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return newPerson(&Env{In: r}, timeout, there, func() []string { return nil }), w
}

// asking puts a question and returns what comes of it. The line is typed until
// the question has it: one that comes before is no answer.
func asking(t *testing.T, p *person, q engine.Question, line string, w io.Writer) (string, error) {
	t.Helper()
	type said struct {
		words string
		err   error
	}
	done := make(chan said, 1)
	go func() {
		words, err := p.Ask(t.Context(), q)
		done <- said{words, err}
	}()
	for {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case s := <-done:
			return s.words, s.err
		case <-p.words:
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestPersonAnswers(t *testing.T) {
	q := engine.Question{Options: []string{"this", "that"}}
	for line, want := range map[string]string{"2": "that", " This. ": "this", "th": "th", "1 and more": "1 and more"} {
		p, w := typing(t, here, time.Minute)
		if got, err := asking(t, p, q, line, w); err != nil || got != want {
			t.Errorf("%q answers %q, %v", line, got, err)
		}
	}
	p, w := typing(t, here, time.Minute)
	if got, err := asking(t, p, q, "", w); !errors.Is(err, engine.ErrNobody) {
		t.Errorf("an empty line answers %q, %v", got, err)
	}
}

// Words that answer nothing are kept; empty lines are nothing.
func TestPersonSpeaksUnasked(t *testing.T) {
	p, w := typing(t, here, time.Minute)
	go func() { _, _ = io.WriteString(w, "\n\n  and quickly \nand well\n") }()
	for _, want := range []string{"and quickly", "and well"} {
		if got := <-p.words; got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}

func TestPersonIsElsewhere(t *testing.T) {
	p, _ := typing(t, elsewhere, time.Minute)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("answered"))
	if _, err := p.Ask(ctx, engine.Question{}); err == nil || err.Error() != "answered" {
		t.Errorf("a question that was called off ends with %v", err)
	}
	for _, there := range []presence{nobody, elsewhere, here} {
		p, _ := typing(t, there, time.Nanosecond)
		if _, err := p.Ask(t.Context(), engine.Question{}); !errors.Is(err, engine.ErrNobody) {
			t.Errorf("presence %d: %v", there, err)
		}
	}
}

func TestPersonLeaves(t *testing.T) {
	p, w := typing(t, here, time.Hour)
	w.Close()
	for range 2 {
		if _, err := p.Ask(t.Context(), engine.Question{}); !errors.Is(err, engine.ErrNobody) {
			t.Errorf("a closed terminal answers with %v", err)
		}
	}
}

func TestPresence(t *testing.T) {
	for _, c := range []struct {
		terminal, json, given bool
		timeout               time.Duration
		want                  presence
	}{
		{true, false, false, time.Minute, here},
		{true, true, false, time.Minute, nobody},
		{true, true, true, time.Minute, elsewhere},
		{false, false, false, time.Minute, nobody},
		{false, false, true, time.Minute, elsewhere},
		{true, false, true, 0, nobody},
		{false, false, true, 0, nobody},
	} {
		e := &Env{InTerminal: c.terminal}
		if got := e.presence(Config{Timeout: c.timeout, Waits: c.given}, c.json); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// A line with one question mark before it is a side question at any time, also
// while a question waits for its answer; with two it is words.
func TestSideQuestions(t *testing.T) {
	p, w := typing(t, here, time.Minute)
	answer := make(chan string)
	go func() {
		words, _ := p.Ask(t.Context(), engine.Question{})
		answer <- words
	}()
	for line, want := range map[string]string{"? how far is it": "how far is it", "?": "", "？多远": "多远"} {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			continue
		}
		select {
		case a := <-p.asides:
			if a.Question != want || !a.Driven {
				t.Errorf("%q asks %+v", line, a)
			}
		case words := <-p.words:
			t.Fatalf("%q is taken for the words %q", line, words)
		case words := <-answer:
			t.Fatalf("%q is taken for the answer %q", line, words)
		}
	}
	for {
		if _, err := io.WriteString(w, "??? she said\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case words := <-p.words: // before the question waits
			if words != "?? she said" {
				t.Fatalf("got %q", words)
			}
			continue
		case words := <-answer:
			if words != "?? she said" {
				t.Fatalf("got %q", words)
			}
		}
		return
	}
}
