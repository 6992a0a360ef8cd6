package engine

import (
	"slices"
	"time"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// Questions to a history that Next and the steps share. All are pure.

// goalStale reports whether the current goal lacks the brief or an amendment,
// and the counter of the newest document it would have to be made from.
func goalStale(h gitstate.History) (since int, stale bool) {
	goal, ok := h.Current(gitstate.KindGoal)
	sources := goalSources(h)
	for _, d := range sources {
		since = max(since, d.Counter)
		if !slices.Contains(goal.Meta.From, d.Name()) {
			stale = true
		}
	}
	return since, stale || !ok
}

// StandingGoal is the goal by whose checks the run goes on. There is none where it is
// to be set anew first, or the brief before it.
func StandingGoal(h gitstate.History) (gitstate.Doc, bool) {
	goal, _ := h.Current(gitstate.KindGoal)
	_, stale := goalStale(h)
	_, open := briefDue(h)
	return goal, !stale && !open
}

// clarifyAgain is the state of an amendment that adds no words and has the
// request clarified again: a brief that was not made from it is due for another.
const clarifyAgain = "clarify-again"

// ClarifyAgain is the record that has a run's request clarified again. It is not
// due where that is still to come: before there is a brief, and while an earlier
// wish is not fulfilled. Unless a person asks for it, words must have been said
// that the brief was not made from. It is pure.
func ClarifyAgain(h gitstate.History, asked bool, now time.Time) (r gitstate.Record, due bool) {
	brief, ok := h.Current(gitstate.KindBrief)
	if _, open := briefDue(h); !ok || open || !asked && len(amendmentsBeside(h, brief)) == 0 {
		return r, false
	}
	r = Amendment("The request is to be clarified again.", now)
	r.Meta.State = clarifyAgain
	return r, true
}

// briefDue reports whether a brief is to be written, and the counter of the
// newest wish for another one.
func briefDue(h gitstate.History) (since int, due bool) {
	brief, ok := h.Current(gitstate.KindBrief)
	for _, d := range h.Of(gitstate.KindAmendment) {
		if d.Meta.State == clarifyAgain && !slices.Contains(brief.Meta.From, d.Name()) {
			since, due = d.Counter, true
		}
	}
	return since, due || !ok
}

// briefSources are the documents a brief is made from: the request, the person's
// words, and the wishes to clarify again.
func briefSources(h gitstate.History) []gitstate.Doc {
	return slices.DeleteFunc(slices.Clone(h.Docs), func(d gitstate.Doc) bool {
		return d.Kind != gitstate.KindRequest && d.Kind != gitstate.KindAmendment || d.Meta.Worker != ""
	})
}

// goalSources are the documents a goal is made from: the brief and every
// amendment, oldest first.
func goalSources(h gitstate.History) []gitstate.Doc {
	var docs []gitstate.Doc
	if brief, ok := h.Current(gitstate.KindBrief); ok {
		docs = append(docs, brief)
	}
	return append(docs, amendments(h)...)
}

// until is the history as a session found it when it began.
func until(h gitstate.History, session string) gitstate.History {
	begun, ok := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindSession && d.Meta.Session == session })
	if ok {
		h.Docs = slices.DeleteFunc(slices.Clone(h.Docs), func(d gitstate.Doc) bool { return d.Counter > begun.Counter })
	}
	return h
}

// amendments are the person's words, oldest first, without those that were said
// to one worker: they concern nobody else, and no goal is made from them.
func amendments(h gitstate.History) []gitstate.Doc {
	return slices.DeleteFunc(h.Of(gitstate.KindAmendment), func(d gitstate.Doc) bool {
		return d.Meta.Worker != "" || d.Meta.State == clarifyAgain
	})
}

// amendmentsBeside are the person's words that a document was not made from.
func amendmentsBeside(h gitstate.History, d gitstate.Doc) []gitstate.Doc {
	return slices.DeleteFunc(amendments(h), func(a gitstate.Doc) bool { return slices.Contains(d.Meta.From, a.Name()) })
}

// openHandoff is a handoff of the step that no session has taken up yet.
func openHandoff(s Step, h gitstate.History) (gitstate.Doc, bool) {
	open, ok := lastHandoff(h, s.Name, "")
	if !ok {
		return open, false
	}
	_, taken := madeFrom(h, gitstate.KindSession, open.Name())
	return open, !taken
}

// living is the session in which a step goes on: its newest one, unless a
// handoff has retired it or it is older than the document with counter since.
func living(s Step, h gitstate.History, since int) string {
	last, ok := h.Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindSession && d.Meta.Step == s.Name && d.Meta.Worker == ""
	})
	if !ok || last.Counter < since {
		return ""
	}
	if handedOver(h, last.Meta.Session) {
		return ""
	}
	return last.Meta.Session
}

// failures are the failed attempts of a step in one round after counter since.
func failures(s Step, h gitstate.History, round, since int) []gitstate.Doc {
	var failed []gitstate.Doc
	for _, d := range h.Of(gitstate.KindStep) {
		if d.Meta.Step == s.Name && d.Meta.Round == round && d.Counter > since && d.Meta.State != stepOK {
			failed = append(failed, d)
		}
	}
	return failed
}

// startOfRound is the counter of the newest finished attempt before a round.
func startOfRound(s Step, h gitstate.History, round int) int {
	since := 0
	for _, d := range h.Of(gitstate.KindStep) {
		if d.Meta.Step == s.Name && d.Meta.Round < round {
			since = d.Counter
		}
	}
	return since
}

// verdictOf is the newest verdict on a round.
func verdictOf(h gitstate.History, round int) (gitstate.Doc, bool) {
	return h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindVerdict && d.Meta.Round == round })
}

// stateOf is a verdict's state. A word that is none is not yet.
func stateOf(verdict gitstate.Doc) document.State {
	state, known := document.ParseState(verdict.Meta.State)
	if !known {
		return document.NotYet
	}
	return state
}

// roundsUsed counts the distinct rounds judged against the current goal.
func roundsUsed(h gitstate.History) int {
	goal, _ := h.Current(gitstate.KindGoal)
	rounds := map[int]bool{}
	for _, d := range h.Of(gitstate.KindVerdict) {
		if slices.Contains(d.Meta.From, goal.Name()) {
			rounds[d.Meta.Round] = true
		}
	}
	return len(rounds)
}

// AtWork are the session records of the workers that have not reported, of each the
// newest, oldest first. They work while a process drives the run, and go on when one does again.
func AtWork(h gitstate.History) []gitstate.Doc {
	return slices.DeleteFunc(workers(h), func(d gitstate.Doc) bool {
		_, reported := answering(h, gitstate.KindReport, d.Meta.Call, d.Meta.Index)
		return reported
	})
}

// workers are the session records of all workers, of each the newest, in the order
// in which they were dispatched.
func workers(h gitstate.History) []gitstate.Doc {
	var all []gitstate.Doc
	for _, d := range h.Of(gitstate.KindSession) {
		at := slices.IndexFunc(all, func(w gitstate.Doc) bool { return w.Meta.Worker == d.Meta.Worker })
		switch {
		case d.Meta.Worker == "":
		case at < 0:
			all = append(all, d)
		default:
			all[at] = d
		}
	}
	return all
}

// madeFrom is the newest document of a kind that was made from another.
func madeFrom(h gitstate.History, k gitstate.Kind, name string) (gitstate.Doc, bool) {
	return h.Last(func(d gitstate.Doc) bool { return d.Kind == k && slices.Contains(d.Meta.From, name) })
}

// joined is the workers' merged result so far: the newest join, else the base.
func joined(h gitstate.History) gitstate.ObjectID {
	last, ok := h.Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindReport && d.Meta.State == reportJoined
	})
	if !ok {
		return h.Base
	}
	return last.Meta.Code
}

// hasJoin reports whether anything was ever joined.
func hasJoin(h gitstate.History) bool { return joined(h) != h.Base }

func names(docs []gitstate.Doc) []string {
	var all []string
	for _, d := range docs {
		all = append(all, d.Name())
	}
	return all
}
