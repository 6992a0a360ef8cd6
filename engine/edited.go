package engine

import (
	"errors"
	"fmt"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// Edited is the record by which a text from a person's hand takes the place of
// the current brief or goal. A text that lacks something is refused with what
// it lacks, since nobody sends it back to a model. A goal counts as made from
// the brief and all words there are, so that it is not derived anew; a brief is
// newer than every goal, so that the goal is. It is pure.
func Edited(h gitstate.History, kind gitstate.Kind, text string) (gitstate.Record, error) {
	old, ok := h.Current(kind)
	if !ok {
		return gitstate.Record{}, fmt.Errorf("there is no %s yet", kind)
	}
	r := gitstate.Record{Kind: kind, Meta: gitstate.Meta{Step: old.Meta.Step, Replaces: []string{old.Name()}, From: old.Meta.From}}
	var err error
	switch kind {
	case gitstate.KindBrief:
		r.Subject, r.Body, err = editedBrief(text)
	case gitstate.KindGoal:
		r.Subject, r.Body, err = editedGoal(text)
		r.Meta.From, r.Meta.Code = names(goalSources(h)), joined(h)
	default:
		err = errors.New("it cannot be edited")
	}
	if err != nil {
		return gitstate.Record{}, fmt.Errorf("the %s cannot be taken: %w", kind, err)
	}
	return r, nil
}

func editedBrief(text string) (subject, body string, err error) {
	brief := document.ParseBrief(text)
	if missing := brief.Missing(); len(missing) > 0 {
		return "", "", fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	return line(brief.Goal, 60), brief.String(), nil
}

func editedGoal(text string) (subject, body string, err error) {
	goal := document.ParseGoal(text)
	if missing := goal.Missing(); len(missing) > 0 {
		return "", "", fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	if err := goal.Validate(); err != nil {
		return "", "", err
	}
	return line(goal.Statement, 60), goal.String(), nil
}
