package engine

import (
	"errors"
	"fmt"

	"git-flower/engine/harness"
)

// ErrNobody means that no person answered in time.
var ErrNobody = errors.New("nobody answered")

// errHandedOver ends an attempt whose session has left a handoff: the next one
// takes it up.
var errHandedOver = errors.New("the session has handed over")

// errDue ends a turn whose session is to hand over.
var errDue = errors.New("the session is to hand over")

// ErrForeign means that the commands of a goal came from elsewhere and nobody has
// accepted them on this machine.
var ErrForeign = errors.New("commands that nobody has accepted on this machine")

// A Pause is a save point: the run is recorded and goes on with 'resume'.
type Pause struct {
	Reason PauseReason
	Step   string
	Err    error // what happened, may be nil

	alone bool // the endpoint answered other sessions meanwhile
}

// A PauseReason says what kind of thing made a run pause.
type PauseReason int

// The reasons to pause.
const (
	PauseFault   PauseReason = iota // a failure nobody could classify
	PauseBudget                     // the money is spent
	PauseFull                       // the context is full
	PauseLater                      // network or usage limit: trying later helps
	PauseRefused                    // credentials, model or request refused: trying again does not help
	PauseHandoff                    // a person wants to see the handoff before the next session does
	PauseForeign                    // commands came from elsewhere; a person has to accept them
)

func (p *Pause) Error() string {
	what := [...]string{"stopped by a failure", "stopped at the budget", "stopped with a full context",
		"stopped until the endpoint answers again", "stopped since the endpoint refuses",
		"stopped as was asked, the handoff is written,", "stopped before a command ran"}[p.Reason]
	if p.Err == nil {
		return fmt.Sprintf("%s in step '%s'", what, p.Step)
	}
	return fmt.Sprintf("%s in step '%s': %v", what, p.Step, p.Err)
}

func (p *Pause) Unwrap() error { return p.Err }

// pauseOf turns the fault that ended a turn for good into a save point.
func pauseOf(step string, f *harness.Fault) *Pause {
	reason := PauseFault
	switch f.Class {
	case harness.Budget:
		reason = PauseBudget
	case harness.PromptTooLong:
		reason = PauseFull
	case harness.Network, harness.RateLimit, harness.Overloaded, harness.ServerError, harness.UsageLimit:
		reason = PauseLater
	case harness.Auth, harness.Invalid, harness.Refused:
		reason = PauseRefused
	}
	return &Pause{Reason: reason, Step: step, Err: f}
}
