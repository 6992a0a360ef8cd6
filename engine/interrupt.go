package engine

import (
	"context"
	"errors"
	"sync"

	"git-flower/engine/harness"
)

// An interruption is a person's wish to say something now. It stops the
// coordinator at the next clean boundary; workers go on.
type interruption struct {
	mu      sync.Mutex
	main    *talk  // the coordinator's session while it is at work
	rest    func() // ends its waiting between two turns; nil during one
	pending bool
	held    bool // the coordinator writes its handoff, which is not cut off for words
}

// Interrupt stops the coordinator's turn, takes the person's words and goes on
// in the same session. False: no coordinator is at work, or it has been
// interrupted and has not gone on yet. It may be called from any goroutine.
func (e *Engine) Interrupt(ctx context.Context) bool {
	e.interruption.mu.Lock()
	defer e.interruption.mu.Unlock()
	if e.interruption.main == nil || e.interruption.pending {
		return false
	}
	if e.interruption.held {
		e.interruption.pending = true
		return true
	}
	if e.interruption.rest != nil {
		e.interruption.rest()
		e.interruption.pending = true
		return true
	}
	e.interruption.pending = e.interruption.main.s.Interrupt(ctx) == nil
	return e.interruption.pending
}

// between is a context for what the coordinator waits for between two turns. It
// ends with an interruption, also with one that came as the last turn ended.
func (e *Engine) between(ctx context.Context) (waiting context.Context, over func()) {
	waiting, cancel := context.WithCancelCause(ctx)
	rest := func() { cancel(harness.ErrInterrupted) }
	e.interruption.mu.Lock()
	defer e.interruption.mu.Unlock()
	e.interruption.rest = rest
	if e.interruption.pending {
		rest()
	}
	return waiting, func() {
		e.interruption.mu.Lock()
		defer e.interruption.mu.Unlock()
		e.interruption.rest = nil
		cancel(nil)
	}
}

// atHelm notes the session that an interrupt is meant for, nil for none. One that
// came as the turn ended by itself has nothing left to stop.
func (e *Engine) atHelm(t *talk) {
	e.interruption.mu.Lock()
	defer e.interruption.mu.Unlock()
	e.interruption.main, e.interruption.pending, e.interruption.held = t, false, false
}

// interrupted reports whether a turn of this session was ended by the person.
func (t *talk) interrupted() bool {
	t.e.interruption.mu.Lock()
	defer t.e.interruption.mu.Unlock()
	return t.e.interruption.main == t && t.e.interruption.pending && !t.e.interruption.held
}

// hold has an interruption wait while the session writes its handoff.
func (t *talk) hold(held bool) {
	t.e.interruption.mu.Lock()
	defer t.e.interruption.mu.Unlock()
	if t.e.interruption.main == t {
		t.e.interruption.held = held
	}
}

// between is a context for what a session waits for between two tries at a turn;
// only the coordinator's ends with an interruption.
func (t *talk) between(ctx context.Context) (waiting context.Context, over func()) {
	t.e.interruption.mu.Lock()
	atHelm := t.e.interruption.main == t
	t.e.interruption.mu.Unlock()
	if !atHelm {
		return ctx, func() {}
	}
	return t.e.between(ctx)
}

// takeWords asks what the person wants to say. The words are recorded and
// queued like any others; then the session goes on with a note of what
// happened, since a model that is told nothing hunts for a fault.
func (t *talk) takeWords(ctx context.Context) (harness.Message, error) {
	q := Question{From: string(t.job.role), Text: "Interrupted; the workers go on. What do you want to say? (Ctrl-C again stops the run)"}
	ev := t.event(EventAsk)
	ev.Text = q.Text
	t.e.emit(ev)
	words, err := t.e.deps.Human.Ask(ctx, q)
	if err != nil && !errors.Is(err, ErrNobody) {
		return harness.Message{}, err
	}
	ev = t.event(EventAnswer)
	ev.Text, ev.State = words, answerGiven
	if err != nil {
		ev.Text, ev.State = "nothing was said; it goes on", Unanswered
	}
	t.e.emit(ev)
	if err == nil {
		t.e.note(ctx, words)
	}
	t.e.interruption.mu.Lock()
	t.e.interruption.pending = false
	t.e.interruption.mu.Unlock()
	text, err := prompt("interrupted", map[string]any{"Words": words})
	return harness.Message{Text: text}, err
}
