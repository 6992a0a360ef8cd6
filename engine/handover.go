package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/guards"
)

// A session whose context is full, or that a person wants to hand over, writes a
// handoff itself, since only it knows what it holds; a fresh one takes over from
// that. A notice says that it is due before it is written, so that a wake that
// finds the notice and no handoff goes on with writing and with nothing else.

// markFor is the watermark of a job's session.
func (e *Engine) markFor(j job, model string) watermark {
	if e.c.Compact || !j.handsOver {
		return watermark{}
	}
	return watermarkOf(e.window(model), e.c.Headroom)
}

// window is how many tokens a model's context holds, zero when it is not known.
func (e *Engine) window(model string) int64 {
	if e.deps.Windows == nil {
		return 0
	}
	return e.deps.Windows.Window(model)
}

// weigh notes how full the context is. Once it is too full, the turn is ended as
// soon as no call is in flight: what was begun is finished, nothing new is.
func (t *talk) weigh(ctx context.Context, ev harness.Event) error {
	switch ev := ev.(type) {
	case harness.Compacted:
		return t.compacted(ctx, ev)
	case harness.Responded:
		t.context = max(t.context, ev.Usage.Context())
		if t.mark.nearly(t.context) && !t.warned && !t.writing.Load() {
			t.warned = true
			t.tellHandoff("near", "")
		}
		return t.checkServed(ctx, ev.Model)
	case harness.ToolResult:
		if t.isFull() {
			t.leaving = true
			if t.endsAtAnswer() {
				return nil
			}
			if err := t.s.Interrupt(ctx); err != nil {
				return fmt.Errorf("interrupt session '%s': %w", t.job.session, err)
			}
		}
	}
	return nil
}

// isFull reports whether the session is to hand over now.
func (t *talk) isFull() bool {
	if !t.job.handsOver || t.leaving || t.writing.Load() || len(t.calls) > 0 || t.finished != nil && t.finished() {
		return false
	}
	return t.mark.due(t.context) || isDue(t.e.deps.State.History(), t.job.session)
}

// left reports whether a turn ended because the session hands over. One that
// ended by itself meanwhile has ended.
func (t *talk) left(ended harness.Ended) bool {
	leaving := t.leaving || t.refused.Load()
	t.leaving = false
	return leaving && (ended.Stop == harness.StopInterrupted || ended.Stop == harness.StopFault)
}

// owesHandoff reports whether an earlier wake, or a person between two turns, has
// noted that the session is to hand over.
func (t *talk) owesHandoff() bool {
	return t.job.handsOver && t.spoken && isDue(t.e.deps.State.History(), t.job.session)
}

// overflowOf is the fault of a turn that the window was too small for, nil for
// any other end of it: only this turn's counts, never an earlier one.
func overflowOf(err error) *harness.Fault {
	var f *harness.Fault
	if errors.As(err, &f) && f.Class == harness.PromptTooLong {
		return f
	}
	return nil
}

// handOver leaves a handoff and returns errHandedOver, or a save point when that
// leads nowhere. overflow is not nil when the context holds no further turn.
func (t *talk) handOver(ctx context.Context, overflow *harness.Fault) error {
	if past := t.generations(); len(past) >= maxGenerations {
		t.learn(overflow)
		return t.giveUp(ctx, past)
	}
	if err := t.noteDue(ctx, overflow); err != nil {
		return err
	}
	t.hold(true)
	d, err := t.handoff(ctx, overflow)
	if err == nil {
		err = t.recordHandoff(ctx, d)
	}
	t.hold(false)
	if err != nil {
		return err
	}
	if t.interrupted() { // what the person says is a record, and the one who takes over is told of it
		if _, err := t.takeWords(ctx); err != nil {
			return err
		}
	}
	if past := t.generations(); twoDegraded(past) {
		return t.giveUp(ctx, past)
	}
	if due, _ := dueNotice(t.e.deps.State.History(), t.job.session); due.Meta.State == handoffThenStop {
		return &Pause{Reason: PauseHandoff, Step: t.job.step, Err: errHandedOver}
	}
	return errHandedOver
}

// noteDue records that the session is to hand over, unless it cannot write.
func (t *talk) noteDue(ctx context.Context, overflow *harness.Fault) error {
	if overflow != nil {
		return nil
	}
	_, _, err := t.e.recordUnless(ctx, gitstate.Record{
		Kind: gitstate.KindNotice, Subject: fmt.Sprintf("%s hands over at %s tokens", t.job.who(), thousands(t.context)),
		Body: t.howFull(), Meta: t.facts(handoffDue),
	}, func(h gitstate.History) bool { return isDue(h, t.job.session) })
	return err
}

// handoff has the session write its handoff, once more when sections are missing.
// Who has no room, refuses or fails twice gets a mechanical one. A fault that others
// would meet as well, or that passes, is none of the session's: it comes back.
func (t *talk) handoff(ctx context.Context, overflow *harness.Fault) (document.Handoff, error) {
	if overflow != nil {
		return t.mechanical(overflow, "the context is full: "+line(overflow.Message, 200)), nil
	}
	t.writing.Store(true)
	defer t.writing.Store(false)
	t.tellHandoff("writing", "")
	data := map[string]any{"Role": string(t.job.role), "Used": thousands(t.context), "Window": thousands(t.mark.window), "Missing": ""}
	if !t.mark.due(t.context) {
		data["Used"] = ""
	}
	why := ""
	for _, name := range [...]string{"handoff", "handoffagain"} {
		data["Missing"] = why
		text, err := prompt(name, data)
		if err != nil {
			return document.Handoff{}, err
		}
		ended, err := t.converse(ctx, harness.Message{ID: messageID(t.job.session, name), Text: text})
		if own := ownProblem(err); own != nil {
			return t.mechanical(overflowOf(err), line(own.Error(), 300)), nil
		}
		if err != nil {
			return document.Handoff{}, err
		}
		d := document.ParseHandoff(ended.Text)
		if why = lacks(d); why == "" {
			return d, nil
		}
	}
	return t.mechanical(nil, why), nil
}

// lacks says why a session's words are no handoff, "" when they are one.
func lacks(d document.Handoff) string {
	if missing := d.Missing(); len(missing) > 0 {
		return "it lacks " + strings.Join(missing, ", ")
	}
	if d.Degraded() {
		return "it says that it was not written"
	}
	return ""
}

// mechanical is the handoff that the engine makes, and what it learns by the way.
func (t *talk) mechanical(overflow *harness.Fault, why string) document.Handoff {
	t.learn(overflow)
	h := t.e.deps.State.History()
	before, _ := lastHandoff(h, t.job.step, t.job.worker)
	task, _ := h.Current(gitstate.KindRequest)
	if t.job.worker != "" {
		task, _ = answering(h, gitstate.KindSession, t.job.task.Call, t.job.task.Index)
	}
	return mechanical(t.job.step, why, task.Body, document.ParseHandoff(before.Body), t.unanswered, t.job.dir)
}

// learn keeps what an overflow tells of the model's window, best effort.
func (t *talk) learn(overflow *harness.Fault) {
	if overflow == nil || t.e.deps.Windows == nil {
		return
	}
	window, ok := overflowed(overflow.Message, t.context)
	if !ok {
		return
	}
	if err := t.e.deps.Windows.Overflowed(t.row.Model, window); err != nil {
		t.tell(fmt.Sprintf("that the window of '%s' holds %s tokens is not kept: %v", t.row.Model, thousands(window), err))
	}
}

func (t *talk) recordHandoff(ctx context.Context, d document.Handoff) error {
	m := withCost(t.facts(""), t)
	m.Harness, m.Model, m.Code = t.e.deps.Harness.Name(), t.row.Model, joined(t.e.deps.State.History())
	if d.Degraded() {
		m.State = handoffDegraded
	}
	_, err := t.e.record(ctx, gitstate.Record{
		Kind: gitstate.KindHandoff, Subject: fmt.Sprintf("%s: %s", t.job.who(), line(d.Next, 50)), Body: d.String(), Meta: m,
	})
	if err == nil {
		t.tellHandoff("done", m.State)
	}
	return err
}

// facts are those of a record about this session.
func (t *talk) facts(state string) gitstate.Meta {
	return gitstate.Meta{
		Step: t.job.step, Label: t.job.label, Round: t.job.round, Worker: t.job.worker, Session: t.job.session,
		Call: t.job.task.Call, Index: t.job.task.Index, State: state,
	}
}

// compacted records that the harness has rewritten a context by itself: what was
// left out of it nobody can tell afterwards.
func (t *talk) compacted(ctx context.Context, c harness.Compacted) error {
	subject := fmt.Sprintf("the context of %s was compacted", t.job.who())
	t.tell(subject)
	_, err := t.e.record(ctx, gitstate.Record{
		Kind: gitstate.KindNotice, Subject: subject, Meta: t.facts("compacted"),
		Body: fmt.Sprintf("The harness replaced %s tokens by a summary of %s. What the summary leaves out is not in the session any more.", thousands(c.Before), thousands(c.After)),
	})
	return err
}

// authorize lets a session that writes its handoff do nothing else.
func (t *talk) authorize(ctx context.Context, c guards.Call) guards.Decision {
	if t.writing.Load() {
		return guards.Deny("the handoff is being written, so no call is made any more; workers go on, and whoever takes over gets their reports: write the five sections now")
	}
	return t.walls.authorize(ctx, c)
}

func (t *talk) tellHandoff(phase, state string) {
	ev := t.event(EventHandoff)
	ev.State, ev.Text, ev.Context, ev.Window = phase, state, t.context, t.mark.window
	t.e.emit(ev)
}

func (t *talk) howFull() string {
	if !t.mark.due(t.context) {
		return "A person asked for it."
	}
	return fmt.Sprintf("Its context holds %s of %s tokens; it hands over from %s on.", thousands(t.context), thousands(t.mark.window), thousands(t.mark.at))
}

// who is the worker's name, else the label of the step.
func (j job) who() string {
	if j.worker != "" {
		return j.worker
	}
	return j.label
}
