package engine

import "git-flower/engine/harness"

// A harness may be ahead of the events that it tells: when a session is seen to be
// full, or a person's wish is, the next request may have left, and its answer will be
// paid for. So such a turn is ended at its gate, which lets no further request out,
// and interrupted only when none is under way.

// asks is told of each request before it leaves, and says why it may not.
func (t *talk) asks(r harness.Request) error {
	if !r.Aside {
		t.underway.Add(1) // first: endsAtAnswer sets full, and looks at this then
		if t.full.Load() && !t.writing.Load() {
			t.underway.Add(-1)
			t.refused.Store(true)
			return errDue
		}
	}
	if t.asked != nil {
		t.asked()
	}
	return nil
}

// answered is told of each answer, and of each request that came to none. What a
// sub-agent's context holds says nothing of the session's.
func (t *talk) answered(r harness.Request, u harness.Usage) {
	if r.Aside {
		return
	}
	if t.endsAtGate() && t.mark.due(u.Context()) {
		t.full.Store(true)
	}
	t.underway.Add(-1)
}

// endsAtGate: a session that ends its turn with a tool of its own is interrupted
// when it has not, and may ask on until then.
func (t *talk) endsAtGate() bool { return t.job.handsOver && t.finished == nil }

// endsAtAnswer has the turn end with the answer that is under way, and what it
// calls for. False: there is none, so that there is nothing to lose.
func (t *talk) endsAtAnswer() bool {
	if !t.endsAtGate() {
		return false
	}
	t.full.Store(true)
	return t.underway.Load() > 0
}
