package engine

import (
	"slices"
	"testing"

	"git-flower/engine/harness"
)

// A harness may be ahead of what it has told, and ask for an answer while the turn is
// about to be ended. Such a request is not made: the answer would be paid for and lost.
func TestAFullSessionAsksForNothingMore(t *testing.T) {
	asked, refused := 0, 0
	r := full(func(t coordinatorTurn) harness.Ended {
		if t.session != 1 || t.writes {
			return once(t)
		}
		o := t.Options
		for _, context := range []int64{9_000, 150_000, 160_000} {
			if err := o.Gate.Admit(t.Context, harness.Request{Session: o.Session, Role: o.Role, Input: context}); err != nil {
				refused++
				return harness.Ended{Stop: harness.StopFault, Fault: &harness.Fault{Class: harness.Broken, Message: err.Error()}}
			}
			asked++
			o.Gate.Settle(t.Context, harness.Request{Session: o.Session, Role: o.Role, Input: context}, harness.Usage{Input: context})
		}
		return t.Done("It goes on.")
	})
	if _, err := r.run(t); err != nil {
		t.Fatal(err, r.state.story())
	}
	if asked != 2 || refused != 1 || len(r.handoffs()) != 1 || isDegraded(r.handoffs()[0]) {
		t.Errorf("%d requests were made, %d refused, handoffs %+v", asked, refused, r.handoffs())
	}
	for _, rows := range r.state.History().Ledger {
		for _, row := range rows {
			if slices.Contains(row.Errors, errDue.Error()) || row.Attempts > 1 {
				t.Errorf("it counts as a fault: %+v", row)
			}
		}
	}
}

// What a sub-agent's own context holds says nothing of the session's.
func TestASubAgentsContextIsNotTheSessions(t *testing.T) {
	r := full(func(t coordinatorTurn) harness.Ended {
		o := t.Options
		for _, q := range []harness.Request{{Input: 9_000}, {Input: 190_000, Aside: true}, {Input: 9_500}} {
			q.Session, q.Role = o.Session, o.Role
			if err := o.Gate.Admit(t.Context, q); err != nil {
				return harness.Ended{Stop: harness.StopFault, Fault: &harness.Fault{Class: harness.Broken, Message: err.Error()}}
			}
			o.Gate.Settle(t.Context, q, harness.Usage{Input: q.Input})
		}
		return t.says(10_000, "I hold it to be done.")
	})
	if _, err := r.run(t); err != nil {
		t.Fatal(err, r.state.story())
	}
	if len(r.handoffs()) != 0 {
		t.Errorf("handed over: %+v", r.handoffs())
	}
}

// A person asks for a handoff while the harness has a request under way already: its
// answer is paid for, so it is waited for, and nothing more is asked.
func TestAHandoffOnDemandLosesNoAnswer(t *testing.T) {
	answered, refused := false, false
	var r *rig
	r = full(func(turn coordinatorTurn) harness.Ended {
		if turn.session != 1 || turn.writes {
			return once(turn)
		}
		o := turn.Options
		asks := harness.Request{Session: o.Session, Role: o.Role, Input: 9_000}
		if err := o.Gate.Admit(turn.Context, asks); err != nil {
			return harness.Ended{Stop: harness.StopFault, Fault: &harness.Fault{Class: harness.Broken, Message: err.Error()}}
		}
		demandHandoff(t, r)
		turn.Call("Glob", map[string]string{"pattern": "*"})
		turn.Say("By now the result has been weighed.")
		answered = turn.Context.Err() == nil
		o.Gate.Settle(turn.Context, asks, harness.Usage{Input: 9_000})
		refused = o.Gate.Admit(turn.Context, asks) != nil
		return harness.Ended{Stop: harness.StopFault, Fault: &harness.Fault{Class: harness.Broken, Message: errDue.Error()}}
	})
	if _, err := r.run(t); err != nil {
		t.Fatal(err, r.state.story())
	}
	if !answered || !refused || len(r.handoffs()) != 1 || isDegraded(r.handoffs()[0]) {
		t.Errorf("the answer came: %v, the next request was refused: %v, handoffs %+v", answered, refused, r.handoffs())
	}
}
