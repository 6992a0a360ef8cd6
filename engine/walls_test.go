package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
	"git-flower/guards"
)

// hanging is a file system that never answers until it is released.
type hanging chan struct{}

func (h hanging) Place(path string) (guards.Place, error) {
	<-h
	return guards.Place{Path: path, Kind: guards.File}, nil
}

type broken struct{}

func (broken) Place(string) (guards.Place, error) { panic("broken") }

func wallsOver(p guards.Places) *walls {
	return &walls{
		policy: guards.Policy{Role: "worker", Tools: []string{"Read", "Write"}, Roots: []string{"/t"}, Places: p},
		opened: func() []string { return nil }, limit: time.Minute, stuck: func(string) {},
	}
}

func reading(path string) guards.Call {
	return guards.Call{Role: "worker", Tool: "Read", Dir: "/t", Input: json.RawMessage(fmt.Sprintf(`{"file_path":%q}`, path))}
}

func TestAJudgementThatHangsDenies(t *testing.T) {
	hang := make(hanging)
	defer close(hang)
	w := wallsOver(hang)
	w.limit = time.Millisecond
	if d := w.authorize(t.Context(), reading("a")); d.Allow || !strings.Contains(d.Reason, "within 1ms") {
		t.Errorf("%+v", d)
	}
	w.limit = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d := w.authorize(ctx, reading("b")); d.Allow || d.Reason == "" {
		t.Errorf("%+v", d)
	}
}

func TestAJudgementThatPanicsDenies(t *testing.T) {
	w := wallsOver(broken{})
	if d := w.authorize(t.Context(), reading("a")); d.Allow || !strings.Contains(d.Reason, "broken") {
		t.Errorf("%+v", d)
	}
	w.opened = func() []string { panic("no history") }
	if d := w.authorize(t.Context(), reading("b")); d.Allow || !strings.Contains(d.Reason, "no history") {
		t.Errorf("%+v", d)
	}
}

// A call that the guards rewrite is known by what ran.
func TestARewrittenLookIsTheSameCall(t *testing.T) {
	w := wallsOver(nil)
	w.policy = guards.Policy{Role: "coordinator", Tools: []string{"Bash"}, Glance: true}
	allowed := 0
	for i := range 10 {
		c := guards.Call{Role: "coordinator", Tool: "Bash", Input: json.RawMessage(fmt.Sprintf(`{"command":"ls%s-l"}`, strings.Repeat(" ", 1+i)))}
		d := w.authorize(t.Context(), c)
		if !d.Allow {
			continue
		}
		allowed++
		c.Input = d.Input
		w.ran(c, "total 0")
	}
	if allowed != 5 {
		t.Errorf("ran %d times", allowed)
	}
}

func TestOnlyThePersonOpensSecrets(t *testing.T) {
	brief := "## Goal\nIt.\n\n## Acceptance criteria\n- runs\n\n## Boundaries\nMay be read: .env, config/prod.env\n\n## Unknowns and assumptions\nMay be read: other.env"
	s := newMemoryState("read the port from config/prod.env")
	s.keep(gitstate.Record{Kind: gitstate.KindBrief, Body: brief})
	if got := strings.Join(opened(s.History()), " "); got != "config/prod.env" {
		t.Errorf("%q", got)
	}
	s.keep(gitstate.Record{Kind: gitstate.KindReport, Body: "May be read: report.env"})
	s.keep(gitstate.Record{Kind: gitstate.KindAmendment, Body: "May be read: said.env"})
	s.keep(gitstate.Record{Kind: gitstate.KindAnswer, Body: "May be read: answered.env"})
	if got := strings.Join(opened(s.History()), " "); got != "said.env answered.env config/prod.env" {
		t.Errorf("%q", got)
	}
}

// A worker that repeats itself ends as one that cannot go on; the run goes on.
func TestAWorkerThatLoopsIsStopped(t *testing.T) {
	r := newRig()
	calls := 0
	r.fake.Play = func(ft *harnesstest.FakeTurn) harness.Ended {
		if Role(ft.Options.Role) != Worker || ft.Options.Agent != "coder-1" {
			return r.play(ft)
		}
		for ft.Context.Err() == nil && calls < 5000 {
			calls++
			ft.Call("Bash", map[string]string{"command": "make"})
		}
		return ft.Done(wholeReport)
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	report, ok := r.state.History().Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindReport && d.Meta.Worker == "coder-1" })
	if !ok || report.Meta.State != reportFailed || !strings.Contains(report.Body, "again and again") {
		t.Errorf("%v %s", report.Meta.State, report.Body)
	}
	if calls > 40 {
		t.Errorf("it made %d calls", calls)
	}
}

// A coordinator that repeats itself is a save point.
func TestACoordinatorThatLoopsPauses(t *testing.T) {
	r := newRig()
	r.fake.Play = func(ft *harnesstest.FakeTurn) harness.Ended {
		if Role(ft.Options.Role) != Coordinator {
			return r.play(ft)
		}
		for i := 0; ft.Context.Err() == nil && i < 5000; i++ {
			ft.Call("Write", map[string]string{"file_path": "a", "content": "x"})
		}
		return ft.Done("done")
	}
	_, err := r.run(t)
	var p *Pause
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "Write") {
		t.Errorf("%v", err)
	}
}
