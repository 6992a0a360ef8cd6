package engine

import (
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
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

// lose drops every conversation, as moving to another machine does.
func (r *rig) lose() {
	for _, d := range r.state.History().Of(gitstate.KindSession) {
		r.fake.Forget(d.Meta.Session)
	}
	r.said.n = nil
}

// Where the conversation is lost, an open question is answered before a fresh
// session begins, and what was answered is told to it. Nobody is asked twice.
func TestQuestionsOutliveTheirSession(t *testing.T) {
	for before, want := range map[string]string{"answer": "that", "brief": "this"} {
		t.Run("killed before the "+before, func(t *testing.T) {
			r := newRig().unprotected()
			*r.answers = answers{"this"}
			r.killed(t, before)
			r.lose()
			*r.answers = answers{"that"}
			told := r.told(Clarifier)
			play := r.fake.Play
			r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
				if Role(turn.Options.Role) != Clarifier {
					return play(turn)
				}
				turn.Answered = append(turn.Answered, harness.ToolResult{}) // it asks nothing more
				return play(turn)
			}
			if o, err := r.run(t); err != nil || o.State != EndReached {
				t.Fatalf("got %+v, %v", o, err)
			}
			if n := strings.Count(r.state.story(), "question"); n != 1 {
				t.Errorf("%d questions", n)
			}
			if answer := (*told)[strings.Index(*told, "## Answer"):]; !strings.Contains(*told, "Which?") || !strings.Contains(answer, want) {
				t.Errorf("the clarifier was told:\n%s", *told)
			}
		})
	}
}

// Every fresh session of a step is told what was asked in it, and where nobody
// answered, that it has to decide.
func TestFreshSessionsHearWhatWasAsked(t *testing.T) {
	for _, c := range []struct {
		role Role
		tool string
		kill string
	}{{Judge, "goal", "goal"}, {Coordinator, "", "step"}, {Judge, "verdict", "verdict"}} {
		t.Run(string(c.role)+" "+c.tool, func(t *testing.T) {
			r := newRig().unprotected()
			play := r.fake.Play
			r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
				if Role(turn.Options.Role) == c.role && (c.tool == "" || has(turn.Options, c.tool)) && len(turn.Answered) == 0 && r.config.Wake == "w1" {
					turn.Call("ask", map[string]any{"question": "How fast?"})
				}
				return play(turn)
			}
			r.killed(t, c.kill)
			r.lose()
			told := r.told(c.role)
			if o, err := r.run(t); err != nil || o.State != EndReached {
				t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
			}
			if !strings.Contains(*told, "How fast?") || !strings.Contains(*told, "Nobody answered in time") {
				t.Errorf("it was told:\n%s", *told)
			}
		})
	}
}

// The clarifier is asked again with everything there is; the new brief takes the
// old one's place and the goal follows, once for each wish.
func TestClarifyAgain(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this"}
	if _, due := ClarifyAgain(r.state.History(), true, r.clock.Now()); due {
		t.Error("due before there is a brief")
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if _, due := ClarifyAgain(r.state.History(), false, r.clock.Now()); due {
		t.Error("due although nobody has said anything")
	}
	r.state.keep(Amendment("and quickly", r.clock.Now()))
	for _, due := range []bool{true, false} {
		wish, got := ClarifyAgain(r.state.History(), true, r.clock.Now())
		if got != due {
			t.Errorf("due: %v", got)
		}
		if got {
			r.state.keep(wish)
		}
	}
	told, goal := r.told(Clarifier), r.told(Judge)
	r.config.Wake = "w2"
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
	}
	for _, want := range []string{"do it", "Which?", "and quickly", "# The brief so far", "nothing else"} {
		if !strings.Contains(*told, want) {
			t.Errorf("the clarifier was not told %q:\n%s", want, *told)
		}
	}
	if strings.Contains(*told+*goal, "is to be clarified again") {
		t.Error("the wish was told as if it were words")
	}
	h := r.state.History()
	brief, _ := h.Current(gitstate.KindBrief)
	if n := len(h.Of(gitstate.KindBrief)); n != 2 || len(brief.Meta.Replaces) != 1 {
		t.Errorf("%d briefs, the last replaces %v", n, brief.Meta.Replaces)
	}
	if a := Next(Builtin(r.config.Limits), h, r.config.Limits).(Stop); !a.Ended {
		t.Errorf("next comes %+v", a)
	}
}

// Nobody is told of a judge who will not come.
func TestCoordinatorsRulesNameTheJudgeThatComes(t *testing.T) {
	for noGoal, want := range map[bool]string{false: "independent judge", true: "Nobody judges"} {
		r := newRig()
		r.config.Limits.NoGoal = noGoal
		system, play := "", r.fake.Play
		r.fake.Play = func(ft *harnesstest.FakeTurn) harness.Ended {
			if ft.Options.Role == string(Coordinator) {
				system = ft.Options.System
			}
			return play(ft)
		}
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(system, want) || strings.Contains(system, "Nobody judges") == strings.Contains(system, "independent judge") {
			t.Errorf("without a goal: %v; the coordinator's rules are:\n%s", noGoal, system)
		}
	}
}
