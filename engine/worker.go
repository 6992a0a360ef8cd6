package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/worktree"
	"git-flower/worktree/fence"
)

// worker is one worker at work.
type worker struct {
	e        *Engine
	a        Attempt
	begun    gitstate.Doc // its session record
	tree     *worktree.Tree
	restored string
	at       func(*talk) // told which session it works in, nil when that has ended

	row    *gitstate.LedgerRow // nil: its session was not opened
	heard  map[string]bool     // the documents with words for it that it has heard, by name
	keeper *keeper
	report document.Report
	notes  []string
	sealed gitstate.ObjectID
	failed *Pause // it cannot go on, which is its own problem and not the run's
}

// work drives the worker to its report. It may run beside others. When there is
// no error, its tree is kept until handIn.
func (w *worker) work(ctx context.Context) error {
	w.emit("begins", line(w.begun.Body, 200))
	w.keeper = w.keep(ctx)
	err := w.sessions(ctx)
	if err == nil {
		return nil
	}
	w.keeper.stop()
	lost := w.save(ctx)
	if lost != nil {
		w.notice(fmt.Sprintf("%v; it is in '%s' alone", lost, w.tree.Path))
	}
	err = errors.Join(err, lost)
	if w.failed = ownProblem(err); w.failed != nil {
		return nil
	}
	return err
}

// sessions drives the worker's session and, when its context is full, the next
// one, in the same tree and under the same name.
func (w *worker) sessions(ctx context.Context) error {
	for {
		if err := w.takeOver(ctx); err != nil {
			return err
		}
		if err := w.session(ctx); !errors.Is(err, errHandedOver) {
			return err
		}
	}
}

// session drives one session, to the report or to a handoff.
func (w *worker) session(ctx context.Context) error {
	t, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer t.close()
	w.row = t.row
	w.at(t)
	defer w.at(nil)
	t.edited = w.keeper.edited
	w.report, w.notes, err = w.talk(ctx, t)
	return err
}

// takeOver records the worker's next session where the one it has has handed over.
func (w *worker) takeOver(ctx context.Context) error {
	m := w.begun.Meta
	h := w.e.deps.State.History()
	if !handedOver(h, m.Session) {
		return nil
	}
	handoff, _ := lastHandoff(h, m.Step, m.Worker)
	m.Session, m.Machine, m.Harness, m.From = newSession(), w.e.c.Machine, w.e.deps.Harness.Name(), []string{handoff.Name()}
	m.Wake, m.Cost = "", 0
	if _, err := w.e.record(ctx, gitstate.Record{
		Kind: gitstate.KindSession, Subject: m.Worker + " goes on in a fresh session", Body: w.begun.Body, Meta: m,
	}); err != nil {
		return err
	}
	next, ok := answering(w.e.deps.State.History(), gitstate.KindSession, m.Call, m.Index)
	if !ok {
		return fmt.Errorf("the next session of '%s' is not in the history", m.Worker)
	}
	w.begun = next
	return nil
}

// ownProblem is a fault that another request of the same session would meet
// again and that no other session has a part in: what is wrong with its
// conversation, and an endpoint that answers all but this one.
func ownProblem(err error) *Pause {
	var p *Pause
	var f *harness.Fault
	if errors.As(err, &p) && p.Reason == PauseFull {
		return p
	}
	if p == nil || !errors.As(err, &f) {
		return nil
	}
	switch f.Class {
	case harness.Invalid, harness.Refused:
		return p
	case harness.Network, harness.RateLimit, harness.Overloaded, harness.ServerError, harness.Unknown:
		if p.alone {
			return p
		}
	}
	return nil
}

func (w *worker) open(ctx context.Context) (*talk, error) {
	m := w.begun.Meta
	n, err := w.e.deps.Transcripts.Len(ctx, m.Session)
	if err != nil {
		return nil, fmt.Errorf("look for the transcript of '%s': %w", m.Worker, err)
	}
	return w.e.open(ctx, job{
		step: w.a.Step.Name, label: w.a.Label, round: w.a.Round, role: Worker, worker: m.Worker, task: m, dir: w.tree.Path,
		roots: w.roots(), session: m.Session, resume: n > 0, handsOver: true,
		fence: w.fence(),
	})
}

// roots are where the worker's file tools may write.
func (w *worker) roots() []string {
	roots := []string{w.tree.Path, w.e.c.Bench}
	if w.tree.Fence != nil {
		roots = append(roots, w.tree.Fence.Temp)
	}
	return roots
}

// fence is what the worker's commands are held to: those of its tree may change
// the bench as well.
func (w *worker) fence() *fence.Policy {
	if w.tree.Fence == nil {
		return nil
	}
	f := w.tree.Fence.With(w.e.c.Bench)
	f.Read = slices.Concat(f.Read, w.e.c.Plugins)
	return &f
}

// talk gives the task and returns the report; one that breaks the form is sent
// back once and then taken as it is.
func (w *worker) talk(ctx context.Context, t *talk) (document.Report, []string, error) {
	session := w.begun.Meta.Session
	first, err := w.first()
	if err != nil {
		return document.Report{}, nil, err
	}
	ended, err := w.say(ctx, t, first...)
	if err != nil {
		return document.Report{}, nil, err
	}
	report := document.ParseReport(ended.Text)
	wrong := missingParts(report)
	if wrong == "" {
		return report, nil, nil
	}
	text, err := prompt("badreport", map[string]any{"Missing": wrong})
	if err != nil {
		return report, nil, err
	}
	again, err := w.say(ctx, t, harness.Message{ID: messageID(session, "report"), Text: text})
	if err != nil {
		return report, nil, err
	}
	if second := document.ParseReport(again.Text); len(second.Missing()) == 0 {
		report, wrong = second, missingParts(second)
	}
	if wrong == "" {
		return report, nil, nil
	}
	return asItIs(report, ended.Text), []string{"The report breaks the form: " + wrong + "."}, nil
}

// longPart is how many bytes of each part of a report that breaks the form are
// kept: the coordinator's context is for decisions.
const longPart = 1500

// asItIs makes a report of whatever a worker said, so that its work is not lost.
func asItIs(r document.Report, said string) document.Report {
	if r.Conclusion == "" {
		r.Conclusion = strings.TrimSpace(said)
	}
	for _, part := range []*string{&r.Conclusion, &r.Evidence, &r.Output, &r.Unverified} {
		*part = head(*part, longPart)
	}
	if r.Conclusion == "" {
		r.Conclusion = "The worker ended without a word."
	}
	if r.Unverified == "" {
		r.Unverified = "The report is incomplete; what it does not say is unverified."
	}
	return r
}

// first is what the worker is told: its task, with the words of the person since
// the goal was set, then what was said to it alone. Each has an id of its own, the
// one under which it may have heard it at work, so that a session that goes on
// hears nothing twice.
func (w *worker) first() ([]harness.Message, error) {
	h := w.e.deps.State.History()
	m := w.begun.Meta
	goal, _ := h.Current(gitstate.KindGoal)
	handoff, _ := lastHandoff(h, m.Step, m.Worker)
	text, err := prompt("task", map[string]any{
		"Handoff": handoff.Body, "Task": w.begun.Body, "Restored": w.restored, "Amendments": amendmentsSince(h, goal.Counter),
	})
	w.heard = map[string]bool{} // by a session before, which may not have told of it
	words, wrong := w.hears(h)
	return append([]harness.Message{{ID: messageID(m.Session, "task", w.restored), Text: text}}, words...), errors.Join(err, wrong)
}

// say says something and, when the turn has ended, what came for this worker alone
// meanwhile: a report is made with all of it in mind.
func (w *worker) say(ctx context.Context, t *talk, messages ...harness.Message) (harness.Ended, error) {
	for {
		ended, err := t.say(ctx, messages...)
		if err != nil {
			return ended, err
		}
		w.e.catchUp(ctx)
		messages, err = w.hears(w.e.deps.State.History())
		if len(messages) == 0 || err != nil {
			return ended, err
		}
	}
}

// hears are the words for this worker that it was not told of after a turn or before
// one; what it has heard in a turn is left out by its session.
func (w *worker) hears(h gitstate.History) ([]harness.Message, error) {
	words := wordsFor(h, w.begun.Meta.Worker, w.heard)
	for _, d := range words {
		w.heard[d.Name()] = true
	}
	return spoken(w.begun.Meta.Session, words)
}

func (w *worker) emit(state, text string) {
	m := w.begun.Meta
	kind := EventWorker
	if state == reportJoined || state == reportConflict {
		kind = EventJoin
	}
	w.e.emit(Event{Kind: kind, Step: m.Step, Label: m.Label, Worker: m.Worker, Session: m.Session, State: state, Text: text})
}

// notice tells whoever watches something that no record has to hold.
func (w *worker) notice(text string) {
	m := w.begun.Meta
	w.e.emit(Event{Kind: EventNotice, Step: m.Step, Label: m.Label, Worker: m.Worker, Session: m.Session, Text: text})
}
