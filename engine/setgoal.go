package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/worktree"
)

const goalSchema = `{
  "type": "object",
  "properties": {
    "statement": {"type": "string", "description": "The sign of completion, one sentence."},
    "checks": {
      "type": "array", "minItems": 1,
      "items": {
        "type": "object",
        "properties": {
          "text": {"type": "string", "description": "What is checked: run this, see that."},
          "command": {"type": "string", "description": "One shell line that exits 0 when the check is passed."},
          "unverifiable": {"type": "string", "description": "Why it cannot be verified here; leave out otherwise."}
        },
        "required": ["text"], "additionalProperties": false
      }
    },
    "protected": {"type": "array", "items": {"type": "string"}, "description": "Paths that decide the checks and come from the commit the run started at."}
  },
  "required": ["statement", "checks"], "additionalProperties": false
}`

// tries is how often a goal whose commands cannot start is sent back before
// those checks are marked as not verifiable here.
const tries = 2

// goalSetting is one attempt at the goal, as far as it has come.
type goalSetting struct {
	e       *Engine
	a       Attempt
	talk    *talk
	from    []string // what the session was told
	scene   *worktree.Tree
	refused int
	done    bool
}

// setGoal has the brief turned into a goal. The judge looks at a tree of the
// result so far; the commands of the checks run there once, so that one that cannot
// start is known before any work is paid for.
func (e *Engine) setGoal(ctx context.Context, a Attempt) error {
	p, err := e.place(ctx, a)
	if err != nil {
		return err
	}
	h := e.deps.State.History()
	scene, err := e.deps.Scenes.CheckoutWarm(ctx, h.ID, string(joined(h)), worktree.ProtectSpec{From: string(h.Base)})
	if err != nil {
		return fmt.Errorf("prepare a tree to set the goal in: %w", err)
	}
	defer e.discard(ctx, scene)
	// Words that come from here on are not told to the session: the goal must
	// not count as made from them.
	setting := &goalSetting{e: e, a: a, scene: scene, from: names(goalSources(until(e.deps.State.History(), p.session)))}
	if joined(h) == h.Base {
		defer setting.keepCaches()
	}
	t, first, err := e.enter(ctx, a, p, scene.Path, setting.tool())
	if err != nil {
		return err
	}
	defer t.close()
	setting.talk = t
	t.finished = func() bool { return setting.done }
	ended, err := t.say(ctx, first...)
	if err != nil || setting.done {
		return err
	}
	return setting.fromText(ctx, ended.Text)
}

// keepCaches has later checks begin with what these left: nothing of a worker's
// has run. Without it they only take longer.
func (g *goalSetting) keepCaches() {
	if !g.done {
		return
	}
	if err := g.e.deps.Scenes.KeepCaches(g.scene, g.e.deps.State.History().ID); err != nil {
		g.e.emit(Event{Kind: EventNotice, Text: fmt.Sprintf("checks begin with empty caches: %v", err)})
	}
}

// fromText is the way for a model that writes its goal instead of handing it in.
func (g *goalSetting) fromText(ctx context.Context, text string) error {
	goal := document.ParseGoal(text)
	if len(goal.Missing()) > 0 {
		return g.e.fail(ctx, g.a, g.talk, "it was not handed in with the goal tool")
	}
	ran, err := g.e.runChecks(ctx, goal, g.scene, g.a.Step.Name)
	if err != nil {
		return err
	}
	return g.record(ctx, unstartable(goal, ran), ran)
}

// record freezes the goal. It happens inside the tool's call, before its result
// is stored: a session whose call was answered has its goal in the history.
func (g *goalSetting) record(ctx context.Context, goal document.Goal, ran []checked) error {
	h := g.e.deps.State.History()
	m := gitstate.Meta{
		Step: g.a.Step.Name, Label: g.a.Label, Session: g.talk.job.session, From: g.from, Code: joined(h),
	}
	if old, ok := h.Current(gitstate.KindGoal); ok {
		m.Replaces = []string{old.Name()}
	}
	_, err := g.e.record(ctx, gitstate.Record{
		Kind: gitstate.KindGoal, Subject: line(goal.Statement, 60), Body: goal.String(), Meta: withCost(m, g.talk),
		With: []gitstate.Doc{g.e.finished(g.a, g.talk, stepOK, "So far:\n\n"+results(ran))},
	})
	if err != nil {
		return err
	}
	g.done = true
	// Whoever is asked again later learns that it is ours while that can be seen.
	made, _ := g.e.deps.State.History().Current(gitstate.KindGoal)
	return g.e.accept(ctx, g.a.Step.Name, made)
}

// unstartable marks the checks whose command cannot start as not verifiable here.
func unstartable(goal document.Goal, ran []checked) document.Goal {
	for _, c := range cannotStart(ran) {
		goal.Checks[c.index].Unverifiable = fmt.Sprintf("its command '%s' cannot start here", c.check.Command)
		goal.Checks[c.index].Command = ""
	}
	return goal
}

func (g *goalSetting) tool() harness.Tool {
	return harness.Tool{
		Name:        "goal",
		Description: "Hand in the goal. The commands of its checks are run once in the tree you look at; if one cannot start you are told and hand in the goal again.",
		Schema:      json.RawMessage(goalSchema),
		Call:        g.call,
	}
}

func (g *goalSetting) call(ctx context.Context, _ string, input json.RawMessage) (harness.Result, error) {
	goal, err := decodeGoal(input)
	if err != nil {
		return harness.Result{}, err
	}
	ran, err := g.e.runChecks(ctx, goal, g.scene, "goal")
	if err != nil {
		return harness.Result{}, err
	}
	if stuck := cannotStart(ran); len(stuck) > 0 {
		if g.refused++; g.refused < tries {
			return harness.Result{IsError: true, Text: "These commands cannot start here:\n\n" + results(stuck) +
				"\nUse another command, or mark the check as unverifiable with the reason. Then hand in the goal again."}, nil
		}
	}
	if err := g.record(ctx, unstartable(goal, ran), ran); err != nil {
		return harness.Result{}, err
	}
	return harness.Result{Text: "The goal is set. So far:\n\n" + results(ran)}, harness.ErrStop
}

// decodeGoal reads the tool's input. A goal is strict: what a judge can be
// fooled by later is refused now.
func decodeGoal(input json.RawMessage) (document.Goal, error) {
	var in struct {
		Statement string
		Checks    []struct{ Text, Command, Unverifiable string }
		Protected []string
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return document.Goal{}, refuse("the goal's input is not of the tool's form: %v", err)
	}
	g := document.Goal{Statement: in.Statement, Protected: in.Protected}
	for _, c := range in.Checks {
		g.Checks = append(g.Checks, document.Check{Text: c.Text, Command: c.Command, Unverifiable: c.Unverifiable})
	}
	if err := g.Validate(); err != nil {
		return g, refuse("%v", err)
	}
	// What is recorded is what a reader of the record will parse.
	g = document.ParseGoal(g.String())
	if missing := g.Missing(); len(missing) > 0 {
		return g, refuse("the goal lacks %s", strings.Join(missing, ", "))
	}
	if len(g.Checks) != len(in.Checks) {
		return g, refuse("every check needs a text of its own, without headings or list marks")
	}
	for i, c := range g.Checks {
		if c.Command != in.Checks[i].Command {
			return g, refuse("the command of check %d cannot be written down as it is: '%s'", i+1, line(in.Checks[i].Command, 200))
		}
	}
	return g, nil
}
