package engine

import (
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
	"git-flower/guards"
)

// The judge of a round gets a shell when it is asked for, the one that sets the
// goal never does; what it changes is told and makes no difference to the verdict.
func TestJudgeWithAShell(t *testing.T) {
	for _, c := range []struct {
		name         string
		can, changes bool
	}{{"as usual", false, false}, {"a shell that looks", true, false}, {"a shell that changes", true, true}} {
		r := newRig().unprotected()
		r.config.JudgeCanRun = c.can
		judged, set := false, false
		play := r.fake.Play
		r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
			o := turn.Options
			bash := slices.Contains(o.Tools, "Bash")
			allowed := o.Authorize(turn.Context, guards.Call{Role: o.Role, Dir: o.Dir, Tool: "Bash", Input: []byte(`{"command":"./run"}`)}).Allow
			switch {
			case Role(o.Role) != Judge:
			case has(o, "goal"):
				set = true
				if bash || allowed || !strings.Contains(o.System, "You have no shell") {
					t.Errorf("%s: the one that sets the goal has a shell", c.name)
				}
			default:
				judged = true
				if bash != c.can || allowed != c.can || strings.Contains(o.System, "You have Bash") != c.can {
					t.Errorf("%s: offered %v, allowed %v", c.name, bash, allowed)
				}
				if c.changes {
					r.trees.edits++
				}
			}
			return play(turn)
		}
		o, err := r.run(t)
		if err != nil || o.State != EndReached || !judged || !set {
			t.Errorf("%s: %+v, %v", c.name, o, err)
		}
		told := false
		for _, d := range r.state.History().Of(gitstate.KindNotice) {
			told = told || strings.Contains(d.Body, "which has none of these changes")
		}
		if told != c.changes {
			t.Errorf("%s: told %v", c.name, told)
		}
	}
}
