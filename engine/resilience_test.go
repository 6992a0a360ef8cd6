package engine

import (
	"testing"
	"time"

	"git-flower/engine/harness"
)

func TestWhoseProblemAFaultIs(t *testing.T) {
	for _, c := range []struct {
		class      harness.Class
		any, alone bool // whether it is the worker's own: in any case, and when others were answered
	}{
		{harness.Invalid, true, true},
		{harness.Refused, true, true},
		{harness.PromptTooLong, true, true},
		{harness.Network, false, true},
		{harness.Overloaded, false, true},
		{harness.RateLimit, false, true},
		{harness.ServerError, false, true},
		{harness.Unknown, false, true},
		{harness.Broken, false, false},
		{harness.Budget, false, false},
		{harness.Auth, false, false},
		{harness.UsageLimit, false, false},
	} {
		p := pauseOf("work", &harness.Fault{Class: c.class})
		if own := ownProblem(p) != nil; own != c.any {
			t.Errorf("%v: %v", c.class, own)
		}
		p.alone = true
		if own := ownProblem(p) != nil; own != c.alone {
			t.Errorf("%v, alone: %v", c.class, own)
		}
	}
	if ownProblem(nil) != nil {
		t.Error("no error is a problem")
	}
}

func TestAPulseIsAfterTheTroubleBegan(t *testing.T) {
	var p pulse
	began := time.Unix(1000, 0)
	if p.after(began) {
		t.Error("nobody was answered yet")
	}
	p.beat(began)
	if p.after(began) {
		t.Error("an answer at the moment the trouble began")
	}
	p.beat(began.Add(time.Second))
	if !p.after(began) {
		t.Error("an answer after the trouble began")
	}
}

// Faults are counted since the last answer: ten of them, each after an answer, are
// one trouble each, and ten without any answer are one that is given up.
func TestProgressBeginsTheCountAnew(t *testing.T) {
	for answers, want := range map[bool]error{true: nil, false: &Pause{}} {
		faults := 0
		r := full(func(t coordinatorTurn) harness.Ended {
			if faults++; faults <= 10 {
				if answers {
					_ = t.Request(harness.Usage{Input: 10})
				}
				return harness.Ended{Fault: &harness.Fault{Class: harness.Unknown, Message: "odd"}}
			}
			return t.dispatches(10)
		})
		_, err := r.run(t)
		if (err == nil) != (want == nil) {
			t.Errorf("answers between them: %v: %v after %d faults", answers, err, faults)
		}
	}
}
