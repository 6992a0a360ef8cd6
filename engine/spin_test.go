package engine

import (
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// spinning is a rig whose sessions are full with their first breath while spins
// says so; words are what they write as a handoff.
func spinning(spins *bool, words string) *rig {
	r := full(func(t coordinatorTurn) harness.Ended {
		switch {
		case t.writes:
			return t.says(34_000, words)
		case !*spins:
			return t.says(9_000, "I hold it to be done.")
		}
		_ = t.Request(harness.Usage{Input: 34_000})
		t.Call("Read", map[string]string{"file_path": "/a"})
		if t.Context.Err() != nil {
			return harness.Ended{}
		}
		return t.says(34_000, "I hold it to be done.")
	})
	r.windows = &knownWindows{window: 41_000}
	return r
}

// A step that spins stops, however often it is killed and resumed in between: the
// generations are counted in the records. Resumed as it is, it stops at once again;
// with another window, or words of the person, it has its tries anew.
func TestSpinningStopsOverKillAndResume(t *testing.T) {
	for _, moment := range []string{"after handoff", "before handoff", "after session", "after notice"} {
		spins := true
		r := spinning(&spins, wholeHandoff)
		var p *Pause
		var err error
		for wake := 0; ; wake++ {
			if wake > 40 {
				t.Fatalf("%s: it goes on for ever: %s", moment, r.state.story())
			}
			n, dead := 0, false
			r.state.die = func(m string) bool {
				if m == moment {
					n++
				}
				dead = dead || n > 1
				return dead
			}
			if _, err = r.run(t); errors.As(err, &p) {
				break
			}
		}
		if p.Reason != PauseFull || len(r.handoffs()) != maxGenerations {
			t.Fatalf("%s: %v, %d handoffs", moment, err, len(r.handoffs()))
		}
		for _, want := range []string{"8 sessions", "10,000", "41,000", "begins with", "--window", "flower.headroom", "--no-handoff"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the diagnosis lacks %q: %v", moment, want, err)
			}
		}
		r.state.die = nil
		for range 3 {
			if _, err := r.run(t); !errors.As(err, &p) || p.Reason != PauseFull || len(r.handoffs()) != maxGenerations {
				t.Fatalf("%s: resumed as it is: %v, %d handoffs", moment, err, len(r.handoffs()))
			}
		}
		if n := strings.Count(r.state.story(), "notice"); n != maxGenerations+1 {
			t.Errorf("%s: %d notices, of which one is the diagnosis: %s", moment, n, r.state.story())
		}
		r.state.keep(Amendment("try it once more", r.clock.Now()))
		if _, err := r.run(t); !errors.As(err, &p) || len(r.handoffs()) != 2*maxGenerations {
			t.Errorf("%s: after words: %v, %d handoffs", moment, err, len(r.handoffs()))
		}
		r.windows = &knownWindows{window: 60_000}
		if _, err := r.run(t); !errors.As(err, &p) || len(r.handoffs()) != 3*maxGenerations {
			t.Errorf("%s: with another window: %v, %d handoffs", moment, err, len(r.handoffs()))
		}
		spins = false
		if o, err := r.run(t); err != nil || o.State != EndDone {
			t.Errorf("%s: with a session that does something: %+v, %v", moment, o, err)
		}
	}
}

// Two degraded handoffs in a row stop, also when the run was killed between the
// second and the diagnosis: no third session is paid for unasked. One that a person
// has written anew is degraded no more.
func TestTwoDegradedStopOverAKill(t *testing.T) {
	for _, mended := range []bool{false, true} {
		spins := true
		r := spinning(&spins, "")
		n := 0
		r.state.die = func(m string) bool {
			if m == "after handoff" {
				n++
			}
			return n > 1
		}
		if _, err := r.run(t); !errors.Is(err, errKilled) || len(r.handoffs()) != 2 {
			t.Fatalf("%v, %d handoffs", err, len(r.handoffs()))
		}
		r.state.die, spins = nil, false
		if mended {
			edited, err := Edited(r.state.History(), gitstate.KindHandoff, wholeHandoff)
			if err != nil {
				t.Fatal(err)
			}
			r.state.keep(edited)
		}
		_, err := r.run(t)
		var p *Pause
		switch stopped := errors.As(err, &p) && p.Reason == PauseFull; {
		case stopped == mended:
			t.Fatalf("mended %v: %v\n%s", mended, err, r.state.story())
		case mended:
			continue
		}
		for _, want := range []string{"2 sessions", "10,000", "41,000", "room", "flower.headroom", "--no-handoff"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the diagnosis lacks %q: %v", want, err)
			}
		}
		if o, err := r.run(t); err != nil || o.State != EndDone {
			t.Errorf("resumed by a person: %+v, %v", o, err)
		}
	}
}

// A window that nobody knows is not told as one of no tokens, and what an overflow
// teaches is kept also when the step stops with it.
func TestOverflowsWithoutAKnownWindowStop(t *testing.T) {
	r := full(func(t coordinatorTurn) harness.Ended {
		_ = t.Request(harness.Usage{Input: 90_000})
		return harness.Ended{Fault: &harness.Fault{Class: harness.PromptTooLong, Message: "prompt is too long"}}
	})
	windows := &knownWindows{}
	r.windows = windows
	_, err := r.run(t)
	var p *Pause
	if !errors.As(err, &p) || p.Reason != PauseFull || len(r.handoffs()) != 2 || strings.Contains(err.Error(), " 0 tokens") || !strings.Contains(err.Error(), "not known") {
		t.Fatalf("%v\n%s", err, r.state.story())
	}
	if len(windows.learned) != 2 {
		t.Errorf("learned %v", windows.learned)
	}
}
