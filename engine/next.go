package engine

import (
	"fmt"
	"slices"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// Next decides from the history alone what a run has to do next, so that
// resuming a run after a crash and running it are the same code. It is pure
// and reads the tree's documents, never the order of commits.
//
// In words, for the built-in flow: no brief, or another one wanted, clarify; a brief without a goal,
// set the goal; an amendment or a brief that the goal was not made from, set it
// again; checks that cannot be verified here, ask the person before any work; a
// finished round without a verdict, judge it; not yet and rounds left,
// work on with the verdict's words; unreachable, ask the person; reached, or
// nothing left to try, stop. An open handoff comes before anything else.
func Next(f Flow, h gitstate.History, l Limits) Action {
	for _, s := range f.Steps {
		if open, ok := openHandoff(s, h); ok {
			return Attempt{Step: s, Label: open.Meta.Label, Round: open.Meta.Round, Because: &open}
		}
	}
	for _, s := range f.Steps {
		if a := nextOf(s, h, l); a != nil {
			return a
		}
	}
	if goal, ok := h.Current(gitstate.KindGoal); ok && !l.NoGoal && !l.ClarifyOnly {
		return ending(h, EndReached, "the goal is reached", goal.Name())
	}
	return ending(h, EndDone, "every step is done", names(h.Of(gitstate.KindBrief))...)
}

// GoesOn reports whether there is something to do in a run: work, or an end that
// is not recorded. What needs a person waits and does not go on. It is pure.
func GoesOn(h gitstate.History, l Limits) bool {
	stop, stops := Next(Builtin(l), h, l).(Stop)
	return !stops || !stop.Ended && stop.State != NeedsHuman
}

// Over reports whether the run has ended and nothing is to be done but to say so.
// It is pure.
func Over(h gitstate.History, l Limits) bool {
	stop, stops := Next(Builtin(l), h, l).(Stop)
	return stops && stop.Ended && stop.State != NeedsHuman
}

// nextOf is the next action of one step, nil when the step is done.
func nextOf(s Step, h gitstate.History, l Limits) Action {
	switch s.Makes {
	case gitstate.KindBrief:
		since, due := briefDue(h)
		if !due {
			return nil
		}
		return again(s, h, 0, since, since)
	case gitstate.KindGoal:
		if since, stale := goalStale(h); stale {
			return again(s, h, 0, since, since)
		}
		return unverified(s, h)
	}
	return nextRound(s, h, l)
}

// nextRound walks a working step's rounds.
func nextRound(s Step, h gitstate.History, l Limits) Action {
	work, ok := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindStep && d.Meta.Step == s.Name })
	switch {
	case !ok:
		return Attempt{Step: s, Label: s.Name, Round: firstRound(s), Session: living(s, h, 0)}
	case work.Meta.State != stepOK:
		return again(s, h, work.Meta.Round, startOfRound(s, h, work.Meta.Round), 0)
	case !s.Judged:
		return roundForWords(s, h, work)
	}
	goal, _ := h.Current(gitstate.KindGoal)
	verdict, judged := verdictOf(h, work.Meta.Round)
	if !judged {
		return Adjudicate{Step: s, Work: work, Goal: goal}
	}
	if !slices.Contains(verdict.Meta.From, goal.Name()) {
		return round(s, h, work.Meta.Round+1, goal)
	}
	switch stateOf(verdict) {
	case document.Reached:
		return nil
	case document.Unreachable:
		return unreachable(s, h, l, verdict)
	}
	return nextIfLeft(s, h, l, verdict, verdict)
}

// unreachable follows what the person said to an unreachable verdict.
func unreachable(s Step, h gitstate.History, l Limits, verdict gitstate.Doc) Action {
	question, asked := madeFrom(h, gitstate.KindQuestion, verdict.Name())
	if !asked {
		return Consult{Step: s, Verdict: verdict}
	}
	answer, answered := madeFrom(h, gitstate.KindAnswer, question.Name())
	switch {
	case !answered:
		return Consult{Step: s, Verdict: verdict}
	case answer.Meta.State == answerAccept:
		return ending(h, EndAccepted, "accepted although it cannot be reached here", verdict.Name(), answer.Name())
	case answer.Meta.State == answerWrong || answer.Meta.State == answerChange:
		return nextIfLeft(s, h, l, verdict, answer)
	}
	return Stop{State: NeedsHuman, From: []string{verdict.Name()}, Why: "the judge holds the goal to be unreachable and nobody has decided what to do"}
}

// nextIfLeft begins another round because of a document, while rounds are left.
func nextIfLeft(s Step, h gitstate.History, l Limits, verdict, because gitstate.Doc) Action {
	if used := roundsUsed(h); used >= max(1, l.Rounds) {
		rounds := "rounds"
		if used == 1 {
			rounds = "round"
		}
		return ending(h, EndNotReached, fmt.Sprintf("not reached after %d %s", used, rounds), verdict.Name())
	}
	return round(s, h, verdict.Meta.Round+1, because)
}

// roundForWords begins another round of a step that nobody judges when the
// person has said something since the last one ended.
func roundForWords(s Step, h gitstate.History, work gitstate.Doc) Action {
	for _, d := range amendmentsSince(h, work.Counter) {
		if d.Meta.Worker == "" {
			return round(s, h, work.Meta.Round+1, d)
		}
	}
	return nil
}

func round(s Step, h gitstate.History, n int, because gitstate.Doc) Action {
	return Attempt{Step: s, Label: roundLabel(s, n), Round: n, Session: living(s, h, 0), Because: &because}
}

// roundLabel is "work" in the first round, then "work#round2".
func roundLabel(s Step, n int) string {
	if n <= firstRound(s) {
		return s.Name
	}
	return fmt.Sprintf("%s#round%d", s.Name, n+1-firstRound(s))
}

// again makes a step's attempt number 0, 1, …, counting the failed ones of a
// round that came after the document with counter since. A session older than
// the counter begun is not gone on with.
func again(s Step, h gitstate.History, round, since, begun int) Action {
	failed := failures(s, h, round, since)
	if len(failed) > s.Retries {
		last := failed[len(failed)-1]
		return ending(h, EndFailed, fmt.Sprintf("step '%s' failed %d times", s.Name, len(failed)), last.Name())
	}
	a := Attempt{Step: s, Label: roundLabel(s, round), Round: round, Session: living(s, h, begun)}
	if n := len(failed); n > 0 {
		a.Label = fmt.Sprintf("%s#retry%d", a.Label, n)
		a.Because = &failed[n-1]
	}
	return a
}

func ending(h gitstate.History, state EndState, why string, from ...string) Stop {
	end, ok := h.Current(gitstate.KindEnd)
	ended := ok && EndState(end.Meta.State) == state && slices.Equal(end.Meta.From, from)
	return Stop{State: state, Why: why, From: from, Ended: ended}
}

// States of step and answer documents.
const (
	stepOK       = "ok"
	stepFailed   = "failed"
	answerAccept = "accept"
	answerChange = "change"
	answerWrong  = "wrong"
)

func firstRound(s Step) int {
	if s.Judged {
		return 1
	}
	return 0
}
