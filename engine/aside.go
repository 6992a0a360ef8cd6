package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-flower/engine/harness"
	"git-flower/engine/spending"
	"git-flower/gitstate"
)

// An Aside is a side question about a run. The oracle answers it from the run's
// documents and from what it reads; neither question nor answer enters a session
// of the run.
type Aside struct {
	Question string
	Recent   []string // what happened last, a line each, oldest first
	Driven   bool     // a process drives the run
}

// What an aside may take: the figures of the original (spec/surface.md 4.9). An
// answer of four thousand tokens is a long one, and the worst that a request may
// cost, which is held against the limit, grows with it.
var asideLimits = limits{turns: 12, output: 4096, cost: 500_000}

// asideStep is the step under which ledgers hold what an aside cost.
const asideStep = "aside"

// AsideState is the state of the record of an aside.
const AsideState = "aside"

// standing is the fact of such a record that tells how the run stood: the kind
// and the state of the record before.
const standing = "standing"

// Aside answers a side question. Question, answer and cost become one record, a
// notice, also when there is no answer but something was spent. It needs no lock
// and may be called beside Run, from any goroutine.
func (e *Engine) Aside(ctx context.Context, a Aside) (answer string, err error) {
	ev := Event{Kind: EventAside, Step: asideStep, Role: string(Oracle), Text: a.Question, State: "asked"}
	e.emit(ev)
	answer, spent, err := e.consultOracle(ctx, a)
	if spent {
		err = errors.Join(err, e.recordAside(context.WithoutCancel(ctx), a.Question, answer, err))
	}
	ev.State, ev.Text = "answered", answer
	if err != nil {
		ev.State, ev.Text = "not answered", err.Error()
	}
	e.emit(ev)
	return answer, err
}

// consultOracle has a session of its own answer.
func (e *Engine) consultOracle(ctx context.Context, a Aside) (answer string, spent bool, err error) {
	if err := e.purse.Affords(); err != nil {
		return "", false, &Pause{Reason: PauseBudget, Step: asideStep, Err: err}
	}
	text, err := e.asidePrompt(ctx, a)
	if err != nil {
		return "", false, err
	}
	session := newSession()
	t, err := e.open(ctx, job{step: asideStep, label: asideStep, role: Oracle, dir: e.c.Dir, session: session, limits: asideLimits, fence: e.c.Fence})
	if err != nil {
		return "", false, err
	}
	ended, err := t.say(ctx, harness.Message{ID: messageID(session, "start"), Text: text})
	err = errors.Join(err, t.close())
	answer = strings.TrimSpace(ended.Text)
	switch {
	case err != nil:
	case ended.Stop == harness.StopMaxTurns:
		answer = strings.TrimSpace(answer + fmt.Sprintf("\n\n(It stopped after %d requests, which is its limit.)", asideLimits.least(e.c.Roles[Oracle].MaxTurns)))
	case answer == "":
		err = errors.New("the oracle ended without a word")
	}
	return answer, e.books.Requests(t.row) > 0, err
}

// asidePrompt is all that the oracle is told of the run.
func (e *Engine) asidePrompt(ctx context.Context, a Aside) (string, error) {
	h := e.deps.State.History()
	current := func(k gitstate.Kind) string {
		d, _ := h.Current(k)
		return d.Body
	}
	stat := ""
	if hasJoin(h) {
		var err error
		if stat, err = e.deps.Joins.Diffstat(ctx, string(h.Base), string(joined(h))); err != nil {
			return "", fmt.Errorf("look at the result so far: %w", err)
		}
	}
	return prompt("aside", map[string]any{
		"Question": a.Question, "Request": current(gitstate.KindRequest), "Brief": current(gitstate.KindBrief), "Goal": current(gitstate.KindGoal),
		"Amendments": h.Of(gitstate.KindAmendment), "Reports": h.Of(gitstate.KindReport), "Verdict": current(gitstate.KindVerdict),
		"End": current(gitstate.KindEnd), "Questions": OpenQuestions(h), "AtWork": AtWork(h), "Driven": a.Driven,
		"Base": h.Base, "Join": joined(h), "Stat": stat, "Bench": e.c.Bench, "Spent": spending.Dollars(e.purse.Total()), "Budget": e.budgetWords(), "Recent": a.Recent,
	})
}

func (e *Engine) budgetWords() string {
	if e.c.Budget == 0 {
		return "no limit"
	}
	return spending.Dollars(e.c.Budget) + " USD"
}

// recordAside records question, answer and, with the books, the cost. The run
// goes on from where it stood: the record says what that was, so that the newest
// record still tells it.
func (e *Engine) recordAside(ctx context.Context, question, answer string, failed error) error {
	body := "## Side question\n\n" + question + "\n\n## Answer\n\n"
	if failed != nil {
		answer = strings.TrimSpace(answer + "\n\nIt was not answered: " + failed.Error())
	}
	_, _, err := e.recordOn(ctx, func(h gitstate.History) (gitstate.Record, bool) {
		m := standingOf(h)
		m.State, m.Time = AsideState, gitstate.Stamp(e.deps.Clock.Now())
		return gitstate.Record{Kind: gitstate.KindNotice, Subject: "side question: " + line(question, 45), Body: body + answer, Meta: m}, true
	})
	return err
}

// standingOf are the facts by which a record tells that a run stands as it did
// before: where in the flow it is, and whether it has ended or waits.
func standingOf(h gitstate.History) gitstate.Meta {
	last, _ := h.Last(func(gitstate.Doc) bool { return true })
	m := gitstate.Meta{Step: last.Meta.Step, Label: last.Meta.Label, Round: last.Meta.Round}
	switch last.Kind {
	case gitstate.KindEnd, gitstate.KindQuestion:
		m.Extra = []gitstate.Extra{{Key: standing, Value: strings.TrimSpace(string(last.Kind) + " " + last.Meta.State)}}
	case gitstate.KindNotice:
		for _, x := range last.Meta.Extra {
			if x.Key == standing {
				m.Extra = []gitstate.Extra{x}
			}
		}
	}
	return m
}

// Standing tells from a run's newest record how the run stands: what it says
// itself or, where it is a side question, what the record before it said.
func Standing(k gitstate.Kind, m gitstate.Meta) (gitstate.Kind, string) {
	for _, x := range m.Extra {
		if k == gitstate.KindNotice && x.Key == standing {
			kind, state, _ := strings.Cut(x.Value, " ")
			return gitstate.Kind(kind), state
		}
	}
	return k, m.State
}
