package engine

import (
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// With Compact nothing is handed over, the harness may compact, and each time it does
// is a record.
func TestCompactedIsANotice(t *testing.T) {
	asked := true
	r := full(func(t coordinatorTurn) harness.Ended {
		asked = asked && t.Options.Compact
		t.Emit(harness.Compacted{Before: 190_000, After: 20_000})
		return t.dispatches(190_000)
	})
	r.config.Compact = true
	if o, err := r.run(t); err != nil || o.State != EndDone || len(r.handoffs()) != 0 || !asked {
		t.Fatalf("%+v, %v, asked for: %v\n%s", o, err, asked, r.state.story())
	}
	notices := r.state.History().Of(gitstate.KindNotice)
	if len(notices) != 1 || !strings.Contains(notices[0].Body, "190,000") || !strings.Contains(notices[0].Body, "20,000") {
		t.Errorf("notices: %+v", notices)
	}
}
