package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-flower/gitstate"
)

// A step whose sessions only hand over stops. What counts is in the records, so
// that killing and resuming does not begin the count anew.

// maxGenerations is how often a step may be handed over before it gets anywhere
// (spec/engine.md 1.8): a healthy one never comes near, a threshold below what a
// session begins with would go on for ever.
const maxGenerations = 8

// stoppedAt is the fact of a notice that a step was stopped: the watermark at which.
const stoppedAt = "watermark"

// generations are the handoffs of a step, or of a worker, since it last got
// somewhere: since an attempt of it was finished, or since a person was told that it
// gets nowhere and has changed the watermark or said something. Each has the state
// in which it now stands: one that a person has written anew is not degraded.
func generations(h gitstate.History, step, worker string, m watermark) []gitstate.Doc {
	since := 0
	for _, d := range h.Docs {
		if d.Meta.Step == step && d.Meta.Worker == worker && (d.Kind == gitstate.KindStep || isStop(d) && hasChanged(h, d, m)) {
			since = d.Counter
		}
	}
	return slices.DeleteFunc(handoffsOf(h, step, worker), func(d gitstate.Doc) bool { return d.Counter < since })
}

func isStop(d gitstate.Doc) bool {
	return d.Kind == gitstate.KindNotice && d.Meta.State == handoffStop
}

// hasChanged reports whether there is a reason why a step that was stopped should
// now get somewhere.
func hasChanged(h gitstate.History, stop gitstate.Doc, m watermark) bool {
	same := slices.Contains(stop.Meta.Extra, gitstate.Extra{Key: stoppedAt, Value: m.String()})
	return !same || len(amendmentsSince(h, stop.Counter)) > 0
}

// handoffsOf are all handoffs of a step, or of a worker, each with the state of the
// newest that a person has put in its place.
func handoffsOf(h gitstate.History, step, worker string) []gitstate.Doc {
	var all []gitstate.Doc
	for _, d := range h.Of(gitstate.KindHandoff) {
		at := slices.IndexFunc(all, func(old gitstate.Doc) bool { return old.Meta.Session == d.Meta.Session })
		switch {
		case d.Meta.Step != step || d.Meta.Worker != worker:
		case len(d.Meta.Replaces) == 0:
			all = append(all, d)
		case at >= 0:
			all[at].Meta.State = d.Meta.State
		}
	}
	return all
}

// isDegraded reports whether no session wrote a handoff.
func isDegraded(d gitstate.Doc) bool { return d.Meta.State == handoffDegraded }

// twoDegraded reports whether the last two sessions could not write their handoff.
func twoDegraded(past []gitstate.Doc) bool {
	n := len(past)
	return n > 1 && isDegraded(past[n-1]) && isDegraded(past[n-2])
}

func (t *talk) generations() []gitstate.Doc {
	return generations(t.e.deps.State.History(), t.job.step, t.job.worker, t.mark)
}

// hasStopped reports whether a person was told that these generations lead nowhere.
func (t *talk) hasStopped(h gitstate.History, past []gitstate.Doc) bool {
	_, told := h.Last(func(d gitstate.Doc) bool {
		return isStop(d) && d.Meta.Step == t.job.step && d.Meta.Worker == t.job.worker && d.Counter > past[len(past)-1].Counter && !hasChanged(h, d, t.mark)
	})
	return told
}

// giveUp is the save point of a step that only hands over; a notice says so once.
func (t *talk) giveUp(ctx context.Context, past []gitstate.Doc) error {
	why, body := diagnosis(past, t.mark)
	m := t.facts(handoffStop)
	m.Extra = []gitstate.Extra{{Key: stoppedAt, Value: t.mark.String()}}
	r := gitstate.Record{Kind: gitstate.KindNotice, Subject: line("handing over leads nowhere: "+why, 60), Body: body, Meta: m}
	if _, _, err := t.e.recordUnless(ctx, r, func(h gitstate.History) bool { return t.hasStopped(h, past) }); err != nil {
		return err
	}
	return &Pause{Reason: PauseFull, Step: t.job.step, Err: errors.New(line(body, 1000))}
}

// diagnosis tells what happened, the figures, the likely cause and what helps.
func diagnosis(past []gitstate.Doc, m watermark) (why, body string) {
	why = fmt.Sprintf("%d sessions have handed over and got nowhere", len(past))
	cause := "Probably what a fresh session begins with is already more than that, or nearly; else the work of this step needs more room than there is."
	if twoDegraded(past) {
		why = fmt.Sprintf("%d sessions have handed over, and the last two could not write their handoff", len(past))
		cause = "Probably the room above that is too small to write a handoff in, or the window is smaller than that."
	}
	level := "How many tokens the window holds is not known."
	if m.window > 0 {
		level = fmt.Sprintf("A session hands over at %s tokens of a window of %s.", thousands(m.at), thousands(m.window))
	}
	return why, fmt.Sprintf("%s. %s %s What helps: the true window (--window) or a model with a larger one; more or less room above (flower.headroom); "+
		"another way of working, told with 'resume -m'; or --no-handoff, where the harness compacts contexts itself. Resumed as it is, it stops at the next handoff again.", why, level, cause)
}
