package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// What a person can say to checks that nobody can verify here. Each is also the
// word before the colon of its option, by which it can be chosen.
const (
	answerKeep = "keep"
	answerDrop = "drop"
	answerStop = "stop"
)

// unverified follows what the person said to the goal's checks that nobody can
// verify here, nil when work can begin. A goal from a person's hand is not
// asked about.
func unverified(s Step, h gitstate.History) Action {
	goal, _ := h.Current(gitstate.KindGoal)
	if goal.Meta.Session == "" || len(undecided(h, goal)) == 0 {
		return nil
	}
	question, asked := madeFrom(h, gitstate.KindQuestion, goal.Name())
	if !asked {
		return Confirm{Step: s, Goal: goal}
	}
	answer, answered := madeFrom(h, gitstate.KindAnswer, question.Name())
	switch {
	case !answered:
		return Confirm{Step: s, Goal: goal}
	case answer.Meta.State == answerStop:
		return Stop{State: NeedsHuman, From: []string{goal.Name()}, Why: "checks of the goal cannot be verified here, and you said to stop"}
	}
	return nil
}

// undecided are the checks of a goal that cannot be verified here, without those
// that the person has kept in an earlier goal.
func undecided(h gitstate.History, goal gitstate.Doc) []document.Check {
	kept := map[string]bool{}
	for _, answer := range h.Of(gitstate.KindAnswer) {
		if answer.Meta.State != answerKeep {
			continue
		}
		for _, c := range document.ParseGoal(askedAbout(h, answer).Body).Checks {
			kept[c.Text] = kept[c.Text] || c.Unverifiable != ""
		}
	}
	return slices.DeleteFunc(document.ParseGoal(goal.Body).Checks, func(c document.Check) bool {
		return c.Unverifiable == "" || kept[c.Text]
	})
}

// askedAbout is the document that an answer's question is about.
func askedAbout(h gitstate.History, answer gitstate.Doc) gitstate.Doc {
	d := answer
	for range 2 { // the question, then what it was made from
		if len(d.Meta.From) == 0 {
			return gitstate.Doc{}
		}
		d, _ = h.Find(d.Meta.From[0])
	}
	return d
}

// Whole is the goal that the person dropped checks from to get this one, else the
// goal itself. Its commands are those that somebody wrote.
func Whole(h gitstate.History, goal gitstate.Doc) gitstate.Doc {
	for _, answer := range slices.Backward(h.Of(gitstate.KindAnswer)) {
		if whole := askedAbout(h, answer); answer.Meta.State == answerDrop && slices.Contains(goal.Meta.Replaces, whole.Name()) {
			return whole
		}
	}
	return goal
}

// confirm tells before any work is paid for which checks nobody can verify
// here, and asks the person what to do about them.
func (e *Engine) confirm(ctx context.Context, a Confirm) error {
	asked, ok := madeFrom(e.deps.State.History(), gitstate.KindQuestion, a.Goal.Name())
	if !ok {
		q := aboutChecks(document.ParseGoal(a.Goal.Body))
		subject, list, _ := strings.Cut(q.Text, "\n\n")
		if err := e.notice(ctx, a.Step.Name, strings.TrimSuffix(subject, ":"), list); err != nil {
			return err
		}
		var err error
		if asked, err = e.pose(ctx, gitstate.Meta{Step: a.Step.Name, From: []string{a.Goal.Name()}}, q); err != nil {
			return err
		}
	}
	_, err := e.answer(ctx, asked, readQuestion(asked, string(Judge)))
	return err
}

// aboutChecks is the question about a goal's checks that cannot be verified
// here. A goal without any other check cannot lose them.
func aboutChecks(g document.Goal) Question {
	var lines []string
	for i, c := range g.Checks {
		if c.Unverifiable != "" {
			lines = append(lines, fmt.Sprintf("check %d: %s (%s)", i+1, c.Text, c.Unverifiable))
		}
	}
	q := Question{
		Text:    fmt.Sprintf("%d of %d checks cannot be verified here:\n\n%s", len(lines), len(g.Checks), strings.Join(lines, "\n")),
		Options: []string{answerKeep + ": begin; at the end you are asked whether to accept the result"},
	}
	if len(lines) < len(g.Checks) {
		q.Options = append(q.Options, answerDrop+": take them out of the goal and begin")
	}
	q.Options = append(q.Options, answerStop+": do not begin the work")
	return q
}

// isAboutChecks reports whether a question is the framework's own, about checks
// of a goal.
func isAboutChecks(question gitstate.Doc) bool { return isAbout(question, gitstate.KindGoal) }

// replyAboutChecks is the record of an answer about checks. Those that are to be
// dropped go in the same record; words that are none of the options add to what
// is wanted, so that the goal is set again.
func replyAboutChecks(h gitstate.History, question gitstate.Doc, words string, m gitstate.Meta) gitstate.Record {
	r := gitstate.Record{Kind: gitstate.KindAnswer, Body: words}
	options := OptionsOf(question)
	if i, ok := document.MatchOption(words, options); ok {
		r.Body = options[i]
		m.State, _, _ = strings.Cut(options[i], ":")
	} else {
		m.State = answerChange
		r.With = []gitstate.Doc{{Kind: gitstate.KindAmendment, Body: words, Meta: gitstate.Meta{Time: m.Time, From: m.From}}}
	}
	if goal, ok := h.Current(gitstate.KindGoal); ok && m.State == answerDrop && slices.Contains(question.Meta.From, goal.Name()) {
		r.With = []gitstate.Doc{verifiable(goal)}
	}
	r.Subject, r.Meta = m.State, m
	return r
}

// verifiable is a goal without the checks that cannot be verified here.
func verifiable(goal gitstate.Doc) gitstate.Doc {
	g := document.ParseGoal(goal.Body)
	g.Checks = slices.DeleteFunc(g.Checks, func(c document.Check) bool { return c.Unverifiable != "" })
	m := gitstate.Meta{Step: goal.Meta.Step, From: goal.Meta.From, Code: goal.Meta.Code, Replaces: []string{goal.Name()}}
	return gitstate.Doc{Kind: gitstate.KindGoal, Meta: m, Body: g.String()}
}
