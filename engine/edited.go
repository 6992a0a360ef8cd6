package engine

import (
	"errors"
	"fmt"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// Edited is the record by which a text from a person's hand takes the place of
// the current brief or goal, or of a handoff that no session has taken up. A text that lacks something is refused with what
// it lacks, since nobody sends it back to a model. A goal counts as made from
// the brief and all words there are, so that it is not derived anew; a brief is
// newer than every goal, so that the goal is. It is pure.
func Edited(h gitstate.History, kind gitstate.Kind, text string) (gitstate.Record, error) {
	old, ok := Editable(h, kind)
	if !ok {
		return gitstate.Record{}, fmt.Errorf("there is no %s to edit", kind)
	}
	r := gitstate.Record{Kind: kind, Meta: gitstate.Meta{Step: old.Meta.Step, Replaces: []string{old.Name()}, From: old.Meta.From}}
	var err error
	switch kind {
	case gitstate.KindBrief:
		r.Subject, r.Body, err = editedBrief(text)
	case gitstate.KindGoal:
		r.Subject, r.Body, err = editedGoal(text)
		r.Meta.From, r.Meta.Code = names(goalSources(h)), joined(h)
	case gitstate.KindHandoff:
		r.Subject, r.Body, err = editedHandoff(old, text)
		r.Meta = old.Meta
		r.Meta.Replaces, r.Meta.State, r.Meta.Wake, r.Meta.Cost = []string{old.Name()}, "", "", 0
	default:
		err = errors.New("it cannot be edited")
	}
	if err != nil {
		return gitstate.Record{}, fmt.Errorf("the %s cannot be taken: %w", kind, err)
	}
	return r, nil
}

// Editable is the document that a person may put another in the place of: the
// current one, and a handoff only until a session takes it up.
func Editable(h gitstate.History, kind gitstate.Kind) (gitstate.Doc, bool) {
	if kind != gitstate.KindHandoff {
		return h.Current(kind)
	}
	newest, ok := h.Last(func(d gitstate.Doc) bool { return d.Kind == kind && d.Meta.Worker == "" })
	if !ok {
		return newest, false
	}
	return openHandoff(Step{Name: newest.Meta.Step}, h)
}

func editedHandoff(old gitstate.Doc, text string) (subject, body string, err error) {
	d := document.ParseHandoff(text)
	if missing := d.Missing(); len(missing) > 0 {
		return "", "", fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	return fmt.Sprintf("%s: %s", old.Meta.Label, line(d.Next, 50)), d.String(), nil
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
