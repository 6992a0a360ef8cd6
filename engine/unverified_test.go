package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// always is a person with one answer to the framework's questions; a model's
// are left to the model.
type always string

func (a always) Ask(_ context.Context, q Question) (string, error) {
	if a == "" || strings.Contains(q.Text, "Which?") {
		return "", ErrNobody
	}
	return string(a), nil
}

// eyed is a rig whose goal has a check that takes a person's eye.
func eyed(says string) *rig {
	r := newRig().unprotected()
	r.human = always(says)
	play := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if has(turn.Options, "goal") && len(turn.Answered) == 0 {
			r.heard(turn.Options.Session)
			turn.Call("goal", map[string]any{"statement": "It runs.", "checks": []map[string]string{
				{"text": "it runs", "command": "./run"}, {"text": "it looks good", "unverifiable": "it takes an eye"}}})
			return turn.Done("")
		}
		return play(turn)
	}
	return r
}

// Said before any work is paid for; what the person says decides. The question
// uses up no budget.
func TestChecksThatCannotBeVerified(t *testing.T) {
	const asked = "request session question answer brief session goal notice question answer "
	for _, c := range []struct {
		says   string
		want   EndState
		story  string
		checks int // of the goal that counts
	}{
		{"keep", NeedsHuman, asked + "session session report step verdict session report step verdict question answer", 2},
		{"", NeedsHuman, asked + "session session report step verdict session report step verdict question answer", 2},
		{"2", EndReached, asked + "session session report step verdict session report step verdict end", 1},
		{"Drop", EndReached, asked + "session session report step verdict session report step verdict end", 1},
		{"stop", NeedsHuman, strings.TrimSpace(asked), 2},
	} {
		t.Run(c.says, func(t *testing.T) {
			r := eyed(c.says)
			r.config.Asks = 1 // the clarifier's
			if c.says == "keep" {
				r.human = &answersInTurn{"", "keep"}
			}
			o, err := r.run(t)
			if err != nil || o.State != c.want || r.state.story() != c.story {
				t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
			}
			goal, _ := r.state.History().Current(gitstate.KindGoal)
			if n := len(document.ParseGoal(goal.Body).Checks); n != c.checks {
				t.Errorf("%d checks:\n%s", n, goal.Body)
			}
			notice := r.state.History().Of(gitstate.KindNotice)
			if len(notice) != 1 || !strings.Contains(notice[0].Body, "it looks good") {
				t.Errorf("announced: %+v", notice)
			}
		})
	}
}

// answersInTurn are given one after the other, "" for nobody.
type answersInTurn []string

func (a *answersInTurn) Ask(context.Context, Question) (string, error) {
	if len(*a) == 0 || (*a)[0] == "" {
		*a = (*a)[min(1, len(*a)):]
		return "", ErrNobody
	}
	first := (*a)[0]
	*a = (*a)[1:]
	return first, nil
}

// Killed before or after any record, a run comes to the same history.
func TestChecksThatAreDroppedAreDroppedOnce(t *testing.T) {
	whole := eyed("drop")
	if _, err := whole.run(t); err != nil {
		t.Fatal(err)
	}
	for kill := 1; ; kill++ {
		r := eyed("drop")
		n := 0
		r.state.die = func(string) bool { n++; return n == kill }
		_, err := r.run(t)
		if err == nil {
			if kill < 20 {
				t.Fatalf("only %d moments were tried", kill)
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		r.state.die = nil
		r.config.Wake = "w2"
		if o, err := r.run(t); err != nil || o.State != EndReached {
			t.Fatalf("kill %d: %+v, %v", kill, o, err)
		}
		// A notice may be there twice; it is no part of the canonical history.
		once := func(s string) string { return strings.ReplaceAll(s, "notice ", "") }
		if once(r.state.story()) != once(whole.state.story()) {
			t.Fatalf("kill %d:\n%s\n%s", kill, r.state.story(), whole.state.story())
		}
	}
}

// Who said to stop is asked anew, once in a wake, and can think better of it,
// here or elsewhere; silence changes nothing.
func TestStopIsAskedAnew(t *testing.T) {
	r := eyed("stop")
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	story := r.state.story()
	for _, says := range []string{"stop", ""} {
		r.human = always(says)
		if o, err := r.run(t); err != nil || o.State != NeedsHuman || r.state.story() != story {
			t.Fatalf("%q: %+v, %v\n%s", says, o, err, r.state.story())
		}
	}
	open := OpenQuestions(r.state.History())
	if len(open) != 1 {
		t.Fatalf("open: %+v", open)
	}
	r.state.keep(must(t)(Reply(r.state.History(), open[0], "drop", "", r.clock.Now())))
	if len(OpenQuestions(r.state.History())) != 0 {
		t.Error("it is still open")
	}
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Errorf("got %+v, %v\n%s", o, err, r.state.story())
	}
}

// A goal of such checks alone cannot lose them.
func TestAGoalIsNeverEmptied(t *testing.T) {
	q := aboutChecks(document.Goal{Statement: "x", Checks: []document.Check{{Text: "a", Unverifiable: "an eye"}}})
	if len(q.Options) != 2 || strings.Contains(strings.Join(q.Options, " "), answerDrop) {
		t.Errorf("options: %q", q.Options)
	}
}

// Stop said elsewhere ends the wait as well.
func TestStopFromElsewhere(t *testing.T) {
	d := drive(t, eyed(""))
	d.question()
	d.human.says <- "this"
	d.elsewhere(must(t)(Reply(d.state.History(), d.doc(d.question()), "stop", "", d.clock.Now())))
	d.ends(NeedsHuman)
}

// A question about a goal does not keep the run when the goal changes.
func TestAQuestionEndsWithItsGoal(t *testing.T) {
	for name, change := range map[string]func(*driven){
		"words": func(d *driven) { d.elsewhere(Amendment("look at it by machine", d.clock.Now())) },
		"edited": func(d *driven) {
			d.elsewhere(must(t)(Edited(d.state.History(), gitstate.KindGoal, document.Goal{Statement: "It runs.", Checks: []document.Check{{Text: "it runs", Command: "./run"}}}.String())))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, eyed(""))
			d.question() // the clarifier's
			d.human.says <- "this"
			q := d.question()
			if len(q.Options) != 3 {
				t.Fatalf("asked %+v", q)
			}
			change(d)
			if name == "words" {
				if q = d.question(); len(q.Options) != 3 {
					t.Fatalf("asked %+v", q)
				}
				d.human.says <- "drop"
			}
			d.ends(EndReached)
		})
	}
}
