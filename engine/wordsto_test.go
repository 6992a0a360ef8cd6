package engine

import (
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// Words for one worker make no goal stale and are told to nobody else.
func TestWordsForOneWorker(t *testing.T) {
	r := newRig().unprotected()
	r.answers = &answers{"this"}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	r.state.keep(AmendmentTo("coder-1", "only you", r.clock.Now()))
	h := r.state.History()
	if _, stale := goalStale(h); stale || len(amendmentsSince(h, 0)) > 0 {
		t.Error("words for a worker change the goal")
	}
	words, _ := h.Current(gitstate.KindAmendment)
	for role, worker := range map[Role]string{Coordinator: "", Clarifier: "", Judge: "", Oracle: "", Worker: "coder-2"} {
		if (job{role: role, worker: worker}).concerns(words) {
			t.Errorf("the %s hears them", role)
		}
	}
	if !(job{role: Worker, worker: "coder-1"}).concerns(words) {
		t.Error("coder-1 does not hear them")
	}
}

// What was said to a worker alone is in its first words, whether it begins or
// goes on.
func TestWorkerHearsWhatItMissed(t *testing.T) {
	r := newRig()
	r.state.keep(Amendment("for all", r.clock.Now()))
	r.state.keep(AmendmentTo("coder-1", "only you", r.clock.Now()))
	w := &worker{e: r.beside(t, r.state, nil), begun: gitstate.Doc{Body: "the task", Meta: gitstate.Meta{Worker: "coder-1", Session: "s"}}}
	for resumed, want := range map[bool][]string{false: {"the task", "for all", "only you"}, true: {"only you"}} {
		m, err := w.first(resumed)
		for _, part := range want {
			if err != nil || !strings.Contains(m.Text, part) {
				t.Errorf("resumed %v: it lacks %q: %v\n%s", resumed, part, err, m.Text)
			}
		}
	}
	again, _ := w.first(true)
	r.state.keep(AmendmentTo("coder-1", "and this", r.clock.Now()))
	if more, _ := w.first(true); more.ID == again.ID || !strings.Contains(more.Text, "and this") {
		t.Errorf("later words are not said: %+v", more)
	}
}

// The inbox answers at once: what is new since the last look, and who works. It
// is the coordinator's alone (T-34).
func TestInbox(t *testing.T) {
	r := newRig().unprotected()
	r.answers = &answers{"this"}
	var looks []string
	play := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if has(turn.Options, "inbox") != (Role(turn.Options.Role) == Coordinator) {
			t.Errorf("the %s has or lacks the inbox", turn.Options.Role)
		}
		if Role(turn.Options.Role) == Coordinator && len(looks) == 0 {
			looks = append(looks, turn.Call("inbox", map[string]any{}).Text)
			r.state.keep(AmendmentTo("coder-1", "only you", r.clock.Now()))
			looks = append(looks, turn.Call("inbox", map[string]any{}).Text, turn.Call("inbox", map[string]any{}).Text)
		}
		return play(turn)
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"nothing new", "To coder-1 alone: only you", "nothing new"} {
		if !strings.Contains(looks[i], want) || !strings.Contains(looks[i], "Nobody is at work") {
			t.Errorf("look %d lacks %q: %s", i, want, looks[i])
		}
	}
}
