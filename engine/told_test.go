package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// telling is a rig whose coordinator dispatches one worker, is called back by
// words, tells the worker words of its own, and waits. do plays the worker: told
// is closed once the coordinator has had the answer to tell.
func telling(words string, do func(t *harnesstest.FakeTurn, told <-chan struct{}) harness.Ended) *rig {
	r := newRig()
	r.config.Limits.NoGoal = true
	*r.answers = answers{"this"}
	r.words = make(chan string)
	r.windows = &knownWindows{window: 200_000}
	told := make(chan struct{})
	tells := true
	others := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		switch Role(t.Options.Role) {
		case Worker:
			r.heard(t.Options.Session)
			return do(t, told)
		case Coordinator:
			r.heard(t.Options.Session)
			if len(t.Answered) == 0 && !t.Carried && t.N == 1 {
				t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "coder", "task": "part 1"}}})
			}
			if tells && t.Context.Err() == nil {
				tells = false
				defer close(told)
				if r := t.Call("tell", map[string]string{"worker": "coder-1", "words": words}); r.IsError {
					return t.Done("it could not be told: " + r.Text)
				}
			}
			return t.Done("I hold it to be done.")
		}
		return others(t)
	}
	return r
}

func saidIn(t *harnesstest.FakeTurn) string {
	var all []string
	for _, m := range t.Said {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}

// What the coordinator tells a worker is a record before the call is answered, and
// the worker's successor reads it, whoever wrote the handoff.
func TestToldWordsReachTheSuccessor(t *testing.T) {
	for _, end := range []string{"overflow", "full"} {
		var successor []string
		first := ""
		var r *rig
		r = telling("keep the old flag", func(t *harnesstest.FakeTurn, told <-chan struct{}) harness.Ended {
			switch {
			case first == "":
				first = t.Options.Session
				r.words <- "for all"
				<-told
				if end == "overflow" {
					return harness.Ended{Fault: &harness.Fault{Class: harness.PromptTooLong, Message: "prompt is too long"}}
				}
				_ = t.Request(harness.Usage{Input: 150_000})
				t.Call("Read", map[string]string{"file_path": "/a"})
				return harness.Ended{}
			case t.Options.Session == first: // asked for its handoff
				return t.Done(wholeHandoff)
			}
			successor = append(successor, saidIn(t))
			return report(t)
		})
		if o, err := r.run(t); err != nil || o.State != EndDone {
			t.Fatalf("%s: %+v, %v\n%s", end, o, err, r.state.story())
		}
		if all := strings.Join(successor, "\n"); strings.Count(all, "> keep the old flag") != 1 || !strings.Contains(all, "# Said by the coordinator") {
			t.Errorf("%s: the successor is told:\n%s", end, all)
		}
		if notice, ok := r.state.History().Last(isTold); !ok || notice.Meta.Worker != "coder-1" || notice.Body != "keep the old flag" || notice.Meta.Call == "" {
			t.Errorf("%s: recorded is %+v", end, notice)
		}
	}
}

func isTold(d gitstate.Doc) bool { return d.Kind == gitstate.KindNotice && d.Meta.State == wordsTold }

// Killed as the words are recorded, in this harness or before another one goes on,
// the worker hears them exactly once in the session in which it reports, and they
// are recorded once.
func TestToldWordsSurviveAKill(t *testing.T) {
	for _, other := range []bool{false, true} {
		for _, moment := range []string{"before notice", "after notice", "before report"} {
			heard := map[string][]string{} // by session
			last := ""
			dead := false
			var r *rig
			r = telling("keep the old flag", func(t *harnesstest.FakeTurn, told <-chan struct{}) harness.Ended {
				if t.Options.Agent != "coder-1" { // dispatched by a coordinator that begins anew
					return report(t)
				}
				if last == "" {
					last = t.Options.Session
					r.words <- "for all"
					<-told
				}
				last = t.Options.Session
				for _, m := range append(t.Said, t.Heard()...) {
					heard[last] = append(heard[last], m.Text)
				}
				return report(t)
			})
			r.state.die = func(m string) bool { dead = dead || m == moment; return dead }
			if _, err := r.run(t); !errors.Is(err, errKilled) {
				t.Fatalf("%s: %v", moment, err)
			}
			r.state.die, r.words, r.config.Wake = nil, nil, "w2"
			if other {
				r.fake = &harnesstest.Fake{Label: "other", Play: r.fake.Play}
			}
			if o, err := r.run(t); err != nil || o.State != EndDone {
				t.Fatalf("%s: %+v, %v\n%s", moment, o, err, r.state.story())
			}
			told := len(slices.DeleteFunc(r.state.History().Docs, func(d gitstate.Doc) bool { return !isTold(d) }))
			n := strings.Count(strings.Join(heard[last], "\n"), "> keep the old flag")
			if want := 1; moment != "before notice" && (told != want || n != want) || told > 1 || n > 1 {
				t.Errorf("%s, another harness %v: recorded %d times, heard %d times:\n%s", moment, other, told, n, strings.Join(heard[last], "\n"))
			}
		}
	}
}

// Words for a worker that come while it ends its turn are heard before it reports.
func TestWordsAtTheEndOfATurnAreHeard(t *testing.T) {
	var r *rig
	turns := 0
	r = telling("keep the old flag", func(t *harnesstest.FakeTurn, told <-chan struct{}) harness.Ended {
		turns++
		if turns == 1 {
			r.words <- "for all"
			<-told
			return report(t) // it has not looked at what is queued
		}
		if !strings.Contains(saidIn(t), "> keep the old flag") {
			return t.Done("what?")
		}
		return t.Done(strings.Replace(wholeReport, "It is done.", "The old flag is kept.", 1))
	})
	if o, err := r.run(t); err != nil || o.State != EndDone {
		t.Fatalf("%+v, %v\n%s", o, err, r.state.story())
	}
	if report := r.state.History().Of(gitstate.KindReport)[0]; turns != 2 || !strings.Contains(report.Body, "The old flag is kept.") {
		t.Errorf("%d turns, reported:\n%s", turns, report.Body)
	}
}

// Words that come when a worker has ended and waits for its turn to hand in cannot
// be heard any more: its report has them, so that the coordinator knows.
func TestWordsThatComeTooLateAreInTheReport(t *testing.T) {
	r := newRig().unprotected()
	hands(r, 2, func(t *harnesstest.FakeTurn, part int) harness.Ended { return report(t) })
	r.trees.finishing = func(worker string) {
		if worker == "coder-2" {
			r.state.mu.Lock()
			defer r.state.mu.Unlock()
			r.state.keep(AmendmentTo("coder-2", "use tabs", r.clock.Now()))
		}
	}
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Fatalf("%+v, %v\n%s", o, err, r.state.story())
	}
	reports := r.state.History().Of(gitstate.KindReport)
	if strings.Contains(reports[0].Body, "use tabs") || !strings.Contains(reports[1].Body, "use tabs") {
		t.Errorf("reports:\n%s\n%s", reports[0].Body, reports[1].Body)
	}
}

// What another machine has added counts as words too, whatever its counter is.
func TestWordsFromAnotherMachineAreNotPassedOver(t *testing.T) {
	doc := func(counter int, hash string) gitstate.Doc {
		return gitstate.Doc{Kind: gitstate.KindAmendment, Counter: counter, Hash: hash, Meta: gitstate.Meta{Worker: "coder-1"}, Body: hash}
	}
	h := gitstate.History{Docs: []gitstate.Doc{doc(4, "theirs"), doc(7, "heard"), doc(7, "theirs too")}}
	if notes := unheard(h, "coder-1", map[string]bool{h.Docs[1].Name(): true}); len(notes) != 2 {
		t.Errorf("told: %q", notes)
	}
}

// Nothing is told to somebody who has reported, or was never there.
func TestTellNobody(t *testing.T) {
	r := newRig().unprotected()
	var answers []string
	hands(r, 1, func(t *harnesstest.FakeTurn, _ int) harness.Ended { return report(t) })
	play := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		ended := play(turn)
		if Role(turn.Options.Role) == Coordinator && len(answers) == 0 {
			for _, in := range []map[string]string{{"worker": "coder-1", "words": "x"}, {"worker": "coder-9", "words": "x"}, {"worker": "coder-1", "words": " "}} {
				answers = append(answers, fmt.Sprint(turn.Call("tell", in)))
			}
		}
		return ended
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"no worker 'coder-1'", "no worker 'coder-9'", "empty"} {
		if !strings.Contains(answers[i], want) {
			t.Errorf("answered %q, want %q", answers[i], want)
		}
	}
	if _, ok := r.state.History().Last(isTold); ok {
		t.Error("it is recorded all the same")
	}
}
