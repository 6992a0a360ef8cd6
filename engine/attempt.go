package engine

import (
	"context"
	"errors"
	"fmt"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// A place is the session in which an attempt goes on.
type place struct {
	session string
	fresh   bool // nothing was said in it yet
}

// place finds an attempt's session, or records a new one. A new one begins when
// what older ones have asked is answered.
func (e *Engine) place(ctx context.Context, a Attempt) (place, error) {
	if a.Session != "" && e.foreign(a.Session) {
		if err := e.noticeForeign(ctx, "the session of step '"+a.Step.Name+"'", gitstate.Meta{Step: a.Step.Name, Label: a.Label, Round: a.Round}); err != nil {
			return place{}, err
		}
	} else if a.Session != "" {
		n, err := e.deps.Transcripts.Len(ctx, a.Session)
		if err != nil {
			return place{}, fmt.Errorf("look for the transcript of step '%s': %w", a.Step.Name, err)
		}
		if n > 0 {
			return place{session: a.Session}, nil
		}
		if !spoke(e.deps.State.History(), a.Session) {
			return place{session: a.Session, fresh: true}, nil
		}
		if err := e.notice(ctx, a.Step.Name, fmt.Sprintf("the transcript of step '%s' is not on this machine", a.Step.Name),
			"A fresh session goes on from the records: brief, goal, reports and the last verdict."); err != nil {
			return place{}, err
		}
	}
	if err := e.settle(ctx, a.Step.Name, a.Step.Role); err != nil {
		return place{}, err
	}
	p := place{session: newSession(), fresh: true}
	m := gitstate.Meta{
		Step: a.Step.Name, Label: a.Label, Round: a.Round, Session: p.session, Machine: e.c.Machine,
		Harness: e.deps.Harness.Name(), Model: e.model(a.Step.Role),
	}
	if a.Because != nil {
		m.From = []string{a.Because.Name()}
	}
	_, _, err := e.recordOn(ctx, func(h gitstate.History) (gitstate.Record, bool) {
		if handoff, open := openHandoff(a.Step, h); open {
			m.From = []string{handoff.Name()} // as it now stands: a person may have edited it
		}
		return gitstate.Record{Kind: gitstate.KindSession, Subject: fmt.Sprintf("%s by the %s", a.Label, a.Step.Role), Meta: m}, true
	})
	return p, err
}

// enter opens an attempt's session and finds what is said in it first.
func (e *Engine) enter(ctx context.Context, a Attempt, p place, dir string, tools ...harness.Tool) (*talk, []harness.Message, error) {
	t, err := e.open(ctx, job{
		step: a.Step.Name, label: a.Label, role: a.Step.Role, round: a.Round, dir: dir, session: p.session, resume: !p.fresh, fence: e.c.Fence,
		handsOver: true,
		tools:     append(tools, e.askTool(a.Step, p.session, string(a.Step.Role))),
	})
	if err != nil {
		return nil, nil, err
	}
	first, err := e.opening(a, p)
	if err != nil {
		return nil, nil, errors.Join(err, t.close())
	}
	return t, first, nil
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
	m.Cost = t.e.books.Cost(t.row)
	return m
}
