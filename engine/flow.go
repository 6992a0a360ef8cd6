package engine

import "git-flower/gitstate"

// A Flow is an ordered list of steps. What has been done is read from the
// run's records, never from the flow.
type Flow struct {
	Name  string
	Steps []Step
}

// A Step is one role doing one thing: a prompt in, a result out.
type Step struct {
	// Name is the step's key in records; renaming it cuts a running run off
	// from its sessions.
	Name string
	Role Role
	// Makes is the kind of document the step hands in, KindBrief or KindGoal.
	// Empty: it works on the code.
	Makes gitstate.Kind
	// Judged says that a judge decides after each round of work.
	Judged bool
	// Retries is how often a failed attempt is made again, in the same session.
	Retries int
}

// Builtin is the flow of 'git flower start': clarify, set the goal, work.
func Builtin(l Limits) Flow {
	f := Flow{Name: "builtin", Steps: []Step{
		{Name: "clarify", Role: Clarifier, Makes: gitstate.KindBrief, Retries: 2},
	}}
	if l.ClarifyOnly {
		return f
	}
	if !l.NoGoal {
		f.Steps = append(f.Steps, Step{Name: "goal", Role: Judge, Makes: gitstate.KindGoal, Retries: 2})
	}
	f.Steps = append(f.Steps, Step{Name: "work", Role: Coordinator, Judged: !l.NoGoal, Retries: 1})
	return f
}

// Limits bound a run; they may differ from wake to wake.
type Limits struct {
	Rounds      int // judged rounds for one goal, in all; at least 1
	NoGoal      bool
	ClarifyOnly bool
}
