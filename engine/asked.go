package engine

import (
	"context"
	"slices"
	"strings"

	"git-flower/gitstate"
)

// An exchange is a question of a session and what came of it.
type exchange struct {
	Question string
	Answer   string // empty: nobody answered in time
}

// askedSoFar are the questions that the sessions of a step have asked, oldest
// first. A fresh session is told of them, so that nobody is asked twice.
func askedSoFar(h gitstate.History, step string) []exchange {
	var all []exchange
	for _, q := range askedIn(h, step) {
		if answer, ok := Answered(h, q); ok {
			all = append(all, exchange{Question: q.Body, Answer: answer.Body})
		}
	}
	return all
}

// askedIn are a step's questions, without the framework's own.
func askedIn(h gitstate.History, step string) []gitstate.Doc {
	return slices.DeleteFunc(h.Of(gitstate.KindQuestion), func(q gitstate.Doc) bool {
		return q.Meta.Step != step || q.Meta.Call == ""
	})
}

// settle waits for the answers to questions that a step's sessions have left
// open, before a fresh session takes over: it must hear the answers, and could
// only ask the same again.
func (e *Engine) settle(ctx context.Context, step string, r Role) error {
	for _, q := range askedIn(e.deps.State.History(), step) {
		if _, ok := Answered(e.deps.State.History(), q); ok {
			continue
		}
		if _, err := e.answer(ctx, q, readQuestion(q, string(r))); err != nil {
			return err
		}
	}
	return nil
}

// readQuestion is a recorded question as it was posed.
func readQuestion(q gitstate.Doc, from string) Question {
	options := OptionsOf(q)
	lines := strings.Split(q.Body, "\n")
	text := strings.Join(lines[:max(0, len(lines)-len(options))], "\n")
	return Question{Name: q.Name(), From: from, Text: text, Options: options}
}
