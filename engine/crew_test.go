package engine

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// hands makes the coordinator dispatch n tasks in one call, and each worker do
// what do says; "part 3" is the task of the third.
func hands(r *rig, n int, do func(t *harnesstest.FakeTurn, part int) harness.Ended) {
	r.config.Jobs = 4
	r.runs = func(string, string) int { return 0 }
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		switch Role(t.Options.Role) {
		case Coordinator:
			r.heard(t.Options.Session)
			if len(t.Answered) == 0 && !t.Carried && t.N == 1 {
				var tasks []map[string]string
				for i := range n {
					tasks = append(tasks, map[string]string{"worker": "coder", "task": fmt.Sprintf("part %d", i+1)})
				}
				t.Call("dispatch", map[string]any{"tasks": tasks})
			}
			return t.Done("I hold it to be done.")
		case Worker:
			r.heard(t.Options.Session)
			var part int
			fmt.Sscanf(strings.TrimPrefix(t.Options.Agent, "coder-"), "%d", &part)
			return do(t, part)
		}
		return play(t)
	}
}

func report(t *harnesstest.FakeTurn) harness.Ended { return t.Done(wholeReport) }

// Workers of one call work side by side and hand in in the order of the tasks,
// whoever is faster.
func TestWorkersWorkSideBySide(t *testing.T) {
	r := newRig().unprotected()
	var all sync.WaitGroup
	all.Add(4)
	first := make(chan struct{})
	hands(r, 4, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		all.Done()
		all.Wait() // ends only when the four are at work together
		if part == 1 {
			<-first
		}
		if part == 4 {
			close(first)
		}
		return report(t)
	})
	o, err := r.run(t)
	if err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v", o, err)
	}
	if want := gitstate.ObjectID("c0+coder-1+coder-2+coder-3+coder-4"); o.Join != want {
		t.Errorf("joined %s, want %s", o.Join, want)
	}
	slices.Sort(r.trees.released)
	if len(slices.Compact(r.trees.released)) != 4 {
		t.Errorf("trees given back: %q", r.trees.released)
	}
}

func TestNoMoreWorkersThanJobs(t *testing.T) {
	r := newRig().unprotected()
	var mu sync.Mutex
	now, most := 0, 0
	hands(r, 6, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		defer func() { mu.Lock(); now--; mu.Unlock() }()
		return report(t)
	})
	r.config.Jobs = 2
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if most > 2 {
		t.Errorf("%d at work with 2 jobs", most)
	}
}

// A worker whose requests are refused is its own problem: it is reported as
// failed and the others' work is joined.
func TestOneWorkerFails(t *testing.T) {
	r := newRig().unprotected()
	hands(r, 3, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		if part == 2 {
			return harness.Ended{Fault: &harness.Fault{Class: harness.Invalid, Message: "bad request"}}
		}
		return report(t)
	})
	o, err := r.run(t)
	if err != nil || o.Join != "c0+coder-1+coder-3" {
		t.Fatalf("got %+v, %v", o, err)
	}
	second := r.state.History().Of(gitstate.KindReport)[1]
	if second.Meta.State != reportFailed || !strings.Contains(second.Body, "bad request") {
		t.Errorf("report: %+v", second)
	}
}

// The budget is the run's: it stops all workers, and all go on.
func TestBudgetStopsAllWorkers(t *testing.T) {
	r := newRig().unprotected()
	hands(r, 4, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		if err := t.Request(harness.Usage{Output: 1000}); err != nil {
			return harness.Ended{Fault: &harness.Fault{Class: harness.Budget, Message: err.Error()}}
		}
		return report(t)
	})
	r.config.Budget = 3500
	_, err := r.run(t)
	var p *Pause
	if !errors.As(err, &p) || p.Reason != PauseBudget {
		t.Fatalf("got %v", err)
	}
	r.config.Budget, r.config.Wake = 0, "w2"
	o, err := r.run(t)
	if err != nil || o.State != EndReached {
		t.Fatalf("resumed: %+v, %v", o, err)
	}
	for part := range 4 {
		if name := fmt.Sprintf("+coder-%d", part+1); strings.Count(string(o.Join), name) != 1 {
			t.Errorf("joined %s", o.Join)
		}
	}
	if n := len(r.state.History().Of(gitstate.KindReport)); n != 4 {
		t.Errorf("%d reports", n)
	}
}

// Killed before or after any record with four workers, the run comes to the same
// end: the same join, four reports, no worker run twice to its end.
func TestFourWorkersKilledAtEveryRecord(t *testing.T) {
	for kill := 1; ; kill++ {
		r := newRig().unprotected()
		ends := map[string]int{}
		var mu sync.Mutex
		hands(r, 4, func(t *harnesstest.FakeTurn, part int) harness.Ended {
			mu.Lock()
			defer mu.Unlock()
			ends[t.Options.Agent]++
			return report(t)
		})
		n, dead := 0, false
		r.state.die = func(string) bool { n++; dead = dead || n == kill; return dead }
		if _, err := r.run(t); err == nil {
			if kill < 20 {
				t.Fatalf("only %d moments", kill)
			}
			return
		}
		r.state.die, r.config.Wake = nil, "w2"
		o, err := r.run(t)
		if err != nil || o.State != EndReached || o.Join != "c0+coder-1+coder-2+coder-3+coder-4" {
			t.Fatalf("kill %d: %+v, %v\n%s", kill, o, err, r.state.story())
		}
		if reports := r.state.History().Of(gitstate.KindReport); len(reports) != 4 {
			t.Fatalf("kill %d: %d reports", kill, len(reports))
		}
		for name, times := range ends {
			if times > 1 {
				t.Fatalf("kill %d: %s ended %d times", kill, name, times)
			}
		}
	}
}

// Words end the coordinator's wait while its workers go on; it hears them with
// its next request and gets the reports with wait.
func TestWordsEndTheWait(t *testing.T) {
	r := newRig().unprotected()
	r.words = make(chan string)
	said := make(chan struct{})
	hands(r, 2, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		if part == 1 {
			r.words <- "rather the other one"
		}
		<-said
		return report(t)
	})
	var early, late string
	var heard []harness.Message
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		if Role(t.Options.Role) != Coordinator || t.N > 1 {
			return play(t)
		}
		r.heard(t.Options.Session)
		early = t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "coder", "task": "a"}, {"worker": "coder", "task": "b"}}}).Text
		heard = t.Heard()
		close(said)
		late = t.Call("wait", struct{}{}).Text
		return t.Done("Both have reported.")
	}
	o, err := r.run(t)
	if err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
	}
	if !strings.Contains(early, "Still at work: coder-1, coder-2") {
		t.Errorf("the call came back with: %s", early)
	}
	if len(heard) != 1 || !strings.Contains(heard[0].Text, "rather the other one") {
		t.Errorf("heard: %+v", heard)
	}
	if strings.Count(late, "It is done.") != 2 {
		t.Errorf("wait gave: %s", late)
	}
	if n := len(r.state.History().Of(gitstate.KindAmendment)); n != 1 {
		t.Errorf("%d amendments", n)
	}
}

// Ctrl-C stops the coordinator, takes words and goes on in the same session; the
// workers go on as well, and their reports are told.
func TestInterruptTakesWords(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this", "rather the other one"}
	said := make(chan struct{})
	hands(r, 2, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		if part == 1 {
			if !r.engine.Interrupt(t.Context) {
				return t.Done("could not interrupt")
			}
			if r.engine.Interrupt(t.Context) {
				return t.Done("interrupted twice")
			}
		}
		<-said
		return report(t)
	})
	var sessions []string
	var told []string
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		if Role(t.Options.Role) == Coordinator {
			sessions = append(sessions, t.Options.Session)
			for _, m := range t.Said {
				told = append(told, m.Text)
			}
			if len(sessions) == 2 {
				close(said)
			}
		}
		return play(t)
	}
	o, err := r.run(t)
	if err != nil || o.State != EndReached || o.Join != "c0+coder-1+coder-2" {
		t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
	}
	slices.Sort(sessions)
	if len(slices.Compact(sessions)) != 1 {
		t.Errorf("went on in another session: %q", sessions)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{"rather the other one", "interrupted", "# coder-1: joined", "# coder-2: joined"} {
		if !strings.Contains(all, want) {
			t.Errorf("the coordinator was not told %q:\n%s", want, all)
		}
	}
	if n := len(r.state.History().Of(gitstate.KindAmendment)); n != 1 {
		t.Errorf("%d amendments", n)
	}
}

// Workers that no call waits for: words, and Ctrl-C, reach the coordinator before
// their reports do, in the same session.
func TestWordsBetweenTurns(t *testing.T) {
	for _, interrupt := range []bool{false, true} {
		r := newRig().unprotected()
		r.words = make(chan string)
		*r.answers = answers{"this", "not so fast"}
		rests, said := make(chan struct{}), make(chan struct{})
		hands(r, 1, func(t *harnesstest.FakeTurn, _ int) harness.Ended {
			r.words <- "one more thing" // ends the waiting of dispatch
			<-rests
			for r.engine.resting() == nil {
				runtime.Gosched()
			}
			if !interrupt {
				r.words <- "not so fast"
			} else if !r.engine.Interrupt(t.Context) || r.engine.Interrupt(t.Context) {
				return t.Done("could not interrupt once")
			}
			<-said
			return report(t)
		})
		var turns []string
		play := r.fake.Play
		r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
			if Role(t.Options.Role) != Coordinator || r.state.History().Docs[len(r.state.History().Docs)-1].Kind == gitstate.KindVerdict {
				return play(t)
			}
			var text strings.Builder
			for _, m := range append(t.Said, t.Heard()...) {
				text.WriteString(m.Text + "\n")
			}
			turns = append(turns, text.String())
			switch len(turns) {
			case 1:
				t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "coder", "task": "a"}}})
				close(rests)
			case 2:
				close(said)
			}
			return t.Done("I end my turn.")
		}
		o, err := r.run(t)
		if err != nil || o.State != EndReached {
			t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
		}
		if len(turns) != 3 || !strings.Contains(turns[1], "not so fast") || strings.Contains(turns[1], "# coder-1") || !strings.Contains(turns[2], "# coder-1: joined") {
			t.Errorf("interrupt %v: %d turns:\n%s", interrupt, len(turns), strings.Join(turns, "\n---\n"))
		}
	}
}

// resting is what ends the coordinator's waiting between turns.
func (e *Engine) resting() func() {
	e.interruption.mu.Lock()
	defer e.interruption.mu.Unlock()
	return e.interruption.rest
}

// Words that come while the model still writes its call are not waited over: it has
// not heard them, so the call comes back at once, and only once for them.
func TestWordsBeforeTheWait(t *testing.T) {
	r := newRig().unprotected()
	r.words = make(chan string)
	said := make(chan struct{})
	hands(r, 1, func(t *harnesstest.FakeTurn, _ int) harness.Ended {
		<-said
		return report(t)
	})
	var answers []string
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		if Role(t.Options.Role) != Coordinator || t.N > 1 {
			return play(t)
		}
		r.heard(t.Options.Session)
		say := func(words string) { r.words <- words; r.engine.catchUp(t.Context) }
		_ = t.Request(harness.Usage{Input: 10})
		say("rather the other one")
		answers = append(answers, t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "coder", "task": "a"}}}).Text)
		t.Heard()
		_ = t.Request(harness.Usage{Input: 10})
		say("no, the first")
		answers = append(answers, t.Call("wait", struct{}{}).Text)
		say("both")
		t.Heard()
		_ = t.Request(harness.Usage{Input: 10}) // which has heard all
		close(said)
		answers = append(answers, t.Call("wait", struct{}{}).Text)
		return t.Done("It has reported.")
	}
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
	}
	for i, want := range []string{"Still at work: coder-1", "Still at work: coder-1", "# coder-1: joined"} {
		if i >= len(answers) || !strings.Contains(answers[i], want) {
			t.Errorf("answer %d of %q lacks %q", i, answers, want)
		}
	}
}
