package engine

import (
	"context"
	"errors"
	"time"

	"git-flower/gitstate"
)

// heartbeat is how often a question that waits says so: often enough for
// somebody who comes back to the screen to see that it is not hung.
const heartbeat = 5 * time.Minute

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
	ask := Event{Kind: EventAsk, Step: asked.Meta.Step, Role: q.From, ID: q.Name, Text: q.Text, Options: q.Options, Wait: e.c.Timeout.Seconds()}
	e.emit(ask)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.beat(ctx, ask)
	}()
	said := make(chan struct{})
	go func() {
		defer close(said)
		words, err = e.deps.Human.Ask(ctx, q)
	}()
	e.untilSaid(off, said, cancel)
	<-said
	elsewhere = err != nil && errors.Is(context.Cause(ctx), errElsewhere)
	cancel(nil)
	<-ended
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

// beat says every five minutes how long the question still waits.
func (e *Engine) beat(ctx context.Context, ask Event) {
	if e.c.Timeout <= heartbeat {
		return
	}
	end := e.deps.Clock.Now().Add(e.c.Timeout)
	for e.deps.Clock.Wait(ctx, heartbeat) == nil {
		left := end.Sub(e.deps.Clock.Now())
		if left <= 0 {
			return
		}
		e.emit(Event{Kind: EventHeartbeat, Step: ask.Step, Role: ask.Role, ID: ask.ID, Text: line(ask.Text, 80), Wait: left.Seconds()})
	}
}
