package engine

import (
	"context"

	"git-flower/gitstate"
)

// What a person can say to an unreachable goal. Each is also the word before the
// colon of its option, by which it can be chosen.
var unreachableOptions = []string{
	answerAccept + ": take the result as it is", answerChange + ": say what the goal is instead", answerWrong + ": the judge is wrong, go on",
}

// consult asks the person about an unreachable goal. Words that are none of
// the options count as "the judge is wrong", with the words as the reason.
func (e *Engine) consult(ctx context.Context, a Consult) error {
	asked, ok := madeFrom(e.deps.State.History(), gitstate.KindQuestion, a.Verdict.Name())
	if !ok {
		text := "The judge holds the goal to be unreachable here. What now?\n\n" + a.Verdict.Body
		var err error
		if asked, err = e.pose(ctx, gitstate.Meta{Step: a.Step.Name, From: []string{a.Verdict.Name()}}, Question{Text: text, Options: unreachableOptions}); err != nil {
			return err
		}
	}
	_, err := e.answer(ctx, asked, readQuestion(asked, string(Judge)))
	return err
}
