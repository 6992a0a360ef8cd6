package engine

import (
	"context"
	"errors"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// work runs one round of a working step: the coordinator dispatches until it
// holds the checks to be met.
func (e *Engine) work(ctx context.Context, a Attempt) error {
	session, fresh, err := e.place(ctx, a)
	if err != nil {
		return err
	}
	if a.Because == nil && !fresh {
		a.Because = e.goalSince(session)
	}
	c := e.newCrew(ctx, a)
	if fresh {
		// Nobody knows of the workers that an earlier session has left; what
		// they bring is told with the prompt.
		err = c.finish(ctx)
	}
	if err == nil {
		err = e.coordinate(ctx, a, c, session, fresh)
	}
	return errors.Join(err, c.close())
}

// coordinate drives the coordinator's session to the end of its turn.
func (e *Engine) coordinate(ctx context.Context, a Attempt, c *crew, session string, fresh bool) error {
	t, err := e.open(ctx, job{
		step: a.Step.Name, label: a.Label, role: a.Step.Role, dir: e.c.Dir, session: session, resume: !fresh,
		tools: []harness.Tool{c.dispatchTool(), c.waitTool(), c.tellTool(), e.askTool(a.Step, session, string(a.Step.Role))},
	})
	if err != nil {
		return err
	}
	defer t.close()
	t.words = c.wake
	e.atHelm(t)
	defer e.atHelm(nil)
	m, err := e.opening(a, session, fresh, func() (string, error) { return e.workPrompt(a) })
	if err != nil {
		return err
	}
	ended, err := t.say(ctx, m)
	for err == nil && len(c.untold()) > 0 {
		ended, err = c.tellLate(ctx, t)
	}
	if err != nil {
		return err
	}
	if strings.TrimSpace(ended.Text) == "" {
		return e.fail(ctx, a, t, "the coordinator ended its turn without a word")
	}
	d := e.finished(a, t, stepOK, ended.Text)
	_, err = e.record(ctx, gitstate.Record{
		Kind: gitstate.KindStep, Subject: a.Label + ": " + line(ended.Text, 50), Meta: withCost(d.Meta, t), Body: d.Body,
	})
	return err
}

// goalSince is the current goal when it is newer than the session: words said
// while the step was broken off must reach it.
func (e *Engine) goalSince(session string) *gitstate.Doc {
	h := e.deps.State.History()
	begun, _ := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindSession && d.Meta.Session == session })
	goal, ok := h.Current(gitstate.KindGoal)
	if !ok || goal.Counter < begun.Counter {
		return nil
	}
	return &goal
}

// workPrompt is what a fresh coordinator is told: the brief, the goal, and
// whatever of the work is already in the records.
func (e *Engine) workPrompt(a Attempt) (string, error) {
	h := e.deps.State.History()
	brief, _ := h.Current(gitstate.KindBrief)
	goal, _ := h.Current(gitstate.KindGoal)
	data := map[string]any{
		"Brief": brief.Body, "Goal": goal.Body, "Rounds": max(1, e.c.Limits.Rounds),
		"Amendments": amendmentsBeside(h, brief), "Base": h.Base, "Join": "", "Bench": e.c.Bench,
		"Reports": h.Of(gitstate.KindReport), "Handoff": "", "Verdict": "",
	}
	if hasJoin(h) {
		data["Join"] = joined(h)
	}
	if v, ok := h.Current(gitstate.KindVerdict); ok {
		data["Verdict"] = v.Body
	}
	if a.Because != nil && a.Because.Kind == gitstate.KindHandoff {
		data["Handoff"] = a.Because.Body
	}
	return prompt("work", data)
}
