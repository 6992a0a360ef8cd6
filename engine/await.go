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

// errElsewhere calls a question off that was answered in another place.
var errElsewhere = errors.New("answered elsewhere")

// await puts a question to the person and waits for words, for the end of the
// time, or for an answer that others have recorded. One question at a time is
// on the screen, so that it is clear which one a line answers; the others can
// be answered from elsewhere while they wait for their turn.
func (e *Engine) await(ctx context.Context, asked gitstate.Doc, q Question) (words string, elsewhere bool, err error) {
	for waiting := true; waiting; {
		change := e.ears.change()
		if _, ok := Answered(e.deps.State.History(), asked); ok {
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
	return e.put(ctx, asked, q)
}

// put shows a question and waits.
func (e *Engine) put(ctx context.Context, asked gitstate.Doc, q Question) (words string, elsewhere bool, err error) {
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
	e.untilSaid(asked, said, cancel)
	<-said
	elsewhere = err != nil && errors.Is(context.Cause(ctx), errElsewhere)
	cancel(nil)
	<-ended
	return words, elsewhere, err
}

// untilSaid calls the question off when others have answered it.
func (e *Engine) untilSaid(asked gitstate.Doc, said <-chan struct{}, cancel context.CancelCauseFunc) {
	for {
		change := e.ears.change()
		if _, ok := Answered(e.deps.State.History(), asked); ok {
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
