package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// A trust is asked for each goal's commands.
type trust func(gitstate.Doc) error

func (f trust) Accept(_ context.Context, goal gitstate.Doc) error { return f(goal) }

// Commands that nobody accepted do not run: the run stops at a save point before
// them, also when their goal came while it was driven.
func TestCommandsFromElsewhere(t *testing.T) {
	r := newRig().unprotected()
	var foreign gitstate.Doc
	r.trust = trust(func(goal gitstate.Doc) error {
		if goal.Name() == foreign.Name() {
			return fmt.Errorf("it has %w", ErrForeign)
		}
		return nil
	})
	ran := 0
	r.runs = func(script, _ string) int {
		if script == "./theirs" {
			ran++
		}
		return 0
	}
	play := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if Role(turn.Options.Role) == Worker && foreign.Kind == "" {
			edited := must(t)(Edited(r.state.History(), gitstate.KindGoal, document.Goal{Statement: "Theirs.", Checks: []document.Check{{Text: "theirs", Command: "./theirs"}}}.String()))
			r.state.mu.Lock()
			r.state.keep(edited)
			r.state.mu.Unlock()
			foreign, _ = r.state.History().Current(gitstate.KindGoal)
		}
		return play(turn)
	}
	_, err := r.run(t)
	var p *Pause
	if !errors.As(err, &p) || p.Reason != PauseForeign || ran != 0 {
		t.Fatalf("got %v; theirs ran %d times", err, ran)
	}
	if strings.HasSuffix(r.state.story(), "verdict") {
		t.Errorf("judged all the same: %s", r.state.story())
	}
	r.trust = nil
	if o, err := r.run(t); err != nil || o.State != EndReached || ran == 0 {
		t.Errorf("accepted: %+v, %v", o, err)
	}
}
