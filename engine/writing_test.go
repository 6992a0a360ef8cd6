package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// D6: words that come while the coordinator writes its handoff are no part of that
// conversation; they are recorded and whoever takes over is told of them.
func TestWordsWhileTheHandoffIsWritten(t *testing.T) {
	var told, heard string
	var r *rig
	r = full(func(t coordinatorTurn) harness.Ended {
		if t.writes {
			r.words <- "use tabs"
			r.engine.catchUp(t.Context)
			for _, m := range t.Heard() {
				heard += m.Text
			}
		}
		return hearing(&told)(t)
	})
	r.words = make(chan string)
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if heard != "" || len(r.handoffs()) != 1 || isDegraded(r.handoffs()[0]) || strings.Count(told, "> use tabs") != 1 {
		t.Errorf("%d handoffs; the writer hears %q, the successor:\n%s", len(r.handoffs()), heard, told)
	}
}

// The same of a worker: words for it alone, and what the coordinator tells it.
func TestWordsWhileAWorkerWritesItsHandoff(t *testing.T) {
	var r *rig
	var successor, heard string
	first := ""
	r = telling("keep the old flag", func(t *harnesstest.FakeTurn, told <-chan struct{}) harness.Ended {
		switch {
		case first == "":
			first = t.Options.Session
			_ = t.Request(harness.Usage{Input: 150_000})
			t.Call("Read", map[string]string{"file_path": "/a"})
			return harness.Ended{}
		case t.Options.Session == first:
			r.state.mu.Lock()
			r.state.keep(AmendmentTo("coder-1", "use tabs", r.clock.Now()))
			r.state.mu.Unlock()
			r.words <- "for all"
			<-told
			for _, m := range t.Heard() {
				heard += m.Text
			}
			return t.Done(wholeHandoff)
		}
		successor += saidIn(t)
		return report(t)
	})
	if o, err := r.run(t); err != nil || o.State != EndDone {
		t.Fatalf("%+v, %v\n%s", o, err, r.state.story())
	}
	for _, want := range []string{"> use tabs", "> keep the old flag", "> for all"} {
		if strings.Count(successor, want) != 1 {
			t.Errorf("the successor is told %q %d times:\n%s", want, strings.Count(successor, want), successor)
		}
	}
	if heard != "" || isDegraded(r.handoffs()[0]) {
		t.Errorf("the writer hears %q; degraded: %v", heard, isDegraded(r.handoffs()[0]))
	}
}

// D7: a wake that ends while the handoff is written, by a signal or because the
// endpoint stays away, leaves none; the next one has the same session write it.
func TestTheNextWakeWritesTheHandoff(t *testing.T) {
	stopped := errors.New("SIGINT")
	for _, why := range []string{"signal", "endpoint"} {
		ctx, stop := context.WithCancelCause(context.Background())
		defer stop(nil)
		asked, away := 0, true
		r := full(func(t coordinatorTurn) harness.Ended {
			if t.session > 1 || !t.writes && !t.Carried {
				return once(t)
			}
			asked++
			if !away {
				return t.says(160_000, wholeHandoff)
			}
			if why == "signal" {
				stop(stopped)
				<-t.Context.Done()
				return harness.Ended{}
			}
			return harness.Ended{Fault: &harness.Fault{Class: harness.Network, Message: "connection refused"}}
		})
		_, err := r.runIn(ctx, t)
		var p *Pause
		if why == "signal" && !errors.Is(err, stopped) || why == "endpoint" && (!errors.As(err, &p) || p.Reason != PauseLater) {
			t.Fatalf("%s: %v", why, err)
		}
		if len(r.handoffs()) != 0 {
			t.Fatalf("%s: a handoff was made up:\n%s", why, r.handoffs()[0].Body)
		}
		away, r.config.Wake = false, "w2"
		if o, err := r.run(t); err != nil || o.State != EndDone || r.state.story() != onceStory {
			t.Errorf("%s, resumed: %+v, %v\n%s", why, o, err, r.state.story())
		}
		if d := r.handoffs(); len(d) != 1 || isDegraded(d[0]) || d[0].Meta.Session != r.sessionsOf("work")[0].Meta.Session || asked < 2 {
			t.Errorf("%s: %+v, asked %d times", why, d, asked)
		}
	}
}

// Each role is told what its successor will have anyway, which is not the same: a
// worker's knows neither brief nor goal, a coordinator's has no tree.
func TestTheWriterKnowsWhatItsSuccessorIsTold(t *testing.T) {
	for role, c := range map[Role]struct{ has, lacks string }{
		Coordinator: {"reports of workers", "working tree"}, Worker: {"working tree", "last verdict"},
		Clarifier: {"request", "last verdict"}, Judge: {"brief", "reports of workers"},
	} {
		text, err := prompt("handoff", map[string]any{"Role": string(role), "Used": "", "Window": "", "Missing": ""})
		if err != nil || !strings.Contains(text, c.has) || strings.Contains(text, c.lacks) || !strings.Contains(text, "exactly these five sections") {
			t.Errorf("%s: %v\n%s", role, err, text)
		}
	}
}
