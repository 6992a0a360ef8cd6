package engine

import (
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// crowded is a rig in which the context of the judge of a round, session by
// session, is too full while full says so. It counts the judges and keeps what
// each was told.
func crowded(full func(judge int) bool) (r *rig, told *[]string) {
	r = newRig().unprotected()
	*r.answers = answers{"this"}
	r.runs = func(string, string) int { return 0 }
	r.windows = &knownWindows{window: 200_000}
	told = &[]string{}
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		if Role(t.Options.Role) != Judge || has(t.Options, "goal") {
			return play(t)
		}
		*told = append(*told, saidIn(t))
		if full(len(*told)) {
			_ = t.Request(harness.Usage{Input: 170_000})
			return harness.Ended{Fault: &harness.Fault{Class: harness.PromptTooLong, Message: "prompt is too long: 201,000 tokens > 190,000 maximum"}}
		}
		return play(t)
	}
	return r, told
}

// A judge whose context is full is begun anew, once, is told of it and gets less;
// no round is spent, and what it learned of the window is kept.
func TestAJudgeWhoseContextIsFullIsBegunAnew(t *testing.T) {
	r, told := crowded(func(judge int) bool { return judge == 1 })
	r.trees.stat = strings.Repeat(" a.c | 1 +\n", 400)
	o, err := r.run(t)
	if err != nil || o.State != EndReached || len(*told) != 2 {
		t.Fatalf("%+v, %v, %d judges\n%s", o, err, len(*told), r.state.story())
	}
	if h := r.state.History(); len(h.Of(gitstate.KindVerdict)) != 1 || roundsUsed(h) != 1 {
		t.Errorf("%s", r.state.story())
	}
	first, second := (*told)[0], (*told)[1]
	if strings.Contains(first, "170,000") || !strings.Contains(second, "170,000") || len(second) >= len(first) {
		t.Errorf("the second, told %d bytes after %d, hears:\n%s", len(second), len(first), second)
	}
	if learned := r.windows.(*knownWindows).learned; len(learned) != 1 || learned[0] != 190_000 {
		t.Errorf("learned %v", learned)
	}
}

// One that is full again stops the run with a diagnosis: nothing is reached, no
// round is spent. The next wake tries a judge that looks at less, once.
func TestAJudgeThatIsFullTwiceStopsTheRun(t *testing.T) {
	full := true
	r, told := crowded(func(int) bool { return full })
	for wake, judges := range []int{2, 3} {
		_, err := r.run(t)
		var p *Pause
		if !errors.As(err, &p) || p.Reason != PauseFull || len(*told) != judges {
			t.Fatalf("wake %d: %v, %d judges\n%s", wake, err, len(*told), r.state.story())
		}
		for _, want := range []string{"judge", "170,000", "200,000", "round is spent", "--window", "flower.judge.model", "edit goal"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the diagnosis lacks %q: %v", want, err)
			}
		}
	}
	if n := len(r.state.History().Of(gitstate.KindVerdict)); n != 0 {
		t.Errorf("%d verdicts", n)
	}
	full = false
	if o, err := r.run(t); err != nil || o.State != EndReached || !strings.Contains((*told)[3], "170,000") {
		t.Errorf("resumed: %+v, %v; told:\n%s", o, err, (*told)[len(*told)-1])
	}
}

// Killed at the notice, the next wake goes on with a judge that looks at less.
func TestAFullJudgeKilled(t *testing.T) {
	for moment, judges := range map[string]int{"before": 3, "after": 2} {
		r, told := crowded(func(judge int) bool { return judge < 2 || judge == 2 && moment == "before" })
		dead := false
		r.state.die = func(m string) bool { dead = dead || m == moment+" notice"; return dead }
		if _, err := r.run(t); !errors.Is(err, errKilled) || len(*told) != 1 {
			t.Fatalf("%s: %v, %d judges", moment, err, len(*told))
		}
		r.state.die = nil
		if o, err := r.run(t); err != nil || o.State != EndReached || len(*told) != judges || !strings.Contains((*told)[judges-1], "170,000") {
			t.Errorf("%s: %+v, %v, %d judges", moment, o, err, len(*told))
		}
	}
}

// The next round's judge begins as usual.
func TestAFullJudgeIsOfOneRound(t *testing.T) {
	r, told := crowded(func(judge int) bool { return judge == 1 })
	r.runs = func(_, dir string) int { return map[bool]int{true: 0, false: 1}[strings.Contains(dir, "coder-2")] }
	if o, err := r.run(t); err != nil || o.State != EndReached || len(*told) != 3 {
		t.Fatalf("%+v, %v, %d judges\n%s", o, err, len(*told), r.state.story())
	}
	if strings.Contains((*told)[2], "170,000") {
		t.Errorf("the second round's judge is told:\n%s", (*told)[2])
	}
}

// Clarifier and goal setter have main threads like the coordinator's: an overflow
// is a generation, and no attempt of theirs is spent.
func TestClarifierAndGoalSetterHandOverOnAnOverflow(t *testing.T) {
	for _, who := range []string{"brief", "goal"} {
		r := newRig().unprotected()
		*r.answers = answers{"this"}
		r.runs = func(string, string) int { return 0 }
		overflows := 1
		play := r.fake.Play
		r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
			mine := Role(t.Options.Role) == Clarifier && who == "brief" || has(t.Options, "goal") && who == "goal"
			if mine && overflows > 0 {
				overflows--
				r.heard(t.Options.Session)
				return harness.Ended{Fault: &harness.Fault{Class: harness.PromptTooLong, Message: "prompt is too long"}}
			}
			return play(t)
		}
		o, err := r.run(t)
		if err != nil || o.State != EndReached || len(r.handoffs()) != 1 || len(failures(Step{Name: r.handoffs()[0].Meta.Step}, r.state.History(), 0, 0)) != 0 {
			t.Errorf("%s: %+v, %v\n%s", who, o, err, r.state.story())
		}
	}
}
