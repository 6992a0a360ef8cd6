package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/spending"
	"git-flower/gitstate"
	"git-flower/worktree"
)

// snapshots are those of a test: each a commit of its own, told to whoever waits.
type snapshots struct {
	mu   sync.Mutex
	what []string
	made chan string
	err  error
}

func keepsIn(r *rig) *snapshots {
	s := &snapshots{made: make(chan string, 100)}
	r.trees.kept = func(_ *worktree.Tree, what string) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.what = append(s.what, what)
		s.made <- what
		return fmt.Sprintf("s%d", len(s.what)), s.err
	}
	return s
}

func write(t *harnesstest.FakeTurn, id, tool, path string, denied bool) {
	input, _ := json.Marshal(map[string]string{"file_path": path})
	t.Emit(harness.ToolCall{ID: id, Tool: tool, Input: input})
	t.Emit(harness.ToolResult{ID: id, Tool: tool, Denied: denied})
}

// What a tool has written is kept while the worker goes on; its ref moves without
// a record and goes with the report.
func TestEditsAreKeptAtOnce(t *testing.T) {
	r := newRig().unprotected()
	s := keepsIn(r)
	hands(r, 1, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		write(t, "1", "Write", "a.c", false)
		<-s.made
		write(t, "2", "Read", "b.c", false)
		write(t, "3", "Write", "c.c", true)
		write(t, "4", "Edit", "d.c", false)
		<-s.made
		return report(t)
	})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.c", "d.c"}; !slices.Equal(s.what, want) {
		t.Errorf("kept %q, want %q", s.what, want)
	}
	if want := []gitstate.ObjectID{"s1", "s2"}; !slices.Equal(r.state.moved, want) {
		t.Errorf("the ref moved to %q, want %q", r.state.moved, want)
	}
	if got := r.state.h.Work["coder-1"]; got != "" {
		t.Errorf("after the report its ref is at '%s'", got)
	}
	if strings.Contains(r.state.story(), "notice") {
		t.Errorf("a snapshot made a record: %s", r.state.story())
	}
}

// doorClock lets those who wait go on when the test says so.
type doorClock struct {
	*stillClock
	door chan struct{}
	asks chan time.Duration
}

func (c *doorClock) Wait(ctx context.Context, d time.Duration) error {
	select {
	case c.asks <- d:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-c.door:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A worker that hangs in a tool is looked at all the same, and a look that took
// long is not repeated soon.
func TestAHangingWorkersTreeIsKept(t *testing.T) {
	r := newRig().unprotected()
	r.config.KeepEvery = time.Minute
	s := keepsIn(r)
	clock := &doorClock{newStillClock(), make(chan struct{}), make(chan time.Duration)}
	r.time = clock
	kept := r.trees.kept
	r.trees.kept = func(t *worktree.Tree, what string) (string, error) {
		_ = clock.stillClock.Wait(context.Background(), 9*time.Second) // a look takes so long
		return kept(t, what)
	}
	var pauses []time.Duration
	hands(r, 1, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		for range 2 {
			pauses = append(pauses, <-clock.asks)
			clock.door <- struct{}{}
			if what := <-s.made; what != "all" {
				panic(what)
			}
		}
		return report(t)
	})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if pauses[0] != time.Minute {
		t.Errorf("first look after %v", pauses[0])
	}
}

// A file that was written as the one before was taken up is in its snapshot; no
// other is made for it, which would be one of everything.
func TestNothingNewMakesNoSnapshot(t *testing.T) {
	r := newRig().unprotected()
	s := keepsIn(r)
	begun := gitstate.Doc{Meta: gitstate.Meta{Worker: "coder-1"}}
	e := &Engine{deps: Deps{State: r.state, Snapshots: r.trees, Clock: r.clock, Events: &Stream{}}, purse: &spending.Purse{}}
	k := &keeper{w: &worker{e: e, begun: begun, tree: &worktree.Tree{}}, wanted: make(chan struct{}, 1)}
	k.edited("a.c")
	<-k.wanted
	k.edited("b.c")
	for range 2 {
		k.once(t.Context())
	}
	if want := []string{"a.c b.c"}; !slices.Equal(s.what, want) {
		t.Errorf("kept %q, want %q", s.what, want)
	}
}

func TestPauseGrowsWithTheLook(t *testing.T) {
	e := &Engine{c: Config{KeepEvery: time.Minute}}
	for took, want := range map[time.Duration]time.Duration{0: time.Minute, 3 * time.Second: time.Minute, 9 * time.Second: 3 * time.Minute} {
		if got := (&keeper{w: &worker{e: e}, took: took}).pause(); got != want {
			t.Errorf("after a look of %v: %v, want %v", took, got, want)
		}
	}
}

// A worker that is cut off is kept whole once more, and goes on elsewhere from
// that, told what is not there.
func TestACutOffWorkerGoesOnElsewhere(t *testing.T) {
	r := newRig().unprotected()
	keepsIn(r)
	broke := errors.New("the process ends")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var task string
	hands(r, 1, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		if ctx.Err() == nil {
			cancel(broke)
			<-t.Context.Done()
			return harness.Ended{Stop: harness.StopInterrupted}
		}
		for _, m := range t.Said {
			task += m.Text
		}
		return report(t)
	})
	if _, err := r.runIn(ctx, t); !errors.Is(err, broke) {
		t.Fatalf("got %v", err)
	}
	if got := r.state.h.Work["coder-1"]; got != "s1" {
		t.Fatalf("its ref is at '%s'", got)
	}
	r.trees.trees, r.said.n, r.config.Wake = nil, nil, "w2" // on another machine
	r.fake = &harnesstest.Fake{Label: "fake", Play: r.fake.Play}
	o, err := r.run(t)
	if err != nil || o.State != EndReached {
		t.Fatalf("resumed: %+v, %v", o, err)
	}
	if want := []string{"coder-1 from s1"}; !slices.Equal(r.trees.restored, want) {
		t.Errorf("restored %q, want %q", r.trees.restored, want)
	}
	if !strings.Contains(task, "node_modules/") {
		t.Errorf("the worker was told %q", task)
	}
}

// A snapshot that fails is told, once, and is nothing the run stops for.
func TestAFailedSnapshotIsToldOnce(t *testing.T) {
	r := newRig().unprotected()
	s := keepsIn(r)
	s.err = errors.New("no space left on device")
	var told []string
	r.events = func(ev Event) {
		if ev.Kind == EventNotice {
			told = append(told, ev.Text)
		}
	}
	hands(r, 1, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		for i := range 3 {
			write(t, fmt.Sprint(i), "Write", "a.c", false)
			<-s.made
		}
		return report(t)
	})
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v", o, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "no space left on device") {
		t.Errorf("told %q", told)
	}
}

// Where work conflicts that was snapshot before, its ref stays forward of that.
func TestAConflictKeepsTheSnapshotsToo(t *testing.T) {
	r := newRig().unprotected()
	s := keepsIn(r)
	r.trees.conflict = []string{"a.c"}
	hands(r, 1, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		write(t, "1", "Write", "a.c", false)
		<-s.made
		return report(t)
	})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if got := r.state.refs["refs/flower/work/x/coder-1"]; got != "s2" {
		t.Errorf("its ref is at '%s'", got)
	}
	d := r.state.History().Of(gitstate.KindReport)[0]
	if d.Meta.State != reportConflict || d.Meta.Tip != "work of coder-1" {
		t.Errorf("report: %+v", d.Meta)
	}
}

// A setup that fails is a record and told to the worker, which goes on.
func TestAFailedSetupIsToldAndRecorded(t *testing.T) {
	r := newRig().unprotected()
	r.trees.setup = "exit code 7: no such registry"
	var task string
	hands(r, 1, func(t *harnesstest.FakeTurn, part int) harness.Ended {
		for _, m := range t.Said {
			task += m.Text
		}
		return report(t)
	})
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v", o, err)
	}
	d, _ := r.state.History().Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindNotice })
	if d.Meta.Worker != "coder-1" || !strings.Contains(d.Body, "no such registry") {
		t.Errorf("recorded: %+v", d)
	}
	if !strings.Contains(task, "no such registry") {
		t.Errorf("the worker was told %q", task)
	}
}
