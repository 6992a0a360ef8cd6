package engine

import (
	"context"
	"errors"
	"fmt"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// What a person can say to an unreachable goal, in the order of the options.
var unreachableOptions = []string{"accept the result as it is", "change the goal", "the judge is wrong, go on"}

// consult asks the person about an unreachable goal. Words that are none of
// the options count as "the judge is wrong", with the words as the reason.
func (e *Engine) consult(ctx context.Context, a Consult) error {
	h := e.deps.State.History()
	asked, ok := madeFrom(h, gitstate.KindQuestion, a.Verdict.Name())
	text := "The judge holds the goal to be unreachable here. What now?\n\n" + a.Verdict.Body
	q := Question{From: string(Judge), Text: text, Options: unreachableOptions}
	if !ok {
		var err error
		if asked, err = e.pose(ctx, gitstate.Meta{Step: a.Step.Name, From: []string{a.Verdict.Name()}}, q); err != nil {
			return err
		}
	}
	q.Name = asked.Name()
	words, err := e.deps.Human.Ask(ctx, q)
	if err != nil && !errors.Is(err, ErrNobody) {
		return fmt.Errorf("ask the person: %w", err)
	}
	m := gitstate.Meta{Step: a.Step.Name, State: answerNobody, From: []string{asked.Name()}, Time: stamp(e.deps.Clock.Now())}
	if err == nil {
		m.State = decided(words)
	}
	if m.State == answerChange {
		return e.changeGoal(ctx, asked, m)
	}
	_, err = e.record(ctx, gitstate.Record{Kind: gitstate.KindAnswer, Subject: m.State, Meta: m, Body: words})
	return err
}

func decided(words string) string {
	i, ok := document.MatchOption(words, unreachableOptions)
	if !ok {
		return answerWrong
	}
	return []string{answerAccept, answerChange, answerWrong}[i]
}

// changeGoal asks for the new words; they are an amendment first, from which
// the checks are derived anew.
func (e *Engine) changeGoal(ctx context.Context, asked gitstate.Doc, m gitstate.Meta) error {
	words, err := e.deps.Human.Ask(ctx, Question{Name: asked.Name(), From: string(Judge), Text: "What is the goal instead?"})
	switch {
	case errors.Is(err, ErrNobody):
		m.State = answerNobody
	case err != nil:
		return fmt.Errorf("ask the person: %w", err)
	default:
		if _, err := e.record(ctx, gitstate.Record{
			Kind: gitstate.KindAmendment, Subject: line(words, 60), Body: words,
			Meta: gitstate.Meta{Time: m.Time, From: m.From},
		}); err != nil {
			return err
		}
	}
	_, err = e.record(ctx, gitstate.Record{Kind: gitstate.KindAnswer, Subject: m.State, Meta: m, Body: words})
	return err
}
