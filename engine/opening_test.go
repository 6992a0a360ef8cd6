package engine

import (
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// told collects what a role's sessions are told from now on.
func (r *rig) told(role Role) *string {
	var text string
	play := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if Role(turn.Options.Role) == role {
			for _, m := range turn.Said {
				text += m.Text + "\n"
			}
		}
		return play(turn)
	}
	return &text
}

// killed drives a run until before a record of a kind is made.
func (r *rig) killed(t *testing.T, before string) {
	t.Helper()
	r.state.die = func(m string) bool { return m == "before "+before }
	if _, err := r.run(t); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	r.state.die = nil
	r.config.Wake += "+"
}

// Where nothing is judged, words reach the coordinator that goes on, alone: it
// is not told again what it knows.
func TestWordsWithoutAGoal(t *testing.T) {
	r := newRig()
	r.config.Limits.NoGoal = true
	r.killed(t, "report")
	told := r.told(Coordinator)
	r.state.keep(Amendment("and quickly", r.clock.Now()))
	if o, err := r.run(t); err != nil || o.State != EndDone {
		t.Fatalf("got %+v, %v", o, err)
	}
	if strings.Count(*told, "and quickly") != 1 || strings.Contains(*told, "# Brief") {
		t.Errorf("the coordinator was told:\n%s", *told)
	}
	*told = ""
	r.config.Wake = "w3"
	r.state.keep(Amendment("one thing more", r.clock.Now()))
	if o, err := r.run(t); err != nil || o.State != EndDone {
		t.Fatalf("got %+v, %v", o, err)
	}
	if strings.Count(*told, "one thing more") != 1 || strings.Contains(*told, "and quickly") || strings.Contains(*told, "without a result") {
		t.Errorf("after the end the coordinator was told:\n%s", *told)
	}
}
