package engine

import (
	"context"
	"strings"
	"time"

	"git-flower/engine/harness"
)

// DefaultHeartbeat is how often whoever waits says so: often enough for somebody
// who comes back to the screen to see that it is not hung.
const DefaultHeartbeat = 5 * time.Minute

// waiting says, every Config.Heartbeat until the returned function is called,
// what is waited for, how long that has lasted and, when it has an end, how long
// it lasts yet; most is zero when it has none. It is the one place that does, so
// that nothing waits silently.
func (e *Engine) waiting(ctx context.Context, ev Event, most time.Duration) (stop func()) {
	if e.c.Heartbeat <= 0 || most > 0 && most <= e.c.Heartbeat {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.beat(ctx, ev, most)
	}()
	return func() { cancel(); <-ended }
}

func (e *Engine) beat(ctx context.Context, ev Event, most time.Duration) {
	ev.Kind, ev.Text = EventHeartbeat, line(ev.Text, 200)
	begun := e.deps.Clock.Now()
	for e.deps.Clock.Wait(ctx, e.c.Heartbeat) == nil {
		lasted := e.deps.Clock.Now().Sub(begun)
		if most > 0 && lasted >= most {
			return
		}
		ev.Waited = lasted.Seconds()
		if most > 0 {
			ev.Wait = (most - lasted).Seconds()
		}
		e.emit(ev)
	}
}

// next is the session's next event. While none comes it says what that is about:
// the model's answer, or the calls that are under way. Calls of our own tools
// wait for something that says so itself.
func (t *talk) next(ctx context.Context) (harness.Event, error) {
	if what := t.pending(); what != "" {
		ev := t.event("")
		ev.Text = what
		defer t.e.waiting(ctx, ev, 0)()
	}
	ev, err := t.s.Next(ctx)
	switch ev := ev.(type) {
	case harness.ToolCall:
		t.calls = append(t.calls, ev)
	case harness.ToolResult:
		t.forget(ev.ID)
	case harness.Ended:
		t.unanswered, t.calls = t.calls, nil
	}
	return ev, err
}

// pending is what the session waits for, "" for what is said elsewhere.
func (t *talk) pending() string {
	if len(t.calls) == 0 {
		return "an answer of the model"
	}
	var calls []string
	for _, c := range t.calls {
		for _, tool := range t.job.tools {
			if tool.Name == c.Tool {
				return ""
			}
		}
		calls = append(calls, c.Tool+" "+summary(c.Input, t.job.dir))
	}
	return strings.Join(calls, "; ")
}

func (t *talk) forget(call string) {
	for i, c := range t.calls {
		if c.ID == call {
			t.calls = append(t.calls[:i:i], t.calls[i+1:]...)
			return
		}
	}
}

// workersWait names the members that are waited for.
func workersWait(members []*member) Event {
	var names []string
	for _, m := range members {
		names = append(names, m.begun.Meta.Worker)
	}
	return Event{Role: string(Coordinator), Text: "the reports of " + strings.Join(names, ", ")}
}
