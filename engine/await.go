package engine

import (
	"context"
	"errors"

	"git-flower/gitstate"
)

// errElsewhere calls a question off that was answered in another place, or that
// does not arise any more.
var errElsewhere = errors.New("answered elsewhere")

// await puts a question to the person and waits for words, for the end of the
// time, or for an answer, or a new goal, that others have recorded. One question at a time is
// on the screen, so that it is clear which one a line answers; the others can
// be answered from elsewhere while they wait for their turn.
func (e *Engine) await(ctx context.Context, asked gitstate.Doc, q Question) (words string, elsewhere bool, err error) {
	off := e.calledOff(asked)
	for waiting := true; waiting; {
		change := e.ears.change()
		if off() {
			return "", true, nil
		}
		select {
		case e.ears.turn <- struct{}{}:
			waiting = false
		case <-change:
		case <-ctx.Done():
			return "", false, context.Cause(ctx)
		}
	}
	defer func() { <-e.ears.turn }()
	return e.put(ctx, asked, q, off)
}

// calledOff tells whether a question that is put from now on need not be put any
// more: it is over, or others have said something to it.
func (e *Engine) calledOff(asked gitstate.Doc) func() bool {
	before, _ := madeFrom(e.deps.State.History(), gitstate.KindAnswer, asked.Name())
	return func() bool {
		h := e.deps.State.History()
		newest, _ := madeFrom(h, gitstate.KindAnswer, asked.Name())
		return isOver(h, asked) || newest.Name() != before.Name()
	}
}

// put shows a question and waits.
func (e *Engine) put(ctx context.Context, asked gitstate.Doc, q Question, off func() bool) (words string, elsewhere bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	ask := Event{Kind: EventAsk, Step: asked.Meta.Step, Role: q.From, ID: q.Name, Text: q.Text, Options: q.Options, State: silence(asked), Wait: e.c.Timeout.Seconds()}
	e.emit(ask)
	quiet := e.waiting(ctx, Event{Step: ask.Step, Role: ask.Role, ID: ask.ID, Text: ask.Text}, e.c.Timeout)
	said := make(chan struct{})
	go func() {
		defer close(said)
		words, err = e.deps.Human.Ask(ctx, q)
	}()
	e.untilSaid(off, said, cancel)
	<-said
	elsewhere = err != nil && errors.Is(context.Cause(ctx), errElsewhere)
	cancel(nil)
	quiet()
	return words, elsewhere, err
}

// untilSaid calls the question off when nobody waits for its answer any more.
func (e *Engine) untilSaid(off func() bool, said <-chan struct{}, cancel context.CancelCauseFunc) {
	for {
		change := e.ears.change()
		if off() {
			cancel(errElsewhere)
			return
		}
		select {
		case <-said:
			return
		case <-change:
		}
	}
}
