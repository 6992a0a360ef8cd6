package engine

import (
	"context"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// clarify has the request turned into a brief. A reply that lacks sections is
// sent back in the same session.
func (e *Engine) clarify(ctx context.Context, a Attempt) error {
	p, err := e.place(ctx, a)
	if err != nil {
		return err
	}
	h := e.deps.State.History()
	t, first, err := e.enter(ctx, a, p, e.c.Dir)
	if err != nil {
		return err
	}
	defer t.close()
	ended, err := t.say(ctx, first...)
	if err != nil {
		return err
	}
	brief := document.ParseBrief(ended.Text)
	if missing := brief.Missing(); len(missing) > 0 {
		return e.fail(ctx, a, t, "it lacks "+strings.Join(missing, ", "))
	}
	m := gitstate.Meta{
		Step: a.Step.Name, Label: a.Label, Session: p.session, From: names(briefSources(h)),
	}
	if old, ok := h.Current(gitstate.KindBrief); ok {
		m.Replaces = []string{old.Name()}
	}
	_, err = e.record(ctx, gitstate.Record{
		Kind: gitstate.KindBrief, Subject: line(brief.Goal, 60), Body: brief.String(), Meta: withCost(m, t),
		With: []gitstate.Doc{e.finished(a, t, stepOK, "")},
	})
	return err
}
