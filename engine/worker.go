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

// handIn takes in what the worker did and records it with the report and the
// join in one transaction. Members of a crew hand in one after the other.
func (w *worker) handIn(ctx context.Context) error {
	if w.failed != nil {
		return w.recordFailure(ctx)
	}
	w.keeper.stop()
	name := w.begun.Meta.Worker
	result, err := w.e.deps.Trees.Finish(ctx, w.tree, w.message(w.report))
	if err != nil {
		return fmt.Errorf("take in the work of '%s': %w", name, err)
	}
	state, code, conflicts, err := w.join(ctx, result, w.report)
	if err != nil {
		return err
	}
	if err := w.seal(ctx, state); err != nil {
		return err
	}
	if err := w.record(ctx, append(w.notes, result.Notes...), state, code, gitstate.ObjectID(result.Tip), conflicts); err != nil {
		return err
	}
	w.emit(state, line(w.report.Conclusion, 200))
	return nil
}

// recordFailure reports for a worker that cannot. What it has done is on its own ref.
func (w *worker) recordFailure(ctx context.Context) error {
	_, _, err := w.e.recordOn(ctx, func(h gitstate.History) (gitstate.Record, bool) { return w.failure(h), true })
	w.emit(reportFailed, line(w.failed.Error(), 200))
	return err
}

// failure is the report of a worker that cannot go on.
func (w *worker) failure(h gitstate.History) gitstate.Record {
	m := w.begun.Meta
	m.State, m.Code, m.Tip, m.From = reportFailed, joined(h), saved(h, m.Worker), []string{w.begun.Name()}
	body := fmt.Sprintf("## Conclusion\n\n%s could not finish: %s\n\n## Unverified\n\nEverything it did.", m.Worker, line(w.failed.Error(), 400))
	if m.Tip != "" {
		body += fmt.Sprintf("\n\nWhat it had done by then is commit %s; nothing of it is in the result so far.", m.Tip)
	}
	if w.e.c.InPlace {
		body += "\n\nThe files of the checkout are as it left them; the next worker starts from there."
	}
	if notes := unheard(h, m.Worker, w.heard); len(notes) > 0 {
		body += "\n\n## Notes of the engine\n\n- " + strings.Join(notes, "\n- ")
	}
	if w.row != nil {
		m.Cost = w.e.books.Cost(w.row)
	}
	return gitstate.Record{Kind: gitstate.KindReport, Subject: m.Worker + ": could not finish", Body: body, Meta: m}
}

func workRef(run, worker string) string { return "refs/flower/work/" + run + "/" + worker }

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

// message is the commit for what the worker left uncommitted.
func (w *worker) message(r document.Report) worktree.CommitMessage {
	return worktree.CommitMessage{
		Subject: line(r.Conclusion, 72), Body: r.Evidence,
		Trailers: []string{"Flower-Run: " + w.e.deps.State.History().ID, "Flower-Worker: " + w.begun.Meta.Worker},
	}
}

// join merges the worker's tip into the result so far.
func (w *worker) join(ctx context.Context, r worktree.Result, report document.Report) (state string, code gitstate.ObjectID, conflicts []string, err error) {
	h := w.e.deps.State.History()
	old := joined(h)
	if r.Tip == string(w.begun.Meta.Code) {
		return reportUnchanged, old, nil, nil
	}
	j, err := w.e.deps.Joins.Join(ctx, worktree.JoinSpec{
		Join: string(old), Tip: r.Tip,
		Message: fmt.Sprintf("Join %s: %s\n\nFlower-Run: %s\nFlower-Worker: %s\n", w.begun.Meta.Worker, line(report.Conclusion, 50), h.ID, w.begun.Meta.Worker),
	})
	if err != nil {
		return "", "", nil, fmt.Errorf("join the work of '%s': %w", w.begun.Meta.Worker, err)
	}
	if len(j.Conflicts) > 0 {
		return reportConflict, old, j.Conflicts, nil
	}
	return reportJoined, gitstate.ObjectID(j.Commit), nil, nil
}

// record makes the report and moves the join with it.
func (w *worker) record(ctx context.Context, notes []string, state string, code, tip gitstate.ObjectID, conflicts []string) error {
	_, _, err := w.e.recordOn(ctx, func(h gitstate.History) (gitstate.Record, bool) {
		return w.reported(h, notes, state, code, tip, conflicts), true
	})
	return err
}

// reported is the report as it is recorded on a history: words for the worker that
// came when it had ended stand in it.
func (w *worker) reported(h gitstate.History, notes []string, state string, code, tip gitstate.ObjectID, conflicts []string) gitstate.Record {
	m := w.begun.Meta
	body := withoutOurs(w.report.String())
	if len(conflicts) > 0 {
		body += fmt.Sprintf("\n\n## Conflict\n\nThe work is commit %s. It does not merge into the result so far (%s) because of:\n\n- %s\n\nDispatch a worker to run 'git merge %s' in its tree and resolve them.",
			tip, code, strings.Join(conflicts, "\n- "), tip)
	}
	notes = append(slices.Clip(notes), unheard(h, m.Worker, w.heard)...)
	if n := len(handoffsOf(h, m.Step, m.Worker)); n > 0 {
		notes = append(notes, fmt.Sprintf("Its context was full %s; fresh sessions went on from what the ones before wrote down.", times(n)))
	}
	if len(notes) > 0 {
		body += "\n\n## Notes of the engine\n\n- " + strings.Join(notes, "\n- ")
	}
	meta := gitstate.Meta{
		Step: m.Step, Label: m.Label, Round: m.Round, Worker: m.Worker, Session: m.Session, Harness: m.Harness,
		Model: m.Model, Code: code, Tip: tip, Call: m.Call, Index: m.Index, State: state, From: []string{w.begun.Name()},
	}
	meta.Cost = w.e.books.Cost(w.row)
	return gitstate.Record{
		Kind: gitstate.KindReport, Subject: fmt.Sprintf("%s: %s", m.Worker, line(w.report.Conclusion, 50)), Body: body,
		Meta: meta, Refs: w.refs(state, code, tip),
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// seal makes the commit at which the ref of a worker stays whose work is not
// joined. Where there were snapshots it must contain them too, since refs only
// move forward.
func (w *worker) seal(ctx context.Context, state string) error {
	old := saved(w.e.deps.State.History(), w.begun.Meta.Worker)
	if state != reportConflict || old == "" {
		return nil
	}
	s, err := w.e.deps.Snapshots.Snapshot(ctx, w.tree, string(old))
	w.sealed = gitstate.ObjectID(s.Commit)
	return err
}

// refs move with the report: the join when it grew, the worker's own when its
// commits are not in the join. A snapshot's ref goes when the work is in the join.
func (w *worker) refs(state string, code, tip gitstate.ObjectID) []gitstate.RefUpdate {
	h := w.e.deps.State.History()
	own := gitstate.RefUpdate{Name: workRef(h.Name, w.begun.Meta.Worker), Old: saved(h, w.begun.Meta.Worker)}
	var moves []gitstate.RefUpdate
	switch state {
	case reportJoined:
		old := joined(h)
		if !hasJoin(h) {
			old = ""
		}
		moves = append(moves, gitstate.RefUpdate{Name: "refs/flower/join/" + h.Name, Old: old, New: code})
	case reportConflict:
		if own.New = tip; w.sealed != "" {
			own.New = w.sealed
		}
	}
	if own.Old != own.New {
		moves = append(moves, own)
	}
	return moves
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
