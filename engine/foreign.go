package engine

import (
	"context"
	"fmt"
	"strings"

	"git-flower/gitstate"
)

// A session belongs to the harness that it was begun in: tools have other names
// and results in the other, so that its transcript is nothing to go on from there.

// foreign reports whether a session was begun in another harness than ours.
func (e *Engine) foreign(session string) bool {
	begun, ok := e.deps.State.History().Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindSession && d.Meta.Session == session
	})
	return ok && e.foreignRecord(begun)
}

func (e *Engine) foreignRecord(begun gitstate.Doc) bool {
	return begun.Meta.Harness != "" && begun.Meta.Harness != e.deps.Harness.Name()
}

// noticeForeign tells that a session is not gone on with.
func (e *Engine) noticeForeign(ctx context.Context, which string, m gitstate.Meta) error {
	_, err := e.record(ctx, gitstate.Record{
		Kind: gitstate.KindNotice, Subject: fmt.Sprintf("%s is of another harness than '%s'", which, e.deps.Harness.Name()),
		Body: "A fresh session goes on from the records; what is done is not done again.", Meta: m,
	})
	return err
}

// ofThisHarness is a worker's session record, or one that takes its place where
// the session is of another harness.
func (e *Engine) ofThisHarness(ctx context.Context, begun gitstate.Doc) (gitstate.Doc, error) {
	if !e.foreignRecord(begun) {
		return begun, nil
	}
	m := begun.Meta
	if err := e.noticeForeign(ctx, "the session of "+m.Worker, gitstate.Meta{Step: m.Step, Label: m.Label, Round: m.Round, Worker: m.Worker}); err != nil {
		return begun, err
	}
	m.Session, m.Harness, m.Machine, m.From = newSession(), e.deps.Harness.Name(), e.c.Machine, []string{begun.Name()}
	if _, err := e.record(ctx, gitstate.Record{Kind: gitstate.KindSession, Subject: m.Worker + ": " + line(begun.Body, 50), Body: begun.Body, Meta: m}); err != nil {
		return begun, err
	}
	again, ok := answering(e.deps.State.History(), gitstate.KindSession, m.Call, m.Index)
	if !ok {
		return again, fmt.Errorf("the session of '%s' is not in the history", m.Worker)
	}
	return again, nil
}

// handsOn reports whether a session was begun from a handoff, which tells more.
func handsOn(begun gitstate.Doc) bool {
	return strings.HasPrefix(strings.Join(begun.Meta.From, " "), gitstate.KindHandoff.Folder()+"/")
}

// replacedNote is what a worker is told whose session takes the place of another.
func replacedNote(begun gitstate.Doc) string {
	if len(begun.Meta.From) == 0 || handsOn(begun) {
		return ""
	}
	return "You were at work on this already, in a conversation that cannot be gone on with. What you changed is in your working tree: look at it first ('git status', 'git diff', 'git log'), and go on from there."
}
