package engine

import (
	"context"
	"errors"
	"fmt"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// A judge hands nothing over: what it has seen is worth nothing to another, who is
// to look itself. One whose context is full is begun anew, once, with the order to
// look at less; after that it is for a person. It never counts as a verdict, so that
// nothing is reached by it and no round is spent.

// judgeFull is the state of a notice that a judge's context was full.
const judgeFull = "judge-full"

// crowdedLines is how many lines of the list of changes a judge is shown that is to
// look at less.
const crowdedLines = 100

// noteFull records that a judge's context was full.
func (tr *trial) noteFull(ctx context.Context, t *talk, f *harness.Fault) error {
	t.learn(f)
	m := t.facts(judgeFull)
	m.Code = tr.a.Work.Meta.Code
	held := "Its context was full before it could hand in a verdict"
	if t.context > 0 {
		held = fmt.Sprintf("Its context was full at %s tokens before it could hand in a verdict", thousands(t.context))
	}
	if window := t.e.window(t.row.Model); window > 0 {
		held += fmt.Sprintf("; the window is held to have %s", thousands(window))
	}
	_, err := tr.e.record(ctx, gitstate.Record{
		Kind: gitstate.KindNotice, Subject: fmt.Sprintf("the context of the judge of round %d is full", m.Round), Meta: withCost(m, t), Body: held + ".",
	})
	return err
}

// earlier tells of the newest judge of the same work whose context was full, empty
// when there was none. It is read from the records, so that a wake goes on where a
// killed one was.
func (tr *trial) earlier() string {
	d, _ := tr.e.deps.State.History().Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindNotice && d.Meta.State == judgeFull && d.Meta.Label == tr.label() && d.Meta.Code == tr.a.Work.Meta.Code
	})
	return d.Body
}

func (tr *trial) giveUp() error {
	return &Pause{Reason: PauseFull, Step: tr.a.Step.Name, Err: errors.New(line(fmt.Sprintf(
		"the judge of round %d cannot hand in a verdict, also not by looking at less. %s No round is spent, and nothing counts as reached. "+
			"What helps: the true window (--window) or a model with a larger one for the judge (flower.judge.model); or checks that are commands ('git flower edit goal').",
		tr.a.Work.Meta.Round, tr.earlier()), 1000))}
}
