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

const verdictSchema = `{
  "type": "object",
  "properties": {
    "state": {"type": "string", "enum": ["reached", "not-yet", "unreachable"]},
    "reason": {"type": "string", "description": "One or two sentences: what is missing, never how to do it."},
    "quote": {"type": "string", "description": "Only if protected paths were changed and the brief asks for that: the brief's own words."},
    "checks": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "check": {"type": "integer", "minimum": 1, "description": "The check's number."},
          "passed": {"type": "boolean"},
          "evidence": {"type": "string", "description": "What you saw."}
        },
        "required": ["check", "passed", "evidence"], "additionalProperties": false
      }
    }
  },
  "required": ["state", "reason", "checks"], "additionalProperties": false
}`

// trial is the judging of one round.
type trial struct {
	e       *Engine
	a       Adjudicate
	goal    document.Goal
	ran     []checked
	touched []string
	verdict document.Verdict
	quote   string
	spoken  bool
	crowded string // what is told to a judge that takes the place of one whose context was full
}

// judge has a finished round judged by a fresh session that never enters the
// lineage. The commands of the checks run first, in a tree of their own with
// the protected paths of the base; the judge reads another one.
func (e *Engine) judge(ctx context.Context, a Adjudicate) error {
	tr := &trial{e: e, a: a, goal: document.ParseGoal(a.Goal.Body)}
	e.emit(Event{Kind: EventStep, Step: a.Step.Name, Label: tr.label(), Round: a.Work.Meta.Round, Role: string(Judge)})
	if err := e.settle(ctx, a.Step.Name, Judge); err != nil {
		return err
	}
	if err := tr.runChecks(ctx); err != nil {
		return err
	}
	scene, err := e.deps.Scenes.Checkout(ctx, string(a.Work.Meta.Code), worktree.ProtectSpec{})
	if err != nil {
		return fmt.Errorf("prepare a tree for the judge: %w", err)
	}
	defer e.discard(ctx, scene)
	tr.crowded = tr.earlier()
	full, err := tr.session(ctx, scene)
	if full && err == nil && tr.crowded == "" {
		tr.crowded = tr.earlier()
		full, err = tr.session(ctx, scene)
	}
	if full && err == nil {
		return tr.giveUp()
	}
	return err
}

// session has one judge look and records its verdict. With full its context holds
// no further request and there is none: that is no verdict and spends no round.
func (tr *trial) session(ctx context.Context, scene *worktree.Tree) (full bool, err error) {
	session := newSession()
	t, err := tr.e.open(ctx, job{
		step: tr.a.Step.Name, label: tr.label(), round: tr.a.Work.Meta.Round, role: Judge, dir: scene.Path, session: session, fence: scene.Looking(),
		tools: []harness.Tool{tr.tool(), tr.e.askTool(tr.a.Step, session, string(Judge))}, shell: tr.e.c.JudgeCanRun,
	})
	if err != nil {
		return false, err
	}
	defer t.close()
	changed, err := tr.e.watchTree(ctx, scene)
	if err != nil {
		return false, err
	}
	err = tr.hear(ctx, t)
	if fault := overflowOf(err); fault != nil {
		return true, tr.noteFull(ctx, t, fault)
	}
	if err != nil {
		return false, err
	}
	if err := tr.record(ctx, t); err != nil {
		return false, err
	}
	return false, tr.tellChange(ctx, changed)
}

// watchTree returns what tells later whether a judge with a shell has changed its
// tree. The verdict is about the commit whatever happened there.
func (e *Engine) watchTree(ctx context.Context, scene *worktree.Tree) (changed func(context.Context) (bool, error), err error) {
	if !e.c.JudgeCanRun {
		return func(context.Context) (bool, error) { return false, nil }, nil
	}
	before, err := e.deps.Scenes.TreeDigest(ctx, scene)
	return func(ctx context.Context) (bool, error) {
		after, err := e.deps.Scenes.TreeDigest(ctx, scene)
		return after != before, err
	}, err
}

func (tr *trial) tellChange(ctx context.Context, changed func(context.Context) (bool, error)) error {
	did, err := changed(ctx)
	if err != nil || !did {
		return err
	}
	subject := fmt.Sprintf("the judge of round %d changed files of its throw-away tree", tr.a.Work.Meta.Round)
	tr.e.emit(Event{Kind: EventNotice, Step: tr.a.Step.Name, Text: subject})
	return tr.e.notice(ctx, tr.a.Step.Name, subject, fmt.Sprintf("The verdict is about commit %s, which has none of these changes.", tr.a.Work.Meta.Code))
}

func (tr *trial) label() string {
	return fmt.Sprintf("%s#judge%d", tr.a.Step.Name, tr.a.Work.Meta.Round)
}

func (tr *trial) runChecks(ctx context.Context) error {
	if err := tr.e.accept(ctx, tr.a.Step.Name, tr.a.Goal); err != nil {
		return err
	}
	h := tr.e.deps.State.History()
	protect := worktree.ProtectSpec{From: string(h.Base), Paths: tr.goal.Protected}
	scene, err := tr.e.deps.Scenes.CheckoutWarm(ctx, h.ID, string(tr.a.Work.Meta.Code), protect)
	if err != nil {
		return fmt.Errorf("prepare a tree for the checks: %w", err)
	}
	defer tr.e.discard(ctx, scene)
	if tr.ran, err = tr.e.runChecks(ctx, tr.goal, scene, tr.a.Step.Name); err != nil {
		return err
	}
	changed, err := tr.e.deps.Joins.Changed(ctx, string(h.Base), string(tr.a.Work.Meta.Code))
	if err != nil {
		return fmt.Errorf("look for changes to protected paths: %w", err)
	}
	if tr.touched, err = protect.Among(changed); err != nil {
		return err
	}
	governing, err := tr.governing(ctx, string(h.Base), changed, protect)
	tr.touched = append(tr.touched, governing...)
	return err
}

// hear asks the judge, and once more for the verdict alone if none was handed in.
func (tr *trial) hear(ctx context.Context, t *talk) error {
	text, err := tr.prompt(ctx)
	if err != nil {
		return err
	}
	ended, err := t.say(ctx, harness.Message{Text: text})
	if err != nil || tr.spoken {
		return err
	}
	if tr.verdict = document.ParseVerdict(ended.Text); tr.verdict.Clear {
		return nil
	}
	if text, err = prompt("unclear", nil); err != nil {
		return err
	}
	again, err := t.say(ctx, harness.Message{Text: text})
	if err != nil || tr.spoken {
		return err
	}
	if tr.verdict = document.ParseVerdict(again.Text); !tr.verdict.Clear {
		tr.verdict = document.Verdict{Clear: true, Reason: "The judge's answer is no verdict, which counts as not yet: " + head(line(ended.Text, 600), 600)}
	}
	return nil
}

func (tr *trial) prompt(ctx context.Context) (string, error) {
	h := tr.e.deps.State.History()
	stat, err := tr.e.deps.Joins.Diffstat(ctx, string(h.Base), string(tr.a.Work.Meta.Code))
	if err != nil {
		return "", fmt.Errorf("describe the changes: %w", err)
	}
	brief, _ := h.Current(gitstate.KindBrief)
	switch {
	case stat == "":
		stat = "None: nothing was changed.\n"
	case tr.crowded != "":
		stat = strings.Join(first(strings.Split(stat, "\n"), crowdedLines), "\n")
	}
	return prompt("judgeround", map[string]any{
		"Round": tr.a.Work.Meta.Round, "Goal": tr.a.Goal.Body, "Results": results(tr.ran), "Protected": tr.goal.Protected,
		"Touched": strings.Join(first(tr.touched, touchedListed), "\n"), "Stat": stat, "Brief": brief.Body,
		"Amendments": amendmentsSince(h, tr.a.Goal.Counter), "Asked": askedSoFar(h, tr.a.Step.Name), "Crowded": tr.crowded,
	})
}

func (tr *trial) tool() harness.Tool {
	return harness.Tool{
		Name:        "verdict",
		Description: "Hand in the verdict on this round.",
		Schema:      json.RawMessage(verdictSchema),
		Call: func(_ context.Context, _ string, input json.RawMessage) (harness.Result, error) {
			v, quote, err := decodeVerdict(input)
			if err != nil {
				return harness.Result{}, err
			}
			tr.verdict, tr.quote, tr.spoken = v, quote, true
			return harness.Result{Text: "The verdict is recorded."}, harness.ErrStop
		},
	}
}

func (tr *trial) record(ctx context.Context, t *talk) error {
	touched := tr.touched
	if asked(tr.quote, tr.e.deps.State.History()) {
		touched = nil
	}
	v := uphold(tr.verdict, tr.goal, tr.ran, touched)
	m := gitstate.Meta{
		Step: tr.a.Step.Name, Label: tr.label(), Round: tr.a.Work.Meta.Round, Session: t.job.session, Code: tr.a.Work.Meta.Code,
		State: v.State.String(), From: []string{tr.a.Goal.Name(), tr.a.Work.Name()},
	}
	if old, ok := tr.e.deps.State.History().Current(gitstate.KindVerdict); ok {
		m.Replaces = []string{old.Name()}
	}
	_, err := tr.e.record(ctx, gitstate.Record{
		Kind: gitstate.KindVerdict, Subject: fmt.Sprintf("round %d: %s: %s", tr.a.Work.Meta.Round, v.State, line(v.Reason, 40)),
		Body: strings.TrimRight(withoutOurs(v.String()), "\n") + commandsRun(tr.ran), Meta: withCost(m, t),
	})
	return err
}

// discard gives a throw-away tree back, also when the run is being stopped.
func (e *Engine) discard(ctx context.Context, t *worktree.Tree) {
	if err := e.deps.Scenes.Release(context.WithoutCancel(ctx), t); err != nil {
		e.emit(Event{Kind: EventNotice, Text: fmt.Sprintf("cannot remove the throw-away tree '%s': %v", t.Path, err)})
	}
}
