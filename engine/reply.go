package engine

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// ErrWhatGoal means that the goal is to be changed and nobody has said into what.
var ErrWhatGoal = errors.New("what the goal is instead has not been said")

// Amendment is the record of something that a person adds to what is wanted.
func Amendment(words string, now time.Time) gitstate.Record {
	return gitstate.Record{
		Kind: gitstate.KindAmendment, Subject: line(words, 60), Body: words, Meta: gitstate.Meta{Time: gitstate.Stamp(now)},
	}
}

// AmendmentTo is the record of words for one worker. They change nothing of what
// is wanted and are heard by that worker alone, at once or when it goes on.
func AmendmentTo(worker, words string, now time.Time) gitstate.Record {
	r := Amendment(words, now)
	r.Subject, r.Meta.Worker = line("to "+worker+": "+words, 60), worker
	return r
}

// OpenQuestions are the questions that an answer would still count for, oldest
// first. One about an unreachable goal stays open when nobody answered it in
// time, since the run waits for it; a model's was decided by its asker.
func OpenQuestions(h gitstate.History) []gitstate.Doc {
	return slices.DeleteFunc(h.Of(gitstate.KindQuestion), func(q gitstate.Doc) bool { return isOver(h, q) })
}

// isOver reports whether nobody waits for a question's answer: it has one, or it
// is about a goal that does not count any more.
func isOver(h gitstate.History, q gitstate.Doc) bool {
	if _, ok := Answered(h, q); ok || !isAboutGoal(q) && !isAboutChecks(q) {
		return ok
	}
	goal, _ := h.Current(gitstate.KindGoal)
	_, stale := goalStale(h)
	return stale || !slices.ContainsFunc(q.Meta.From, func(name string) bool {
		about, _ := h.Find(name)
		return name == goal.Name() || slices.Contains(about.Meta.From, goal.Name())
	})
}

// Answered finds the answer that counts for a question.
func Answered(h gitstate.History, question gitstate.Doc) (gitstate.Doc, bool) {
	answer, ok := madeFrom(h, gitstate.KindAnswer, question.Name())
	if ok && (answer.Meta.State == answerNobody && isAboutGoal(question) || answer.Meta.State == answerStop && isAboutChecks(question)) {
		return gitstate.Doc{}, false
	}
	return answer, ok
}

// outranks reports whether an answer counts although there is another one:
// words come before silence, and whoever said to stop may think better of it.
func outranks(state, old string) bool {
	return state != answerNobody && state != old && (old == answerNobody || old == answerStop)
}

// isAboutGoal reports whether a question is the framework's own, about a
// verdict, and no model's.
func isAboutGoal(question gitstate.Doc) bool { return isAbout(question, gitstate.KindVerdict) }

// isAbout reports whether the framework has asked about a document of a kind.
func isAbout(question gitstate.Doc, k gitstate.Kind) bool {
	return question.Meta.Call == "" && slices.ContainsFunc(question.Meta.From, func(name string) bool {
		return strings.HasPrefix(name, k.Folder()+"/")
	})
}

// OptionsOf are the answers that a question offers, from the numbered list at
// its end.
func OptionsOf(question gitstate.Doc) []string {
	if isAboutGoal(question) {
		return slices.Clone(unreachableOptions)
	}
	lines := strings.Split(question.Body, "\n")
	var options []string
	for i := len(lines) - 1; i >= 0; i-- {
		number, text, ok := strings.Cut(lines[i], ". ")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 {
			return nil
		}
		options = append(options, text)
		if n == 1 {
			slices.Reverse(options)
			return numbered(lines[i:], options)
		}
	}
	return nil
}

// numbered returns the options when their lines count from 1 without a gap.
func numbered(lines, options []string) []string {
	for i, l := range lines {
		if !strings.HasPrefix(l, strconv.Itoa(i+1)+". ") {
			return nil
		}
	}
	return options
}

// Reply is the record by which words answer a question. An option is meant by
// its number or its whole text; everything else is an answer in the person's
// own words. To change an unreachable goal it takes the new words as well, goal;
// without them it is ErrWhatGoal. They become an amendment, from which the
// checks are derived anew. It is pure; h is the history that holds the question.
func Reply(h gitstate.History, question gitstate.Doc, words, goal string, now time.Time) (gitstate.Record, error) {
	words = strings.TrimSpace(words)
	m := gitstate.Meta{Step: question.Meta.Step, State: answerGiven, From: []string{question.Name()}, Time: gitstate.Stamp(now)}
	if isAboutChecks(question) {
		return replyAboutChecks(h, question, words, m), nil
	}
	if !isAboutGoal(question) {
		options := OptionsOf(question)
		if i, ok := document.MatchOption(words, options); ok {
			words = options[i]
		}
		return gitstate.Record{Kind: gitstate.KindAnswer, Subject: line(words, 60), Meta: m, Body: words}, nil
	}
	return replyAboutGoal(words, goal, m)
}

// replyAboutGoal is the record of an answer about a goal that cannot be reached.
// Words that are none of the options say why the judge is wrong.
func replyAboutGoal(words, goal string, m gitstate.Meta) (gitstate.Record, error) {
	m.State = answerWrong
	if i, ok := document.MatchOption(words, unreachableOptions); ok {
		words = unreachableOptions[i]
		m.State, _, _ = strings.Cut(words, ":")
	}
	r := gitstate.Record{Kind: gitstate.KindAnswer, Subject: m.State, Meta: m, Body: words}
	if m.State != answerChange {
		return r, nil
	}
	if strings.TrimSpace(goal) == "" {
		return r, ErrWhatGoal
	}
	r.Body = goal
	r.With = []gitstate.Doc{{Kind: gitstate.KindAmendment, Body: goal, Meta: gitstate.Meta{Time: m.Time, From: m.From}}}
	return r, nil
}
