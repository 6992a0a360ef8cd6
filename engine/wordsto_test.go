package engine

import (
	"runtime"
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

// A worker is told what was said to it alone before it began, hears at once what
// is said while it works, and after a kill nothing of that again.
func TestWorkerHearsItsWordsOnce(t *testing.T) {
	r := newRig().unprotected()
	r.words = make(chan string)
	dead := false
	r.state.die = func(string) bool { return dead }
	var heard []string
	hands(r, 1, func(t *harnesstest.FakeTurn, _ int) harness.Ended {
		said := t.Said
		if !dead && len(heard) == 0 {
			r.state.keep(AmendmentTo("coder-1", "while it works", r.clock.Now()))
			r.words <- "for all" // whoever listens reads the history anew, and tells
			for len(said) < 2 {
				said = append(said, t.Heard()...)
				runtime.Gosched()
			}
			dead = true
		}
		for _, m := range said {
			heard = append(heard, m.Text)
		}
		return report(t)
	})
	if _, err := r.run(t); err == nil {
		t.Fatal("it was not killed")
	}
	dead, r.words, r.config.Wake = false, nil, "w2"
	r.state.keep(AmendmentTo("coder-1", "while it was dead", r.clock.Now()))
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Fatalf("resumed: %+v, %v\n%s", o, err, r.state.story())
	}
	all := strings.Join(heard, "\n")
	for _, words := range []string{"part 1", "while it works", "while it was dead"} {
		if strings.Count(all, words) != 1 {
			t.Errorf("%q is heard %d times:\n%s", words, strings.Count(all, words), all)
		}
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
