package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// Questions to a history about handoffs. All are pure.

// States of notices and of handoffs.
const (
	// handoffDue: the notice's session is to write a handoff before anything else.
	handoffDue = "handoff-due"
	// handoffThenStop: as handoffDue, and the run stops then, so that a person can
	// edit the handoff.
	handoffThenStop = "handoff-then-stop"
	// handoffStop: a person was told that handing over leads nowhere.
	handoffStop = "handoff-stop"
	// handoffDegraded: no session wrote the handoff.
	handoffDegraded = "degraded"
)

// isDue reports whether a session is to hand over before anything else: its
// context is full, or a person has asked for it.
func isDue(h gitstate.History, session string) bool {
	_, due := dueNotice(h, session)
	return due && !handedOver(h, session)
}

func dueNotice(h gitstate.History, session string) (gitstate.Doc, bool) {
	return h.Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindNotice && (d.Meta.State == handoffDue || d.Meta.State == handoffThenStop) && d.Meta.Session == session
	})
}

// handedOver reports whether a handoff has retired a session.
func handedOver(h gitstate.History, session string) bool {
	return slices.ContainsFunc(h.Of(gitstate.KindHandoff), func(d gitstate.Doc) bool { return d.Meta.Session == session })
}

// HandOver is the record by which a person has the session that would go on hand
// over to a fresh one first, and with stop the run stop then. There is none where no session is under way: then the
// next one is fresh anyway, or one is to hand over already. It is pure.
func HandOver(h gitstate.History, stop bool) (gitstate.Record, error) {
	last, ok := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindSession && d.Meta.Worker == "" })
	m := last.Meta
	newest, _ := h.Last(func(gitstate.Doc) bool { return true })
	stands, _ := Standing(newest.Kind, newest.Meta)
	_, handedIn := h.Last(func(d gitstate.Doc) bool {
		return (d.Kind == gitstate.KindBrief || d.Kind == gitstate.KindGoal) && d.Meta.Session == m.Session
	})
	switch {
	case stands == gitstate.KindEnd:
		return gitstate.Record{}, errors.New("the run has ended")
	case !ok || handedIn:
		return gitstate.Record{}, errors.New("no session is under way; the next one is a fresh one")
	case handedOver(h, m.Session):
		return gitstate.Record{}, errors.New("its session has handed over already; a fresh one goes on")
	case isDue(h, m.Session):
		return gitstate.Record{}, errors.New("its session is to hand over already")
	}
	state, body := handoffDue, "A person asked for it."
	if stop {
		state, body = handoffThenStop, body+" The run stops then, so that the handoff can be edited."
	}
	return gitstate.Record{
		Kind: gitstate.KindNotice, Subject: m.Label + " is to hand over", Body: body,
		Meta: gitstate.Meta{Step: m.Step, Label: m.Label, Round: m.Round, Session: m.Session, State: state, Extra: standingOf(h).Extra},
	}, nil
}

// lastHandoff is the newest handoff of a step, or of a worker.
func lastHandoff(h gitstate.History, step, worker string) (gitstate.Doc, bool) {
	return h.Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindHandoff && d.Meta.Step == step && d.Meta.Worker == worker
	})
}

// mechanical is the handoff of a session that could not write its own: what the
// one before knew, the calls that had no result, and the way to the scene. Brief,
// goal, reports and verdict are told to every new session.
func mechanical(step, why, task string, before document.Handoff, open []harness.ToolCall, dir string) document.Handoff {
	d := document.DegradedHandoff(step, why, task)
	d.Decided, d.DeadEnds = before.Decided, before.DeadEnds
	if !before.Degraded() && before.Next != "" {
		d.Next += fmt.Sprintf("\n\nThe handoff before this one said to go on so; see what of it is done:\n\n%s", before.Next)
	}
	for i, call := range open {
		if i == 0 {
			d.Next += "\n\nThese calls had no result:\n"
		}
		d.Next += fmt.Sprintf("\n- %s: %s", call.Tool, summary(call.Input, dir))
	}
	return d
}

// briefly are reports in a line each, of very many the newest.
func briefly(reports []gitstate.Doc) string {
	var b strings.Builder
	if n := len(reports) - toldBriefly; n > 0 {
		fmt.Fprintf(&b, "%d older ones\n", n)
		reports = reports[n:]
	}
	for _, d := range reports {
		fmt.Fprintf(&b, "- %s: %s: %s (%s)\n", d.Meta.Worker, d.Meta.State, line(document.ParseReport(d.Body).Conclusion, 200), d.Name())
	}
	return b.String()
}

// toldBriefly is how many reports a fresh session is told in a line each.
const toldBriefly = 100

// thousands writes a number of tokens for people: "152,300".
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// toldInFull is how many bytes of reports a fresh session is given whole, the
// newest first; of the others it gets a line.
const toldInFull = 64 << 10

// reportsFor are the reports that a fresh session of a step is to have: whole
// what came since its last handoff was begun, so that whoever wrote that may not
// know it, and in a line each what is older.
func reportsFor(h gitstate.History, step string) (whole, lines []gitstate.Doc) {
	since, left := lastKnown(h, step), toldInFull
	reports := h.Of(gitstate.KindReport)
	for i, d := range slices.Backward(reports) {
		if left -= len(d.Body); d.Counter < since || left < 0 {
			return reports[i+1:], reports[:i+1]
		}
	}
	return reports, nil
}

// lastKnown is the counter from which on a step's last handoff does not know what
// happened.
func lastKnown(h gitstate.History, step string) int {
	handoff, ok := lastHandoff(h, step, "")
	if !ok {
		return 0
	}
	if due, ok := dueNotice(h, handoff.Meta.Session); ok && !isDegraded(handoff) {
		return due.Counter
	}
	begun, _ := h.Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindSession && d.Meta.Session == handoff.Meta.Session
	})
	return begun.Counter
}
