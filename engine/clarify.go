package engine

import (
	"context"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// clarify has the request turned into a brief. A reply that lacks sections is
// sent back in the same session.
func (e *Engine) clarify(ctx context.Context, a Attempt) error {
	session, fresh, err := e.place(ctx, a)
	if err != nil {
		return err
	}
	t, err := e.open(ctx, job{
		step: a.Step.Name, label: a.Label, role: a.Step.Role, dir: e.c.Dir, session: session, resume: !fresh,
		tools: []harness.Tool{e.askTool(a.Step, session, string(a.Step.Role))},
	})
	if err != nil {
		return err
	}
	defer t.close()
	h := e.deps.State.History()
	m, err := e.clarifyMessage(a, h, session, fresh)
	if err != nil {
		return err
	}
	ended, err := t.say(ctx, m)
	if err != nil {
		return err
	}
	brief := document.ParseBrief(ended.Text)
	if missing := brief.Missing(); len(missing) > 0 {
		return e.fail(ctx, a, t, "it lacks "+strings.Join(missing, ", "))
	}
	_, err = e.record(ctx, gitstate.Record{
		Kind: gitstate.KindBrief, Subject: line(brief.Goal, 60), Body: brief.String(),
		Meta: withCost(gitstate.Meta{
			Step: a.Step.Name, Label: a.Label, Session: session, From: names(append(h.Of(gitstate.KindRequest), h.Of(gitstate.KindAmendment)...)),
		}, t),
		With: []gitstate.Doc{e.finished(a, t, stepOK, "")},
	})
	return err
}

// clarifyMessage is what an attempt says first. A session that was broken off
// hears what the person has added since it began.
func (e *Engine) clarifyMessage(a Attempt, h gitstate.History, session string, fresh bool) (harness.Message, error) {
	began, _ := until(h, session).Last(func(gitstate.Doc) bool { return true })
	added := amendmentsSince(h, began.Counter)
	if !fresh && a.Because != nil {
		text, err := prompt("missing", map[string]any{"What": "a brief", "Missing": a.Because.Body, "Amendments": added})
		return harness.Message{ID: messageID(session, a.Because.Name()), Text: text}, err
	}
	if !fresh && len(added) > 0 {
		text, err := prompt("added", map[string]any{"Amendments": added})
		return harness.Message{ID: messageID(append([]string{session}, names(added)...)...), Text: text}, err
	}
	request, _ := h.Current(gitstate.KindRequest)
	text, err := prompt("request", map[string]any{"Request": request.Body, "Amendments": h.Of(gitstate.KindAmendment)})
	return harness.Message{ID: messageID(session, "start"), Text: text}, err
}
