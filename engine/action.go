package engine

import "git-flower/gitstate"

// An Action is what comes next in a run. The set is closed.
type Action interface{ action() }

// Attempt runs a step's session: a new one, or on from where it stands.
type Attempt struct {
	Step  Step
	Label string // "work", "work#round2", "clarify#retry1"
	Round int    // judged round that it belongs to; zero when the step has none
	// Session is the step's living session, empty when a fresh one is due.
	Session string
	// Because is the document that made the attempt necessary and that the
	// session must hear of: a verdict, an answer, a handoff, a failed step.
	Because *gitstate.Doc
}

// Adjudicate has a finished round of work judged.
type Adjudicate struct {
	Step Step
	Work gitstate.Doc // the finished round
	Goal gitstate.Doc
}

// Consult asks the person what to make of an unreachable goal.
type Consult struct {
	Step    Step
	Verdict gitstate.Doc
}

// Confirm asks the person about checks of a goal that cannot be verified here.
type Confirm struct {
	Step Step
	Goal gitstate.Doc
}

// Stop ends the wake. Ended says that the history tells so already.
type Stop struct {
	State EndState
	From  []string // names of the documents that decided it
	Why   string
	Ended bool
}

// An EndState is how a run stands when it stops.
type EndState string

// The end states. NeedsHuman is a save point and never recorded as an end.
const (
	EndReached    EndState = "reached"
	EndDone       EndState = "done"     // nothing was left to do and nobody judged it
	EndAccepted   EndState = "accepted" // unreachable, and accepted as it is
	EndNotReached EndState = "not-reached"
	EndFailed     EndState = "failed"
	NeedsHuman    EndState = "needs-human"
)

func (Attempt) action()    {}
func (Adjudicate) action() {}
func (Consult) action()    {}
func (Confirm) action()    {}
func (Stop) action()       {}
