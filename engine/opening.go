package engine

import (
	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// opening is what an attempt says first. A fresh session is told the whole of
// what it has to know; one that goes on hears what has come up since it began,
// each thing under an id of its own, so that the harness leaves out what was
// said in it before.
func (e *Engine) opening(a Attempt, p place) ([]harness.Message, error) {
	if !p.fresh {
		if news, err := e.newsFor(a, p.session); len(news) > 0 || err != nil {
			return news, err
		}
	}
	text, err := e.whole(a)
	return []harness.Message{{ID: messageID(p.session, "start"), Text: text}}, err
}

// newsFor is what a session that goes on has to hear: what made the attempt
// necessary, and the person's words.
func (e *Engine) newsFor(a Attempt, session string) ([]harness.Message, error) {
	h := e.deps.State.History()
	begun, _ := until(h, session).Last(func(gitstate.Doc) bool { return true })
	because := a.Because
	if because != nil && because.Counter <= begun.Counter {
		because = nil // the session was told of it as it began
	}
	if because == nil && a.Step.Makes == "" {
		because = goalSince(h, begun.Counter)
	}
	var news []harness.Message
	add := func(d gitstate.Doc, name string, data map[string]any) error {
		text, err := prompt(name, data)
		news = append(news, harness.Message{ID: messageID(session, d.Name()), Text: text})
		return err
	}
	if because != nil && because.Kind != gitstate.KindAmendment {
		if err := add(*because, "feedback", map[string]any{
			"Kind": string(because.Kind), "Round": because.Meta.Round, "Code": because.Meta.Code, "Body": because.Body, "Makes": string(a.Step.Makes),
		}); err != nil {
			return nil, err
		}
	}
	for _, d := range amendmentsSince(h, begun.Counter) {
		if !(job{role: a.Step.Role}).concerns(d) {
			continue
		}
		if err := add(d, "added", map[string]any{"Amendments": []gitstate.Doc{d}}); err != nil {
			return nil, err
		}
	}
	return news, nil
}

// goalSince is the current goal when it is newer than the counter: words said
// while a step was broken off must reach it.
func goalSince(h gitstate.History, counter int) *gitstate.Doc {
	goal, ok := h.Current(gitstate.KindGoal)
	if !ok || goal.Counter < counter {
		return nil
	}
	return &goal
}

// whole is what a fresh session is told: everything in the records that its
// step is made from, and whatever of the work is already there.
func (e *Engine) whole(a Attempt) (string, error) {
	h := e.deps.State.History()
	request, _ := h.Current(gitstate.KindRequest)
	brief, _ := h.Current(gitstate.KindBrief)
	goal, _ := h.Current(gitstate.KindGoal)
	verdict, _ := h.Current(gitstate.KindVerdict)
	reports, earlier := reportsFor(h, a.Step.Name)
	handoff, _ := lastHandoff(h, a.Step.Name, "")
	data := map[string]any{
		"Request": request.Body, "Brief": brief.Body, "Goal": goal.Body, "Verdict": verdict.Body,
		"Amendments": amendments(h), "Reports": reports, "Earlier": earlier, "Handoff": handoff.Body, "Asked": askedSoFar(h, a.Step.Name),
		"Environment": e.c.Environment, "Bench": e.c.Bench, "Rounds": max(1, e.c.Limits.Rounds), "Base": h.Base, "Join": "",
	}
	if hasJoin(h) {
		data["Join"] = joined(h)
	}
	switch a.Step.Makes {
	case gitstate.KindBrief:
		return prompt("request", data)
	case gitstate.KindGoal:
		return prompt("setgoal", data)
	}
	data["Amendments"] = amendmentsBeside(h, brief)
	return prompt("work", data)
}
