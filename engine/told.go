package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// Words for one worker are records before anybody is told that they were said: a
// person's are amendments that name the worker, the coordinator's are notices. So
// every session of the worker hears them, whoever wrote the handoff between two.

// wordsTold is the state of a notice by which the coordinator has told the worker
// that it names something. Session and call are the coordinator's.
const wordsTold = "told"

const tellSchema = `{
  "type": "object",
  "properties": {
    "worker": {"type": "string", "description": "Its name, such as coder-2."},
    "words": {"type": "string"}
  },
  "required": ["worker", "words"], "additionalProperties": false
}`

// tellTool has the coordinator, whose session is given, say something to a worker
// while it works.
func (c *crew) tellTool(session string) harness.Tool {
	return harness.Tool{
		Name:        "tell",
		Description: "Say something to a worker that is still at work, such as a constraint that has changed. It hears it with its next request.",
		Schema:      json.RawMessage(tellSchema),
		Call: func(ctx context.Context, call string, input json.RawMessage) (harness.Result, error) {
			var in struct{ Worker, Words string }
			if err := json.Unmarshal(input, &in); err != nil {
				return harness.Result{}, refuse("the input is not of the tool's form: %v", err)
			}
			if strings.TrimSpace(in.Words) == "" {
				return harness.Result{}, refuse("the words are empty; write what '%s' is to know", line(in.Worker, 40))
			}
			words, err := c.tell(ctx, gitstate.Meta{Worker: in.Worker, Session: session, Call: call}, in.Words)
			if err != nil {
				return harness.Result{}, err
			}
			c.pass(ctx, words)
			return harness.Result{Text: in.Worker + " hears it with its next request."}, nil
		},
	}
}

// tell records words for a worker that has not reported. A call that is repeated
// after a crash finds what it has recorded.
func (c *crew) tell(ctx context.Context, m gitstate.Meta, words string) (gitstate.Doc, error) {
	of := func(d gitstate.Doc) bool {
		return d.Kind == gitstate.KindNotice && d.Meta.State == wordsTold && d.Meta.Worker == m.Worker && d.Meta.Session == m.Session && d.Meta.Call == m.Call
	}
	m.Step, m.Label, m.Round, m.State = c.a.Step.Name, c.a.Label, c.a.Round, wordsTold
	r := gitstate.Record{Kind: gitstate.KindNotice, Subject: line(m.Worker+" is told: "+words, 60), Body: words, Meta: m}
	if _, _, err := c.e.recordUnless(ctx, r, func(h gitstate.History) bool { return !isAtWork(h, m.Worker) || slices.ContainsFunc(h.Docs, of) }); err != nil {
		return gitstate.Doc{}, err
	}
	d, ok := c.e.deps.State.History().Last(of)
	if !ok {
		return d, refuse("no worker '%s' is at work", line(m.Worker, 40))
	}
	return d, nil
}

// pass queues recorded words for a member's next request. One that has no session
// right now hears them with what its next one begins with.
func (c *crew) pass(ctx context.Context, words gitstate.Doc) {
	for _, member := range c.running() {
		member.mu.Lock()
		t := member.talk
		member.mu.Unlock()
		if member.begun.Meta.Worker != words.Meta.Worker || t == nil || t.writing.Load() {
			continue
		}
		messages, err := spoken(t.job.session, []gitstate.Doc{words})
		for _, m := range messages {
			err = t.s.Send(ctx, m)
		}
		if err != nil && ctx.Err() == nil {
			t.tell(fmt.Sprintf("%s hears only later what it was told: %v", words.Meta.Worker, err))
		}
	}
}

// wordsFor are the words for one worker but for those it has heard, by name, oldest
// first. Counters do not tell: what another machine has added can have any.
func wordsFor(h gitstate.History, worker string, heard map[string]bool) []gitstate.Doc {
	return slices.DeleteFunc(slices.Clone(h.Docs), func(d gitstate.Doc) bool {
		told := d.Kind == gitstate.KindNotice && d.Meta.State == wordsTold
		return heard[d.Name()] || d.Meta.Worker != worker || d.Kind != gitstate.KindAmendment && !told
	})
}

// spoken are words for a worker as messages to a session. Each has the id under
// which it is queued while the worker works, so that none is heard twice.
func spoken(session string, words []gitstate.Doc) (messages []harness.Message, err error) {
	for _, d := range words {
		name := "added"
		if d.Kind == gitstate.KindNotice {
			name = "told"
		}
		text, err := prompt(name, map[string]any{"Amendments": []gitstate.Doc{d}, "Words": d.Body})
		if err != nil {
			return nil, err
		}
		messages = append(messages, harness.Message{ID: messageID(session, d.Name()), Text: text})
	}
	return messages, nil
}

// unheard are notes about words for a worker that came when it had ended, or so
// late that it cannot be known whether it heard them.
func unheard(h gitstate.History, worker string, heard map[string]bool) (notes []string) {
	for _, d := range wordsFor(h, worker, heard) {
		who := "the person"
		if d.Kind == gitstate.KindNotice {
			who = "the coordinator"
		}
		notes = append(notes, fmt.Sprintf("Too late for it to act on, %s said to it: %s", who, line(d.Body, 1000)))
	}
	return notes
}
