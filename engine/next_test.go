package engine

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// past builds histories for tests, a document at a time.
type past struct{ h gitstate.History }

func begun(docs ...gitstate.Doc) *past {
	p := &past{gitstate.History{Name: "x", ID: "0123456789abcdef", Base: "b0"}}
	p.add(gitstate.Doc{Kind: gitstate.KindRequest, Body: "do it"})
	return p.add(docs...)
}

func (p *past) add(docs ...gitstate.Doc) *past {
	for _, d := range docs {
		d.Counter = len(p.h.Docs) + 1
		d.Hash = fmt.Sprintf("%012x", d.Counter)
		p.h.Docs = append(p.h.Docs, d)
	}
	return p
}

// from names the newest document of a kind.
func (p *past) from(kinds ...gitstate.Kind) []string {
	var all []string
	for _, k := range kinds {
		d, _ := p.h.Last(func(d gitstate.Doc) bool { return d.Kind == k })
		all = append(all, d.Name())
	}
	return all
}

func (p *past) session(step string) *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindSession, Meta: gitstate.Meta{Step: step, Session: fmt.Sprintf("s%d", len(p.h.Docs))}})
}

func (p *past) brief() *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindBrief, Meta: gitstate.Meta{From: names(p.h.Of(gitstate.KindAmendment))}})
}

func (p *past) again() *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindAmendment, Meta: gitstate.Meta{State: clarifyAgain}})
}

func (p *past) goal() *past {
	m := gitstate.Meta{From: names(goalSources(p.h))}
	if old, ok := p.h.Current(gitstate.KindGoal); ok {
		m.Replaces = []string{old.Name()}
	}
	return p.add(gitstate.Doc{Kind: gitstate.KindGoal, Meta: m})
}

func (p *past) amend() *past { return p.add(gitstate.Doc{Kind: gitstate.KindAmendment}) }

func (p *past) step(name string, round int, state string) *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindStep, Meta: gitstate.Meta{Step: name, Round: round, State: state}})
}

func (p *past) verdict(round int, state string) *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindVerdict, Meta: gitstate.Meta{Round: round, State: state, From: p.from(gitstate.KindGoal)}})
}

func (p *past) asked() *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindQuestion, Meta: gitstate.Meta{From: p.from(gitstate.KindVerdict)}})
}

func (p *past) answered(state string) *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindAnswer, Meta: gitstate.Meta{State: state, From: p.from(gitstate.KindQuestion)}})
}

func (p *past) handoff(step string) *past {
	d, _ := p.h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindSession && d.Meta.Step == step })
	return p.add(gitstate.Doc{Kind: gitstate.KindHandoff, Meta: gitstate.Meta{Step: step, Label: step, Round: 1, Session: d.Meta.Session}})
}

// inWords is an action in one line, for tables.
func inWords(a Action) string {
	switch a := a.(type) {
	case Attempt:
		s := "attempt " + a.Label
		if a.Session != "" {
			s += " in " + a.Session
		}
		if a.Because != nil {
			s += " because " + string(a.Because.Kind)
		}
		return s
	case Adjudicate:
		return fmt.Sprintf("judge round %d", a.Work.Meta.Round)
	case Consult:
		return "consult"
	case Confirm:
		return "confirm"
	case Stop:
		if a.Ended {
			return "ended " + string(a.State)
		}
		return "stop " + string(a.State)
	}
	return "nothing"
}

// unverifiable is a goal of a model's with a check that cannot be verified here.
func (p *past) unverifiable(text string) *past {
	p.goal()
	goal := &p.h.Docs[len(p.h.Docs)-1]
	goal.Meta.Session = "s"
	goal.Body = document.Goal{Statement: "x", Checks: []document.Check{{Text: "it runs"}, {Text: text, Unverifiable: "an eye"}}}.String()
	return p
}

// askedChecks is the question about such a goal.
func (p *past) askedChecks() *past {
	return p.add(gitstate.Doc{Kind: gitstate.KindQuestion, Meta: gitstate.Meta{From: p.from(gitstate.KindGoal)}})
}

func working() *past { return begun().brief().goal().session("work") }

// A run is over when its end is recorded and still holds; what waits for a person
// is not, nor is what has something new to do.
func TestOver(t *testing.T) {
	one := Limits{Rounds: 1}
	ended := func(p *past) *past {
		stop := Next(Builtin(one), p.h, one).(Stop)
		return p.add(gitstate.Doc{Kind: gitstate.KindEnd, Meta: gitstate.Meta{State: string(stop.State), From: stop.From}})
	}
	reached := func() *past { return working().step("work", 1, stepOK).verdict(1, "reached") }
	for name, c := range map[string]struct {
		p          *past
		over, goOn bool
	}{
		"at work":                   {working(), false, true},
		"reached":                   {reached(), false, true},
		"reached and recorded":      {ended(reached()), true, false},
		"with words added":          {ended(reached()).amend(), false, true},
		"waits for a person":        {begun().brief().unverifiable("b").askedChecks().answered(answerStop), false, false},
		"and that is recorded":      {ended(begun().brief().unverifiable("b").askedChecks().answered(answerStop)), false, false},
		"no rounds left":            {ended(working().step("work", 1, stepOK).verdict(1, "not-yet")), true, false},
		"another round is possible": {working().step("work", 1, stepOK), false, true},
	} {
		if got := Over(c.p.h, one); got != c.over {
			t.Errorf("%s: over %v", name, got)
		}
		if got := GoesOn(c.p.h, one); got != c.goOn {
			t.Errorf("%s: goes on %v", name, got)
		}
	}
}

// T-47: "the goal changes" sets it again. T-48: a failed round is made again in
// its session and hears of its failure, not of the verdict before.
func TestNext(t *testing.T) {
	three := Limits{Rounds: 3}
	ended := func(p *past, state EndState) *past {
		one := Limits{Rounds: 1}
		stop := Next(Builtin(one), p.h, one).(Stop)
		return p.add(gitstate.Doc{Kind: gitstate.KindEnd, Meta: gitstate.Meta{State: string(state), From: stop.From}})
	}
	for _, c := range []struct {
		name string
		past *past
		l    Limits
		want string
	}{
		{"a request", begun(), three, "attempt clarify"},
		{"killed while clarifying", begun().session("clarify"), three, "attempt clarify in s1"},
		{"a brief that lacks sections", begun().session("clarify").step("clarify", 0, stepFailed), three, "attempt clarify#retry1 in s1 because step"},
		{"a brief that never comes", begun().session("clarify").step("clarify", 0, stepFailed).step("clarify", 0, stepFailed).step("clarify", 0, stepFailed), three, "stop failed"},
		{"a brief", begun().brief(), three, "attempt goal"},
		{"a brief and no goal wanted", begun().brief(), Limits{NoGoal: true}, "attempt work"},
		{"a brief and nothing else wanted", begun().brief(), Limits{ClarifyOnly: true}, "stop done"},
		{"killed while setting the goal", begun().brief().session("goal"), three, "attempt goal in s2"},
		{"a goal", begun().brief().goal(), three, "attempt work"},
		{"killed while working", working(), three, "attempt work in s3"},
		{"words before the work is done", working().amend(), three, "attempt goal"},
		{"the goal set again", working().amend().goal(), three, "attempt work in s3"},
		{"a goal setter older than the words is not asked again", begun().brief().session("goal").goal().amend(), three, "attempt goal"},
		{"a finished round", working().step("work", 1, stepOK), three, "judge round 1"},
		{"a finished round and words", working().step("work", 1, stepOK).amend().goal(), three, "judge round 1"},
		{"a finished round nobody judges", begun().brief().step("work", 0, stepOK), Limits{NoGoal: true}, "stop done"},
		{"words after a round nobody judges", begun().brief().session("work").step("work", 0, stepOK).amend(), Limits{NoGoal: true}, "attempt work#round2 in s2 because amendment"},
		{"words heard in a round nobody judges", begun().brief().amend().step("work", 0, stepOK), Limits{NoGoal: true}, "stop done"},
		{"words after the second round nobody judges", begun().brief().session("work").step("work", 0, stepOK).amend().step("work", 1, stepOK).amend(), Limits{NoGoal: true}, "attempt work#round3 in s2 because amendment"},
		{"a round that failed", working().step("work", 1, stepFailed), three, "attempt work#retry1 in s3 because step"},
		{"a second round that failed keeps no stale verdict", working().step("work", 1, stepOK).verdict(1, "not-yet").step("work", 2, stepFailed), three,
			"attempt work#round2#retry1 in s3 because step"},
		{"a round that failed twice", working().step("work", 1, stepFailed).step("work", 1, stepFailed), three, "stop failed"},
		{"reached", working().step("work", 1, stepOK).verdict(1, "reached"), three, "stop reached"},
		{"reached and ended", ended(working().step("work", 1, stepOK).verdict(1, "reached"), EndReached), three, "ended reached"},
		{"words after the end", ended(working().step("work", 1, stepOK).verdict(1, "reached"), EndReached).amend(), three, "attempt goal"},
		{"words after the end, goal set again", ended(working().step("work", 1, stepOK).verdict(1, "reached"), EndReached).amend().goal(), three,
			"attempt work#round2 in s3 because goal"},
		{"not yet", working().step("work", 1, stepOK).verdict(1, "not-yet"), three, "attempt work#round2 in s3 because verdict"},
		{"a state nobody knows is not yet", working().step("work", 1, stepOK).verdict(1, "marvellous"), three, "attempt work#round2 in s3 because verdict"},
		{"second round to judge", working().step("work", 1, stepOK).verdict(1, "not-yet").step("work", 2, stepOK), three, "judge round 2"},
		{"no rounds left", working().step("work", 1, stepOK).verdict(1, "not-yet"), Limits{Rounds: 1}, "stop not-reached"},
		{"zero rounds are one", working().step("work", 1, stepOK).verdict(1, "not-yet"), Limits{}, "stop not-reached"},
		{"more rounds after an end", ended(working().step("work", 1, stepOK).verdict(1, "not-yet"), EndNotReached), three, "attempt work#round2 in s3 because verdict"},
		{"unreachable", working().step("work", 1, stepOK).verdict(1, "unreachable"), three, "consult"},
		{"asked and killed", working().step("work", 1, stepOK).verdict(1, "unreachable").asked(), three, "consult"},
		{"accepted", working().step("work", 1, stepOK).verdict(1, "unreachable").asked().answered(answerAccept), three, "stop accepted"},
		{"the judge is wrong", working().step("work", 1, stepOK).verdict(1, "unreachable").asked().answered(answerWrong), three, "attempt work#round2 in s3 because answer"},
		{"nobody decided", working().step("work", 1, stepOK).verdict(1, "unreachable").asked().answered(answerNobody), three, "stop needs-human"},
		{"the goal changes", working().step("work", 1, stepOK).verdict(1, "unreachable").asked().amend().answered(answerChange), three, "attempt goal"},
		{"the goal has changed", working().step("work", 1, stepOK).verdict(1, "unreachable").asked().amend().answered(answerChange).goal(), three,
			"attempt work#round2 in s3 because goal"},
		{"a check that cannot be verified here", begun().brief().unverifiable("a"), three, "confirm"},
		{"asked about it and killed", begun().brief().unverifiable("a").askedChecks(), three, "confirm"},
		{"keep it", begun().brief().unverifiable("a").askedChecks().answered(answerKeep), three, "attempt work"},
		{"nobody said what to do about it", begun().brief().unverifiable("a").askedChecks().answered(answerNobody), three, "attempt work"},
		{"drop it", begun().brief().unverifiable("a").askedChecks().answered(answerDrop).goal(), three, "attempt work"},
		{"stop because of it", begun().brief().unverifiable("a").askedChecks().answered(answerStop), three, "stop needs-human"},
		{"stop, then keep it", begun().brief().unverifiable("a").askedChecks().answered(answerStop).answered(answerKeep), three, "attempt work"},
		{"other words instead of it", begun().brief().unverifiable("a").askedChecks().amend().answered(answerChange), three, "attempt goal"},
		{"kept, and in the next goal again", begun().brief().unverifiable("a").askedChecks().answered(answerKeep).amend().unverifiable("a"), three, "attempt work"},
		{"kept, and another one in the next goal", begun().brief().unverifiable("a").askedChecks().answered(answerKeep).amend().unverifiable("b"), three, "confirm"},
		{"clarify again", working().again(), three, "attempt clarify"},
		{"clarify again, and killed", begun().session("clarify").brief().goal().again().session("clarify"), three, "attempt clarify in s5"},
		{"clarified again, the goal follows", working().again().brief(), three, "attempt goal"},
		{"clarified again, with its goal", working().step("work", 1, stepOK).verdict(1, "not-yet").again().brief().goal(), three, "attempt work#round2 in s3 because goal"},
		{"a failed clarification counts anew", begun().step("clarify", 0, stepFailed).step("clarify", 0, stepFailed).brief().again(), three, "attempt clarify"},
		{"a handoff", working().handoff("work"), three, "attempt work because handoff"},
		{"a handoff before the words", begun().brief().goal().session("work").handoff("work"), three, "attempt work because handoff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := inWords(Next(Builtin(c.l), c.past.h, c.l)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Every history has a next action, the same one each time, and one that does
// not spend rounds without end.
func TestNextAlwaysKnows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := begun()
		l := Limits{Rounds: rapid.IntRange(0, 3).Draw(t, "rounds"), NoGoal: rapid.Bool().Draw(t, "nogoal")}
		for range rapid.IntRange(0, 20).Draw(t, "length") {
			anyDoc(t, p)
		}
		a, b := Next(Builtin(l), p.h, l), Next(Builtin(l), p.h, l)
		if inWords(a) != inWords(b) || inWords(a) == "nothing" {
			t.Fatalf("got %q and %q", inWords(a), inWords(b))
		}
		if s, ok := a.(Stop); ok && s.State == EndReached {
			if _, ok := p.h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindVerdict && d.Meta.State == "reached" }); !ok {
				t.Fatalf("reached without a verdict that says so: %+v", p.h.Docs)
			}
		}
	})
}

func anyDoc(t *rapid.T, p *past) {
	round := rapid.IntRange(0, 3).Draw(t, "round")
	state := rapid.SampledFrom([]string{"", "ok", "failed", "reached", "not-yet", "unreachable", "accept", "change", "wrong", "keep", "drop", "stop", "junk"}).Draw(t, "state")
	switch rapid.IntRange(0, 12).Draw(t, "kind") {
	case 0:
		p.brief()
	case 1:
		p.goal()
	case 2:
		p.amend()
	case 3:
		p.session(rapid.SampledFrom([]string{"clarify", "goal", "work"}).Draw(t, "step"))
	case 4:
		p.step(rapid.SampledFrom([]string{"clarify", "goal", "work"}).Draw(t, "step"), round, state)
	case 5:
		p.verdict(round, state)
	case 6:
		p.asked()
	case 7:
		p.answered(state)
	case 8:
		p.handoff("work")
	case 11:
		p.again()
	case 9:
		p.unverifiable("a")
	case 10:
		p.askedChecks()
	default:
		p.add(gitstate.Doc{Kind: gitstate.KindEnd, Meta: gitstate.Meta{State: state}})
	}
}

// Replaying a history from its beginning decides at each point as it was
// decided then: resuming is running.
func TestNextFollowsItsOwnPath(t *testing.T) {
	l := Limits{Rounds: 3}
	p := begun()
	var path []string
	for range 20 {
		a := Next(Builtin(l), p.h, l)
		path = append(path, inWords(a))
		switch a := a.(type) {
		case Attempt:
			switch a.Step.Makes {
			case gitstate.KindBrief:
				p.brief()
			case gitstate.KindGoal:
				p.goal()
			default:
				p.step(a.Step.Name, a.Round, stepOK)
			}
		case Adjudicate:
			state := "not-yet"
			if a.Work.Meta.Round == 2 {
				state = "reached"
			}
			p.verdict(a.Work.Meta.Round, state)
		case Stop:
			p.add(gitstate.Doc{Kind: gitstate.KindEnd, Meta: gitstate.Meta{State: string(a.State), From: a.From}})
		}
	}
	want := []string{"attempt clarify", "attempt goal", "attempt work", "judge round 1", "attempt work#round2 because verdict", "judge round 2", "stop reached", "ended reached"}
	for i, w := range want {
		if path[i] != w {
			t.Fatalf("step %d: got %q, want %q (%q)", i, path[i], w, path)
		}
	}
}
