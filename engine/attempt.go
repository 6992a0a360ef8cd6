package engine

import (
	"context"
	"fmt"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// place finds the session in which an attempt goes on, or records a new one.
// fresh says that nothing was said in it yet.
func (e *Engine) place(ctx context.Context, a Attempt) (session string, fresh bool, err error) {
	if a.Session != "" {
		n, err := e.deps.Transcripts.Len(ctx, a.Session)
		if err != nil {
			return "", false, fmt.Errorf("look for the transcript of step '%s': %w", a.Step.Name, err)
		}
		if n > 0 {
			return a.Session, false, nil
		}
		if !spoke(e.deps.State.History(), a.Session) {
			return a.Session, true, nil
		}
		if err := e.notice(ctx, a.Step.Name, fmt.Sprintf("the transcript of step '%s' is not on this machine", a.Step.Name),
			"A fresh session goes on from the records: brief, goal, reports and the last verdict."); err != nil {
			return "", false, err
		}
	}
	session = newSession()
	m := gitstate.Meta{
		Step: a.Step.Name, Label: a.Label, Round: a.Round, Session: session, Machine: e.c.Machine,
		Harness: e.deps.Harness.Name(), Model: e.model(a.Step.Role),
	}
	if a.Because != nil {
		m.From = []string{a.Because.Name()}
	}
	_, err = e.record(ctx, gitstate.Record{Kind: gitstate.KindSession, Subject: fmt.Sprintf("%s by the %s", a.Label, a.Step.Role), Meta: m})
	return session, true, err
}

// spoke reports whether the records know of anything said in a session: then a
// missing transcript is a loss, not a beginning.
func spoke(h gitstate.History, session string) bool {
	begun, ok := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindSession && d.Meta.Session == session })
	if !ok {
		return true
	}
	_, ok = h.Last(func(d gitstate.Doc) bool {
		return d.Counter > begun.Counter && (d.Meta.Session == session || d.Meta.Step == begun.Meta.Step && d.Meta.Call != "")
	})
	return ok
}

// opening is what an attempt says first: the whole prompt to a fresh session,
// what made the attempt necessary to one that goes on.
func (e *Engine) opening(a Attempt, session string, fresh bool, whole func() (string, error)) (harness.Message, error) {
	if fresh || a.Because == nil {
		text, err := whole()
		return harness.Message{ID: messageID(session, "start"), Text: text}, err
	}
	h := e.deps.State.History()
	text, err := prompt("feedback", map[string]any{
		"Kind": string(a.Because.Kind), "Round": a.Because.Meta.Round, "Code": a.Because.Meta.Code, "Body": a.Because.Body,
		"Amendments": amendmentsSince(h, lastAttempt(a.Step, h)),
	})
	return harness.Message{ID: messageID(session, a.Because.Name()), Text: text}, err
}

// lastAttempt is the counter of a step's newest finished attempt.
func lastAttempt(s Step, h gitstate.History) int {
	d, _ := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindStep && d.Meta.Step == s.Name })
	return d.Counter
}

// finished is the step document of an attempt.
func (e *Engine) finished(a Attempt, t *talk, state, text string) gitstate.Doc {
	return gitstate.Doc{
		Kind: gitstate.KindStep,
		Meta: gitstate.Meta{
			Step: a.Step.Name, Label: a.Label, Round: a.Round, Session: t.job.session, State: state,
			Code: joined(e.deps.State.History()),
		},
		Body: text,
	}
}

// fail records an attempt that led to nothing; Next decides whether there is another.
func (e *Engine) fail(ctx context.Context, a Attempt, t *talk, why string) error {
	d := e.finished(a, t, stepFailed, why)
	_, err := e.record(ctx, gitstate.Record{
		Kind: gitstate.KindStep, Subject: fmt.Sprintf("%s failed: %s", a.Label, line(why, 50)), Meta: withCost(d.Meta, t), Body: d.Body,
	})
	return err
}

// withCost adds what the talk has cost so far to a record's facts.
func withCost(m gitstate.Meta, t *talk) gitstate.Meta {
	m.Cost = t.e.books.cost(t.row)
	return m
}
