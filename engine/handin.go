package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/worktree"
)

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
