package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// inboxTool tells the coordinator, without waiting, what the person has said and
// who is at work. The words themselves are queued for its next request like all
// others, so they stand beside the answer and are not repeated in it.
func (c *crew) inboxTool() harness.Tool {
	return harness.Tool{
		Name:        "inbox",
		Description: "See, without waiting, whether the person has said something since your last look, and which workers are at work and for how long.",
		Schema:      json.RawMessage(waitSchema),
		Call: func(ctx context.Context, _ string, _ json.RawMessage) (harness.Result, error) {
			c.e.catchUp(ctx)
			return harness.Result{Text: c.newWords() + "\n" + c.atWorkNow(c.e.deps.Clock.Now())}, ctx.Err()
		},
	}
}

// newWords are the words that came since the last look, or since the attempt began.
func (c *crew) newWords() string {
	h := c.e.deps.State.History()
	c.mu.Lock()
	since := c.looked
	c.looked = newest(h)
	c.mu.Unlock()
	var b strings.Builder
	for _, d := range h.Of(gitstate.KindAmendment) {
		switch {
		case d.Counter <= since:
		case d.Meta.Worker != "":
			fmt.Fprintf(&b, "To %s alone: %s\n", d.Meta.Worker, line(d.Body, 400))
		default:
			fmt.Fprintf(&b, "For you, in full beside this answer: %s\n", line(d.Body, 100))
		}
	}
	if b.Len() == 0 {
		return "The person has said nothing new.\n"
	}
	return b.String()
}

// newest is the counter of the newest document.
func newest(h gitstate.History) int {
	d, _ := h.Last(func(gitstate.Doc) bool { return true })
	return d.Counter
}

// atWorkNow lists the members that have not reported.
func (c *crew) atWorkNow(now time.Time) string {
	var b strings.Builder
	for _, m := range c.running() {
		fmt.Fprintf(&b, "%s: %s\n", m.begun.Meta.Worker, c.e.busy(m, now))
	}
	if b.Len() == 0 {
		return "Nobody is at work."
	}
	return strings.TrimSpace(b.String())
}

// busy tells what a member does and for how long.
func (e *Engine) busy(m *member, now time.Time) string {
	m.mu.Lock()
	t := m.talk
	m.mu.Unlock()
	if t == nil {
		return "not at work: it waits for its turn to begin or to hand in"
	}
	return "at work for " + now.Sub(e.books.Began(t.row)).Round(time.Second).String()
}
