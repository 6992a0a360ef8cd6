package engine

import (
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// A dispatch that a crash cut off is answered with what its workers report: killed
// at any record, the coordinator is told each worker's own words, once, and no
// word of an interruption.
func TestAnOpenDispatchIsAnsweredWithItsReports(t *testing.T) {
	answered := 0
	for kill := 0; ; kill++ {
		r := newRig().unprotected()
		r.runs = func(string, string) int { return 0 }
		play := r.fake.Play
		r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
			switch Role(t.Options.Role) {
			case Worker:
				r.heard(t.Options.Session)
				return t.Done(strings.Replace(wholeReport, "It is done.", "Done by "+t.Options.Agent+".", 1))
			case Coordinator:
				return r.dispatchesTwo(t)
			}
			return play(t)
		}
		n := 0
		r.state.die = func(string) bool { n++; return n > kill }
		_, err := r.run(t)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("kill %d: %v", kill, err)
		}
		r.state.die, r.config.Wake = nil, "w2"
		told := ""
		resumed := r.fake.Play
		r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
			for _, a := range t.Answered {
				if a.Tool == "dispatch" {
					told = a.Result.Text
				}
			}
			return resumed(t)
		}
		if o, err := r.run(t); err != nil || o.State != EndReached {
			t.Fatalf("kill %d: %+v, %v\n%s", kill, o, err, r.state.story())
		}
		if told != "" {
			answered++
			for _, name := range []string{"coder-1", "coder-2"} {
				if strings.Count(told, "Done by "+name+".") != 1 {
					t.Errorf("kill %d: told of %s\n%s", kill, name, told)
				}
			}
		}
		if reports := r.state.History().Of(gitstate.KindReport); len(reports) != 2 {
			t.Errorf("kill %d: %d reports", kill, len(reports))
		}
	}
	if answered < 5 {
		t.Errorf("an open dispatch was answered %d times", answered)
	}
}

// dispatchesTwo is a coordinator's turn that sends two workers out, once.
func (r *rig) dispatchesTwo(t *harnesstest.FakeTurn) harness.Ended {
	_ = t.Request(harness.Usage{Input: 10, Output: 100})
	r.heard(t.Options.Session)
	if len(t.Answered) == 0 && !t.Carried && len(t.Said) > 0 && t.N == 1 {
		t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "coder", "task": "one"}, {"worker": "coder", "task": "two"}}})
	}
	return t.Done("I hold it to be done.")
}
