package engine

import (
	"encoding/json"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/spending"
)

// What a session waits for: the model, a command, or something that says so itself.
func TestPending(t *testing.T) {
	bash := harness.ToolCall{ID: "a", Tool: "Bash", Input: json.RawMessage(`{"command":"make"}`)}
	read := harness.ToolCall{ID: "b", Tool: "Read", Input: json.RawMessage(`{"file_path":"/d/x"}`)}
	ask := harness.ToolCall{ID: "c", Tool: "ask"}
	talk := &talk{job: job{dir: "/d", tools: []harness.Tool{{Name: "ask"}}}}
	for _, step := range []struct {
		begins []harness.ToolCall
		ends   string
		want   string
	}{
		{want: "an answer of the model"},
		{begins: []harness.ToolCall{bash, read}, want: "Bash make; Read x"},
		{ends: "a", want: "Read x"},
		{begins: []harness.ToolCall{ask}, want: ""},
		{ends: "c", want: "Read x"},
		{ends: "b", want: "an answer of the model"},
	} {
		talk.calls = append(talk.calls, step.begins...)
		talk.forget(step.ends)
		if got := talk.pending(); got != step.want {
			t.Errorf("it waits for %q, not %q", got, step.want)
		}
	}
}

// A wait without an end goes on saying so until it is over, with how long it has
// lasted; one that is shorter than a heartbeat says nothing.
func TestWaitingSaysSo(t *testing.T) {
	clock := &moved{newStillClock(), make(chan struct{})}
	events := make(chan Event, 10)
	stream := &Stream{}
	stream.Subscribe(10, func(ev Event) { events <- ev })
	e := &Engine{deps: Deps{Clock: clock, Events: stream}, c: Config{Heartbeat: time.Minute}, purse: &spending.Purse{}}
	e.waiting(t.Context(), Event{Text: "short"}, time.Minute)()
	stop := e.waiting(t.Context(), workersWait(nil), 0)
	for range 3 {
		clock.tick <- struct{}{}
	}
	for _, want := range []float64{60, 120} {
		if ev := <-events; ev.Kind != EventHeartbeat || ev.Waited != want || ev.Wait != 0 {
			t.Errorf("told %+v", ev)
		}
	}
	stop()
	stream.Close()
}
