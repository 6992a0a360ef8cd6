package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

const askSchema = `{
  "type": "object",
  "properties": {
    "question": {"type": "string", "description": "One thing, concrete."},
    "options": {"type": "array", "items": {"type": "string"}, "description": "Answers to choose from, where you can name them."}
  },
  "required": ["question"], "additionalProperties": false
}`

// Unanswered is the state of the answer to a question that nobody answered in time.
const Unanswered = "timeout"

// States of answers besides those of an unreachable verdict.
const (
	answerGiven      = "answered"
	answerNobody     = Unanswered
	answerOverBudget = "over-budget"
)

// What the model is told when no answer comes. All lead to the same act.
const (
	nobodyAnswered = "Nobody answered. Decide yourself, write the question and your decision down under the assumptions, and go on. Do not ask this again."
	noMoreAsks     = "No further questions are allowed. Write what is open down under the assumptions, decide yourself, and go on."
)

// askTool lets a session ask the person. The question and its answer are
// records, so a call repeated after a crash finds what was answered.
func (e *Engine) askTool(s Step, session, from string) harness.Tool {
	return harness.Tool{
		Name:        "ask",
		Description: "Ask the person one concrete question. Blocks until it is answered or the time is up; the person may be away, then decide yourself and go on.",
		Schema:      json.RawMessage(askSchema),
		Call: func(ctx context.Context, id string, input json.RawMessage) (harness.Result, error) {
			var in struct {
				Question string
				Options  []string
			}
			if err := json.Unmarshal(input, &in); err != nil {
				return harness.Result{}, refuse("the question is not of the tool's form: %v", err)
			}
			if strings.TrimSpace(in.Question) == "" {
				return harness.Result{}, refuse("the question is empty; write what you want to know")
			}
			return e.ask(ctx, gitstate.Meta{Step: s.Name, Session: session, Call: id}, Question{From: from, Text: in.Question, Options: in.Options})
		},
	}
}

// ask answers a model's call.
func (e *Engine) ask(ctx context.Context, m gitstate.Meta, q Question) (harness.Result, error) {
	asked, known := e.questionOf(m)
	if !known && e.c.Asks >= 0 && e.asksUsed() >= e.c.Asks {
		return harness.Result{Text: noMoreAsks}, nil
	}
	if !known {
		var err error
		if asked, err = e.pose(ctx, m, q); err != nil {
			return harness.Result{}, err
		}
	}
	q.Name = asked.Name()
	answer, err := e.answer(ctx, asked, q)
	if err != nil {
		return harness.Result{}, err
	}
	if answer.Meta.State != answerGiven {
		return harness.Result{Text: nobodyAnswered}, nil
	}
	return harness.Result{Text: answer.Body}, nil
}

// pose records a question and returns its document.
func (e *Engine) pose(ctx context.Context, m gitstate.Meta, q Question) (gitstate.Doc, error) {
	body := q.Text
	for i, o := range q.Options {
		body += fmt.Sprintf("\n%d. %s", i+1, line(o, 500))
	}
	if _, err := e.record(ctx, gitstate.Record{Kind: gitstate.KindQuestion, Subject: line(q.Text, 60), Meta: m, Body: body}); err != nil {
		return gitstate.Doc{}, err
	}
	d, ok := e.deps.State.History().Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindQuestion })
	if !ok {
		return d, errors.New("a recorded question is not in the history")
	}
	return d, nil
}

// answer waits for the person and returns the one answer that counts, which may
// have been given elsewhere, or before.
func (e *Engine) answer(ctx context.Context, asked gitstate.Doc, q Question) (gitstate.Doc, error) {
	q.Name = asked.Name()
	words, elsewhere, err := e.await(ctx, asked, q)
	if elsewhere {
		return e.answered(asked, "")
	}
	var reply gitstate.Record
	if err == nil {
		reply, err = Reply(e.deps.State.History(), asked, words, "", e.deps.Clock.Now())
	}
	if errors.Is(err, ErrWhatGoal) {
		var goal string
		goal, elsewhere, err = e.await(ctx, asked, Question{Name: q.Name, From: q.From, Text: "What is the goal instead?"})
		if elsewhere {
			return e.answered(asked, "")
		}
		if err == nil {
			reply, err = Reply(e.deps.State.History(), asked, words, goal, e.deps.Clock.Now())
		}
	}
	switch {
	case errors.Is(err, ErrNobody):
		words = ""
		reply = nobody(asked, e.deps.Clock.Now())
	case err != nil:
		return gitstate.Doc{}, fmt.Errorf("ask the person: %w", err)
	}
	if _, _, err := e.recordUnless(ctx, reply, func(h gitstate.History) bool {
		old, ok := madeFrom(h, gitstate.KindAnswer, asked.Name())
		return ok && !outranks(reply.Meta.State, old.Meta.State)
	}); err != nil {
		return gitstate.Doc{}, err
	}
	return e.answered(asked, words)
}

// nobody is the record of a question that nobody answered in time.
func nobody(asked gitstate.Doc, now time.Time) gitstate.Record {
	return gitstate.Record{
		Kind: gitstate.KindAnswer, Subject: "nobody answered in time",
		Meta: gitstate.Meta{Step: asked.Meta.Step, State: answerNobody, From: []string{asked.Name()}, Time: gitstate.Stamp(now)},
	}
}

// answered is the answer that counts. Words typed here that came too late to be
// it are not passed over in silence.
func (e *Engine) answered(asked gitstate.Doc, typed string) (gitstate.Doc, error) {
	ev := Event{Kind: EventAnswer, Step: asked.Meta.Step, ID: asked.Name()}
	h := e.deps.State.History()
	d, ok := madeFrom(h, gitstate.KindAnswer, asked.Name())
	switch {
	case !ok && isOver(h, asked):
		ev.State, ev.Text = Unanswered, "the question does not arise any more, since the goal changes"
		e.emit(ev)
		return d, nil
	case !ok:
		return d, errors.New("a recorded answer is not in the history")
	}
	ev.State, ev.Text = d.Meta.State, d.Body
	if d.Meta.State == Unanswered {
		ev.Text = unansweredWords(asked)
	}
	e.emit(ev)
	if again, err := Reply(e.deps.State.History(), asked, typed, typed, e.deps.Clock.Now()); typed != "" && err == nil && again.Meta.State != d.Meta.State {
		e.emit(Event{Kind: EventNotice, Step: asked.Meta.Step, Text: fmt.Sprintf("the question had been answered already; '%s' came too late", line(typed, 200))})
	}
	return d, nil
}

// silence is what no answer means to a question.
func silence(asked gitstate.Doc) string {
	switch {
	case isAboutGoal(asked):
		return "stop here"
	case isAboutChecks(asked):
		return "keep them"
	}
	return "let it decide"
}

// unansweredWords tell what becomes of a question that nobody answered in time.
func unansweredWords(asked gitstate.Doc) string {
	switch {
	case isAboutGoal(asked):
		return "nobody answered; the run stops here until somebody does"
	case isAboutChecks(asked):
		return "nobody answered; the checks stay in the goal"
	}
	return "nobody answered; it decides itself and writes the assumption down"
}

// questionOf is the question that a session's tool call has posed before.
func (e *Engine) questionOf(m gitstate.Meta) (gitstate.Doc, bool) {
	return e.deps.State.History().Last(func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindQuestion && d.Meta.Call == m.Call && d.Meta.Session == m.Session
	})
}

// asksUsed counts the models' questions; the framework's own use up nothing.
func (e *Engine) asksUsed() int {
	n := 0
	for _, d := range e.deps.State.History().Of(gitstate.KindQuestion) {
		if d.Meta.Call != "" {
			n++
		}
	}
	return n
}
