package engine

import (
	"strings"
	"sync"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// Another model than the one that was asked for is told once in a wake and recorded
// once in the run, with both names; a "[1m]" and a date are no other model.
func TestAnotherModelAnswers(t *testing.T) {
	for served, other := range map[string]bool{
		"claude-haiku-5-5": true, "claude-opus-5-5-20261015": false, "claude-opus-5-5[1m]": false, "": false, "<synthetic>": false,
	} {
		r := newRig().unprotected()
		*r.answers = answers{"this"}
		r.runs = func(string, string) int { return 0 }
		var mu sync.Mutex
		told := 0
		r.events = func(ev Event) {
			mu.Lock()
			defer mu.Unlock()
			if ev.Kind == EventNotice && strings.Contains(ev.Text, "'claude-haiku-5-5'") && strings.Contains(ev.Text, "'claude-opus-5-5'") {
				told++
			}
		}
		play := r.fake.Play
		r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
			t.Emit(harness.Responded{Model: served, Usage: harness.Usage{Input: 10}})
			return play(t)
		}
		kills := 0
		r.state.die = func(m string) bool { kills++; return kills > 14 }
		if _, err := r.run(t); err == nil {
			t.Fatal("it was not killed")
		}
		r.state.die, r.config.Wake = nil, "w2"
		if o, err := r.run(t); err != nil || o.State != EndReached {
			t.Fatalf("%s: %+v, %v", served, o, err)
		}
		n := 0
		for _, d := range r.state.History().Of(gitstate.KindNotice) {
			if d.Meta.State == servedOther && d.Meta.Model == served && strings.Contains(d.Body, "claude-opus-5-5") && strings.Contains(d.Body, "window") {
				n++
			}
		}
		want := map[bool]int{true: 1}[other]
		if n != want || told != 2*want {
			t.Errorf("%q: recorded %d times, told %d times in two wakes", served, n, told)
		}
	}
}
