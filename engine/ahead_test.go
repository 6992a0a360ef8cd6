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
