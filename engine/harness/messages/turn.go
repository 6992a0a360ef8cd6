package messages

import (
	"context"
	"encoding/json"

	"git-flower/engine/harness"
	"git-flower/engine/harness/wire"
)

// What we say to the model when an answer needs going on. They are entries of
// the transcript like a person's words.
const (
	goOnText    = "Your answer was cut off at the output limit. Go on exactly where it stopped, without repeating anything. Use smaller pieces from here on."
	emptyText   = "Your answer was empty. Go on with the task; if it is finished, say so."
	cutCallText = "[cut off] This call reached the output limit before it was complete, so it was not run. " +
		"Do the same in smaller pieces: several short calls instead of a long one."
	notRunText = "[not run] The turn ended before this call's place came. It had no effect."
)

// Bounds on asking again within one turn, so that a server that never gets
// anywhere cannot keep us.
const (
	maxCuts   = 1
	maxEmpty  = 1
	maxPauses = 20
)

// A turn is the loop's state from the first word to Ended.
type turn struct {
	*session
	out      *harness.Turn
	requests int
	cuts     int    // answers cut off one after the other
	empty    int    // empty answers one after the other
	pauses   int    // pauses one after the other
	partial  string // prose of the answer being continued
	text     string // prose of the newest answer
	stopped  bool   // a custom tool asked for the end
	aborted  bool   // a custom tool failed in a way that is no business of the model's

	announced map[string]bool // ids of calls that were emitted
}

// play performs one turn; see harness.NewTurns.
func (s *session) play(ctx context.Context, out *harness.Turn) harness.Ended {
	t := &turn{session: s, out: out, announced: map[string]bool{}}
	ended := t.begin(ctx)
	for ended == nil {
		ended = t.step(ctx)
	}
	return *ended
}

// begin answers what was left open, takes what was said, and sees whether
// there is anything to ask.
func (t *turn) begin(ctx context.Context) *harness.Ended {
	if open := t.convo.open(); len(open) > 0 {
		if ended := t.reopen(ctx, open); ended != nil {
			return ended
		}
	}
	heard, err := t.hear(ctx)
	if err != nil {
		return t.fail(ctx, t.broken(err))
	}
	last := t.convo.last()
	switch {
	case last == nil:
		return t.fail(ctx, &harness.Fault{Class: harness.Invalid, Message: "nothing was said yet, so there is nothing to carry on"})
	case heard:
		return nil
	case last.stops:
		return t.end(harness.StopTool)
	case !last.assistant:
		return nil
	}
	t.text = last.text
	switch last.stop {
	case "max_tokens":
		return t.mustSay(ctx, goOnText)
	case "pause_turn":
		return nil
	}
	return t.end(harness.StopDone)
}

// hear puts words that were said meanwhile into the conversation.
func (t *turn) hear(ctx context.Context) (bool, error) {
	heard := false
	for _, m := range t.out.Heard() {
		if m.ID != "" && t.convo.said[m.ID] {
			continue
		}
		if err := t.say(ctx, m.ID, m.Text); err != nil {
			return heard, err
		}
		heard = true
	}
	return heard, nil
}

// mustSay is say; nil means that the turn goes on.
func (t *turn) mustSay(ctx context.Context, text string) *harness.Ended {
	if err := t.say(ctx, "", text); err != nil {
		return t.fail(ctx, t.broken(err))
	}
	return nil
}

// end ends the turn.
func (t *turn) end(stop harness.Stop) *harness.Ended {
	return &harness.Ended{Stop: stop, Text: t.partial + t.text}
}

// fail ends the turn with a fault. Where the context ended there is none:
// harness.Turns knows what that means.
func (t *turn) fail(ctx context.Context, f *harness.Fault) *harness.Ended {
	if left(ctx) {
		return t.end(harness.StopInterrupted)
	}
	return &harness.Ended{Stop: harness.StopFault, Text: t.partial + t.text, Fault: f}
}

// step makes one request and does what the answer asks for. Nil: another step.
func (t *turn) step(ctx context.Context) *harness.Ended {
	if _, err := t.hear(ctx); err != nil {
		return t.fail(ctx, t.broken(err))
	}
	if left(ctx) {
		return t.end(harness.StopInterrupted)
	}
	if t.o.MaxTurns > 0 && t.requests >= t.o.MaxTurns {
		return t.end(harness.StopMaxTurns)
	}
	t.requests++
	r, fault := t.ask(ctx)
	if fault != nil {
		return t.fail(ctx, fault)
	}
	return t.take(ctx, r)
}

// ask makes one request, admitted and settled by the gate.
func (t *turn) ask(ctx context.Context) (*reply, *harness.Fault) {
	body := t.body()
	size := t.size(body)
	asked := harness.Request{Session: t.o.Session, Role: t.o.Role, Agent: t.o.Agent, Model: t.wire,
		Input: t.known.Estimate(size), MaxOutput: t.maxOutput, Hour: t.hour()}
	if t.o.Gate != nil {
		if err := t.o.Gate.Admit(ctx, asked); err != nil {
			return nil, t.h.faults.Gate(err)
		}
	}
	r, err := t.h.send(ctx, body)
	usage := r.Counted(asked.Input)
	if t.o.Gate != nil {
		t.o.Gate.Settle(context.WithoutCancel(ctx), asked, usage)
	}
	if err != nil {
		return nil, t.h.fault(err, r.requestID)
	}
	t.known = wire.Known{Size: size, Tokens: usage.Context()}
	return r, nil
}

// take keeps an answer and follows its stop reason.
func (t *turn) take(ctx context.Context, r *reply) *harness.Ended {
	if f := t.h.faults.Declined(&r.Tally, r.requestID); f != nil {
		t.responded(r)
		return t.fail(ctx, f)
	}
	a, err := t.usable(r)
	if err != nil {
		return t.fail(ctx, &harness.Fault{Class: harness.Network, RequestID: r.requestID, Message: t.h.faults.Clean(err.Error())})
	}
	if a.empty && r.Stop != "max_tokens" && r.Stop != "pause_turn" {
		t.responded(r)
		return t.tookNothing(ctx)
	}
	t.empty = 0
	if err := t.keep(ctx, r, a); err != nil {
		return t.fail(ctx, t.broken(err))
	}
	t.tell(r, a)
	return t.follow(ctx, r, a)
}

// tookNothing asks once more after an empty answer, then ends the turn.
func (t *turn) tookNothing(ctx context.Context) *harness.Ended {
	t.text = ""
	if t.empty++; t.empty <= maxEmpty {
		return t.mustSay(ctx, emptyText)
	}
	return t.end(harness.StopDone)
}

// follow does what the stop reason of a kept answer asks for.
func (t *turn) follow(ctx context.Context, r *reply, a *answer) *harness.Ended {
	if r.Stop == "max_tokens" {
		return t.goOn(ctx, a)
	}
	t.cuts = 0
	switch r.Stop {
	case "tool_use", "end_turn", "stop_sequence", "pause_turn", "":
	default: // a reason newer than we are: the answer is kept, nothing is run
		t.out.Emit(harness.Raw{Data: object([]member{{"stop_reason", quoted(r.Stop)}})})
		if err := t.answerAll(ctx, a.calls, notRunText); err != nil {
			return t.fail(ctx, t.broken(err))
		}
		return t.end(harness.StopDone)
	}
	if len(a.calls) > 0 {
		t.partial, t.pauses = "", 0
		return t.perform(ctx, a.calls)
	}
	if r.Stop == "pause_turn" {
		if t.pauses++; t.pauses > maxPauses {
			return t.fail(ctx, &harness.Fault{Class: harness.Unknown, Message: "the model paused again and again without going on"})
		}
		return nil
	}
	return t.finish(ctx)
}

// finish ends the turn, unless words are waiting: they go along now.
func (t *turn) finish(ctx context.Context) *harness.Ended {
	heard, err := t.hear(ctx)
	if err != nil {
		return t.fail(ctx, t.broken(err))
	}
	if heard {
		t.partial, t.pauses = "", 0
		return nil
	}
	return t.end(harness.StopDone)
}

// goOn handles an answer that reached the output limit: whole calls are run, a
// cut one is not, and the model may go on once.
func (t *turn) goOn(ctx context.Context, a *answer) *harness.Ended {
	t.cuts++
	whole, cut := a.calls, []call(nil)
	if a.endsInCall && len(a.calls) > 0 {
		whole, cut = a.calls[:len(a.calls)-1], a.calls[len(a.calls)-1:]
	}
	if err := t.answerAll(ctx, cut, cutCallText); err != nil {
		return t.fail(ctx, t.broken(err))
	}
	if ended := t.perform(ctx, whole); ended != nil {
		return ended
	}
	if t.cuts > maxCuts {
		return t.end(harness.StopMaxTokens)
	}
	if len(a.calls) > 0 {
		return nil
	}
	t.partial, t.text = t.partial+t.text, ""
	return t.mustSay(ctx, goOnText)
}

// An answer is what of a reply goes into the conversation.
type answer struct {
	blocks     []json.RawMessage
	calls      []call
	events     []harness.Event
	text       string
	empty      bool // neither prose nor a call nor anything of the server's
	endsInCall bool // the last block is a tool_use
}

// left says that the turn's context ended, so that an error is no fault.
func left(ctx context.Context) bool { return ctx.Err() != nil }
