package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-flower/engine/harness"
)

// result ends the turn, unless words are waiting: the CLI begins a turn of its
// own with them, which is still one of ours.
func (t *turn) result(l line) *harness.Ended {
	t.heardAnswers()
	if startedByTask(l.Origin) {
		return nil
	}
	ended := t.endOf(l)
	if ended.Stop == harness.StopFault || ended.Stop == harness.StopTool {
		t.takeBackOrLeave()
	} else if !t.words.over() {
		return nil
	}
	return &ended
}

// takeBackOrLeave takes words back that the CLI has not taken up. With those that
// it keeps it would begin a turn by itself, whose result would be taken for that
// of the next one of ours: then the process ends.
func (t *turn) takeBackOrLeave() {
	if t.conn == nil {
		return // it has ended
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), interruptTime)
	defer cancel()
	if !t.takeBack(ctx) {
		_ = t.abandon() // the next turn starts from what was kept
	}
}

// startedByTask says that the CLI began a turn by itself, because a background
// task has ended.
func startedByTask(origin json.RawMessage) bool {
	var o struct{ Kind string }
	return json.Unmarshal(origin, &o) == nil && o.Kind == "task-notification"
}

func (t *turn) endOf(l line) harness.Ended {
	if err := t.keeper.failure(); err != nil {
		return t.broken(err)
	}
	if t.pass != nil {
		if f := t.pass.Fault(); f != nil {
			return harness.Ended{Stop: harness.StopFault, Text: t.text, Fault: f}
		}
	}
	switch {
	case l.Subtype == "error_max_turns":
		return t.end(harness.StopMaxTurns)
	case t.isStopped():
		return t.end(harness.StopTool)
	case t.refused || l.StopReason == "refusal":
		return t.faulty(&harness.Fault{Class: harness.Refused, Message: "the model declined to answer"})
	case l.IsError:
		return t.faulty(faultOf(l))
	case l.StopReason == "max_tokens":
		return t.end(harness.StopMaxTokens)
	}
	return t.end(harness.StopDone)
}

func (t *turn) end(stop harness.Stop) harness.Ended { return harness.Ended{Stop: stop, Text: t.text} }

func (t *turn) faulty(f *harness.Fault) harness.Ended {
	return harness.Ended{Stop: harness.StopFault, Text: t.text, Fault: f}
}

func fault(f *harness.Fault) harness.Ended {
	return harness.Ended{Stop: harness.StopFault, Fault: f}
}

// broken ends the turn because of a failure of ours or of the process, which
// ends; the next turn starts from what was kept.
func (t *turn) broken(err error) harness.Ended {
	if t.ctx.Err() != nil {
		return t.leave()
	}
	t.words.close()
	return t.faulty(asFault(errors.Join(err, t.abandon())))
}

// asFault is a failure of ours, unless it is a fault that says otherwise.
func asFault(err error) *harness.Fault {
	if f := (*harness.Fault)(nil); errors.As(err, &f) {
		return f
	}
	return &harness.Fault{Class: harness.Broken, Message: oneLine(err.Error())}
}

// abandon ends the process; what was kept is read again when it is needed.
func (s *session) abandon() error {
	err := s.drop()
	if s.keeper != nil {
		s.opened, s.history = true, nil
	}
	return err
}

// leave ends a turn whose context has ended.
func (t *turn) leave() harness.Ended {
	t.words.close()
	cause := context.Cause(t.ctx)
	switch {
	case errors.Is(cause, harness.ErrInterrupted):
		if t.conn != nil {
			t.interrupt()
		}
		return t.end(harness.StopInterrupted)
	case errors.Is(cause, errSilent):
		err := errors.Join(fmt.Errorf("%w: nothing came from it for %v", errSilent, t.h.c.Silence), t.abandon())
		return t.faulty(&harness.Fault{Class: harness.Unknown, Message: oneLine(err.Error())})
	}
	failed := new(failure)
	if !errors.As(cause, &failed) {
		failed.err = nil
	}
	if err := errors.Join(failed.err, t.abandon()); err != nil {
		return t.faulty(asFault(err))
	}
	return t.end(harness.StopTool)
}

// interruptTime is how long the CLI may take to end a turn when it is told to;
// it takes a fifth of a second.
const interruptTime = 10 * time.Second

// interrupt has the CLI end the turn, which answers the calls that are open.
// Words that it has not taken up come back, to be said in the next turn. When
// it does not obey the process ends.
func (t *turn) interrupt() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), interruptTime)
	defer cancel()
	if !t.takeBack(ctx) || !t.stopCLI(ctx) {
		_ = t.abandon() // the next turn starts from what was kept
	}
}

// takeBack has the CLI give back the words that it has not taken up; they are
// said again in the next turn. False: it may still take some up.
func (t *turn) takeBack(ctx context.Context) bool {
	all := true
	for _, m := range t.words.close() {
		t.backlog = append(t.backlog, m)
		raw, err := t.conn.ask(ctx, map[string]any{"subtype": "cancel_async_message", "message_uuid": m.ID})
		var back struct{ Cancelled bool }
		if err != nil || json.Unmarshal(raw, &back) != nil || !back.Cancelled {
			all = false
			continue
		}
		delete(t.said, m.ID)
	}
	return all
}

// stopCLI interrupts and follows the CLI to the end of its turn.
func (t *turn) stopCLI(ctx context.Context) bool {
	if _, err := t.conn.ask(ctx, map[string]any{"subtype": "interrupt"}); err != nil {
		return false
	}
	t.until = ctx // results may still be told
	for {
		for l, ok := t.conn.next(); ok; l, ok = t.conn.next() {
			if l.Type == "result" {
				return true
			}
			t.take(l)
		}
		select {
		case <-t.conn.news:
		case <-t.conn.over:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// playing is the turn that runs, nil between turns.
func (s *session) playing() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// A failure is why a turn is broken off from beside.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// fail breaks the turn that runs; false when there is none.
func (s *session) fail(err error) bool {
	t := s.playing()
	if t != nil {
		t.quit(&failure{err})
	}
	return t != nil
}

func (t *turn) aborted() bool { return errors.Is(context.Cause(t.ctx), errAborted) }

// stop notes that the turn ends with the result of a call.
func (t *turn) stop(id string) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.stopped, t.stopIDs[id] = true, true
}

func (t *turn) isStopped() bool {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.stopped
}

// stopping says whether the turn ends with a call's result.
func (s *session) stopping(id string) bool {
	t := s.playing()
	if t == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.stopIDs[id]
}

// faultOf classifies a failed turn by what the CLI says in fields.
func faultOf(l line) *harness.Fault {
	text := l.Result
	if text == "" && len(l.Errors) > 0 {
		text = l.Errors[0]
	}
	f := &harness.Fault{Status: l.Status, Type: l.ErrorType, Message: oneLine(text)}
	switch {
	case l.TerminalReason == "prompt_too_long", l.TerminalReason == "blocking_limit", l.Status < 500 && harness.TooLong(text):
		f.Class = harness.PromptTooLong
	case l.Status == 429:
		f.Class = harness.RateLimit
	case l.Status == 529:
		f.Class = harness.Overloaded
	case l.Status >= 500:
		f.Class = harness.ServerError
	case l.Status == 401 || l.Status == 403, strings.HasPrefix(text, "Not logged in"):
		f.Class = harness.Auth
	case l.Status >= 400, l.TerminalReason == "image_error":
		f.Class = harness.Invalid
	case l.TerminalReason == "api_error":
		f.Class = harness.Network
	}
	return f
}
