package engine

import (
	"context"
	"errors"
	"fmt"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// say sends messages and drives the session until its turn ends, over faults
// that pass. A fault that does not pass comes back as a *Pause.
func (t *talk) say(ctx context.Context, messages ...harness.Message) (harness.Ended, error) {
	defer func() { t.e.books.Close(t.row, t.e.deps.Clock.Now()) }()
	defer t.e.ears.attend(func(fresh []gitstate.Doc) { t.hear(ctx, fresh) })()
	if t.owesHandoff() {
		return harness.Ended{}, t.handOver(ctx, nil)
	}
	if past := t.generations(); !t.spoken && twoDegraded(past) && !t.hasStopped(t.e.deps.State.History(), past) {
		return harness.Ended{}, t.giveUp(ctx, past) // a wake was killed before it could
	}
	ended, err := t.converse(ctx, t.withFirst(messages)...)
	switch full := overflowOf(err); {
	case !t.job.handsOver:
	case errors.Is(err, errDue):
		return ended, t.handOver(ctx, nil)
	case full != nil:
		return ended, t.handOver(ctx, full)
	}
	return ended, err
}

// converse sends messages and drives the session until its turn ends.
func (t *talk) converse(ctx context.Context, messages ...harness.Message) (harness.Ended, error) {
	t.spoken = true
	var bad trouble
	for {
		if t.interrupted() {
			note, err := t.takeWords(ctx)
			if err != nil {
				return harness.Ended{}, err
			}
			messages = append(messages, note)
		}
		t.full.Store(false)
		t.refused.Store(false)
		if err := t.send(ctx, messages); err != nil {
			return harness.Ended{}, err
		}
		ended, err := t.turn(ctx, &bad)
		if err := errors.Join(t.failure(), err); err != nil {
			return ended, err
		}
		if t.left(ended) {
			return ended, errDue
		}
		if ended.Stop == harness.StopInterrupted && t.interrupted() {
			messages = nil
			continue
		}
		if ended.Stop != harness.StopFault {
			return ended, stopped(ctx, ended)
		}
		// The harness was not let ask since nothing can be written down.
		if err := t.e.books.Flush(t.e.deps.Journal); err != nil {
			return ended, err
		}
		if err := t.endure(ctx, ended.Fault, &bad); err != nil {
			return ended, err
		}
		if ended.Fault.Class != harness.Broken { // else what was said may not be kept
			messages = []harness.Message{{}} // the turn is carried on, nothing is said twice
		}
	}
}

// send queues messages for the turn that they begin.
func (t *talk) send(ctx context.Context, messages []harness.Message) error {
	for _, m := range messages {
		if err := t.s.Send(ctx, m); err != nil {
			return fmt.Errorf("send to session '%s': %w", t.job.session, err)
		}
	}
	if !t.interrupted() {
		return nil
	}
	// It came while there was no turn that it could have ended.
	if err := t.s.Interrupt(ctx); err != nil {
		return fmt.Errorf("interrupt session '%s': %w", t.job.session, err)
	}
	return nil
}

// stopped: an interrupted turn is not a finished one.
func stopped(ctx context.Context, ended harness.Ended) error {
	if ended.Stop != harness.StopInterrupted {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return errors.New("the session was interrupted")
}

// turn shows a turn's events until it ends.
func (t *talk) turn(ctx context.Context, bad *trouble) (harness.Ended, error) {
	for {
		ev, err := t.next(ctx)
		if err != nil {
			return harness.Ended{}, fmt.Errorf("session '%s' of step '%s': %w", t.job.session, t.job.step, err)
		}
		if ended, ok := ev.(harness.Ended); ok {
			return ended, nil
		}
		if _, ok := ev.(harness.Responded); ok {
			*bad = trouble{}
			t.e.answers.beat(t.e.deps.Clock.Now())
		}
		t.watch(ev)
		t.show(ev)
		if err := t.weigh(ctx, ev); err != nil {
			return harness.Ended{}, err
		}
	}
}

// endure waits a fault out, or gives up with a save point. An interrupt ends the
// wait.
func (t *talk) endure(ctx context.Context, f *harness.Fault, bad *trouble) error {
	now := t.e.deps.Clock.Now()
	if bad.faults == 0 {
		bad.since = now
	}
	bad.faults++
	t.e.books.Fault(t.row, f.Error())
	wait, again := t.e.c.Patience.retry(*bad, f, now, jitter())
	if !again {
		p := pauseOf(t.job.step, f)
		p.alone = t.e.answers.after(bad.since)
		return p
	}
	ev := t.event(EventRetry)
	ev.Text, ev.State, ev.Wait = f.Message, f.Class.String(), wait.Seconds()
	t.e.emit(ev)
	ev.Text = f.Class.String() + ": " + f.Message
	defer t.e.waiting(ctx, ev, wait)()
	waiting, over := t.between(ctx)
	defer over()
	err := t.e.deps.Clock.Wait(waiting, wait)
	if errors.Is(context.Cause(waiting), harness.ErrInterrupted) {
		return nil
	}
	return err
}
