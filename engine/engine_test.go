package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

const wholeBrief = "## Goal\nDo it, for them.\n\n## Acceptance criteria\n- it runs\n\n## Boundaries\nnothing else\n\n## Unknowns and assumptions\nNone."

const wholeReport = "## Conclusion\nIt is done.\n\n## Evidence\n- a.c:1\n\n## Output\n- a.c\n\n## Unverified\nNone."

// rig is an engine with everything around it in memory.
type rig struct {
	state   *memoryState
	trees   *memoryTrees
	fake    *harnesstest.Fake
	said    *said
	answers *answers
	journal *memoryJournal
	clock   *stillClock
	time    Clock       // in its place, when not nil
	events  func(Event) // when not nil
	config  Config
	runs    scripted
	human   Human // instead of answers
	trust   Trust
	words   chan string // typed at the terminal
	windows Windows
	engine  *Engine // of the newest wake
}

// play is a model that does its part in every role: a question, a brief, a
// goal, one worker a round, a verdict by the results it is shown.
func newRig() *rig {
	r := &rig{
		state: newMemoryState("do it"), trees: &memoryTrees{}, said: &said{}, answers: &answers{}, journal: &memoryJournal{},
		clock: newStillClock(),
		config: Config{
			Limits: Limits{Rounds: 3}, Wake: "w1", Machine: "m1", Model: "claude-opus-5-5", Asks: -1, Patience: DefaultPatience(),
			Price: func(_ string, u harness.Usage) (gitstate.MicroUSD, bool) { return gitstate.MicroUSD(u.Output), true },
		},
		// The check passes once a second worker's work is in the join.
		runs: func(_, dir string) int {
			if strings.Contains(dir, "coder-2") {
				return 0
			}
			return 1
		},
	}
	r.fake = &harnesstest.Fake{Label: "fake", Play: r.play}
	return r
}

func (r *rig) play(t *harnesstest.FakeTurn) harness.Ended {
	if err := t.Request(harness.Usage{Input: 10, Output: 100}); err != nil {
		return harness.Ended{Fault: &harness.Fault{Class: harness.Budget, Message: err.Error()}}
	}
	r.heard(t.Options.Session)
	switch Role(t.Options.Role) {
	case Clarifier:
		if len(t.Answered) == 0 {
			if a := t.Call("ask", map[string]any{"question": "Which?", "options": []string{"this", "that"}}); a.Text == "" {
				return harness.Ended{Stop: harness.StopDone}
			}
		}
		return t.Done(wholeBrief)
	case Worker:
		return t.Done(wholeReport)
	case Coordinator:
		if len(t.Answered) == 0 {
			t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "coder", "task": fmt.Sprintf("part %d", t.N)}}})
		}
		return t.Done("I hold it to be done.")
	}
	if has(t.Options, "goal") {
		if len(t.Answered) == 0 {
			t.Call("goal", map[string]any{"statement": "It runs.", "protected": []string{"tests"}, "checks": []map[string]string{{"text": "it runs", "command": "./run"}}})
		}
		return t.Done("")
	}
	t.Call("verdict", map[string]any{"state": "reached", "reason": "It looks fine.", "quote": "nothing else does it here",
		"checks": []map[string]any{{"check": 1, "passed": true, "evidence": "seen"}}})
	return t.Done("")
}

// heard counts what was said in a session, as a transcript store would.
func (r *rig) heard(session string) { r.said.add(session) }

func has(o harness.Options, tool string) bool {
	for _, t := range o.Custom {
		if t.Name == tool {
			return true
		}
	}
	return false
}

func (r *rig) run(t *testing.T) (Outcome, error) {
	t.Helper()
	return r.runIn(context.Background(), t)
}

func (r *rig) runIn(ctx context.Context, t *testing.T) (Outcome, error) {
	t.Helper()
	var clock Clock = r.clock
	if r.time != nil {
		clock = r.time
	}
	stream := &Stream{}
	if r.events != nil {
		stream.Subscribe(1000, r.events)
	}
	defer stream.Close()
	var human Human = r.answers
	if r.human != nil {
		human = r.human
	}
	e, err := New(Deps{
		State: r.state, Trees: r.trees, Snapshots: r.trees, Joins: r.trees, Scenes: scenes{r.trees}, Commands: r.runs,
		Harness: r.fake, Transcripts: r.said, Human: human, Trust: r.trust, Journal: r.journal, Clock: clock, Events: stream, Words: r.words, Windows: r.windows,
	}, r.config)
	if err != nil {
		t.Fatal(err)
	}
	r.engine = e
	return e.Run(ctx)
}

// unprotected has the judge's check decide alone.
func (r *rig) unprotected() *rig { return r.protecting() }

// protecting has the goal protect other paths.
func (r *rig) protecting(paths ...string) *rig {
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		if has(t.Options, "goal") && len(t.Answered) == 0 {
			r.heard(t.Options.Session)
			t.Call("goal", map[string]any{"statement": "It runs.", "protected": paths, "checks": []map[string]string{{"text": "it runs", "command": "./run"}}})
			return t.Done("")
		}
		return play(t)
	}
	return r
}

const wholeStory = "request session question answer brief session goal session session report step verdict session report step verdict end"

func TestRunFromRequestToEnd(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this"}
	o, err := r.run(t)
	if err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
	}
	if r.state.story() != wholeStory {
		t.Errorf("got  %s\nwant %s", r.state.story(), wholeStory)
	}
	if want := gitstate.ObjectID("c0+coder-1+coder-2"); o.Join != want || r.state.refs["refs/flower/join/x"] != want {
		t.Errorf("joined %s, ref %s, want %s", o.Join, r.state.refs["refs/flower/join/x"], want)
	}
	first, _ := verdictOf(r.state.History(), 1)
	if stateOf(first) != document.NotYet {
		t.Errorf("a judge that says reached over a failed command got %s", first.Meta.State)
	}
}

// Resuming is running: killed before or after any record, the next wake comes
// TestCachesAreKeptOfTheBaseAlone: later checks begin with what the first left,
// when nothing of a worker's had run.
func TestCachesAreKeptOfTheBaseAlone(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this"}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	h := r.state.History()
	base := string(h.Base)
	if want := []string{h.ID + " " + base}; !slices.Equal(r.trees.caches, want) {
		t.Errorf("kept are the caches of %q, not of %q", r.trees.caches, want)
	}
	if len(r.trees.warm) < 2 || r.trees.warm[0] != h.ID+" "+base+" from "+base {
		t.Errorf("checked out with kept caches: %q", r.trees.warm)
	}
	for _, w := range r.trees.warm {
		if !strings.HasPrefix(w, h.ID+" ") || !strings.HasSuffix(w, " from "+base) {
			t.Errorf("checked out with kept caches: %q", w)
		}
	}
}

// to the same story, and no finished worker is run again.
func TestKilledAtEveryRecord(t *testing.T) {
	moments := 0
	for kill := 0; ; kill++ {
		r := newRig().unprotected()
		n := 0
		r.state.die = func(string) bool { n++; return n > kill } // a dead process records nothing more
		_, err := r.run(t)
		if err == nil {
			break
		}
		moments++
		if !errors.Is(err, errKilled) {
			t.Fatalf("kill %d: %v", kill, err)
		}
		r.state.die = nil
		r.config.Wake = "w2"
		o, err := r.run(t)
		if err != nil || o.State != EndReached || r.state.story() != wholeStory {
			t.Fatalf("kill %d: %+v, %v\n%s", kill, o, err, r.state.story())
		}
		if r.trees.finished > 3 {
			t.Fatalf("kill %d: %d workers finished", kill, r.trees.finished)
		}
		if len(r.trees.trees) != 0 {
			t.Fatalf("kill %d: trees left behind: %v", kill, r.trees.trees)
		}
	}
	if moments < 2*(len(strings.Fields(wholeStory))-1) {
		t.Fatalf("only %d moments were tried", moments)
	}
}

func TestProtectedPathsNeedTheBriefsWord(t *testing.T) {
	for _, path := range []string{"tests", "./tests/", "tests/*_test.sh", "**/a_test.sh"} {
		r := newRig().protecting(path)
		r.config.Limits.Rounds = 2
		o, err := r.run(t)
		if err != nil || o.State != EndNotReached {
			t.Fatalf("protecting '%s': got %+v, %v", path, o, err)
		}
		last, _ := verdictOf(r.state.History(), 2)
		if !strings.Contains(last.Body, "tests/a_test.sh") {
			t.Errorf("protecting '%s': the verdict does not name the changed path:\n%s", path, last.Body)
		}
	}
}

func TestBudgetIsASavePoint(t *testing.T) {
	r := newRig().unprotected()
	r.config.Budget = 450
	o, err := r.run(t)
	var p *Pause
	if !errors.As(err, &p) || p.Reason != PauseBudget {
		t.Fatalf("got %v", err)
	}
	if spent := r.state.History().Spent(); spent > 450 || spent != o.Spent {
		t.Errorf("spent %d, recorded %d", o.Spent, spent)
	}
	before := r.state.story()
	r.config.Wake = "w2"
	if _, err := r.run(t); !errors.As(err, &p) || r.state.story() != before {
		t.Fatalf("stopped again: %v\n%s", err, r.state.story())
	}
	r.config.Budget = 0
	r.config.Wake = "w3"
	if o, err := r.run(t); err != nil || o.State != EndReached || strings.Replace(r.state.story(), " notice", "", 1) != wholeStory {
		t.Fatalf("resumed: %+v, %v\n%s", o, err, r.state.story())
	}
}

// What a killed wake spent after its last record still counts.
func TestJournalOutlivesTheWake(t *testing.T) {
	r := newRig().unprotected()
	dead := false
	r.state.die = func(m string) bool { dead = dead || m == "before brief"; return dead }
	if _, err := r.run(t); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	r.state.die = nil
	r.config.Wake = "w2"
	o, err := r.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if recorded := r.state.History().Spent(); recorded != o.Spent || recorded != gitstate.MicroUSD(100*len(*r.journal)) {
		t.Errorf("spent %d, recorded %d, %d requests were settled", o.Spent, recorded, len(*r.journal))
	}
	r.config.Wake = "w3"
	if again, err := r.run(t); err != nil || again.Spent != o.Spent {
		t.Errorf("a third wake counts %d, %v", again.Spent, err)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  harness.Fault
		times  int
		reason PauseReason // when times is more than can be endured
		passes bool
	}{
		{"overloaded for a while", harness.Fault{Class: harness.Overloaded}, 10, 0, true},
		{"network gone for good", harness.Fault{Class: harness.Network}, 10000, PauseLater, false},
		{"unknown, twice", harness.Fault{Class: harness.Unknown}, 2, 0, true},
		{"unknown, for ever", harness.Fault{Class: harness.Unknown}, 10000, PauseFault, false},
		{"bad key", harness.Fault{Class: harness.Auth}, 1, PauseRefused, false},
		{"usage limit with a time", harness.Fault{Class: harness.UsageLimit, RetryAfter: 3_600_000_000_000}, 1, 0, true},
		{"usage limit without one", harness.Fault{Class: harness.UsageLimit}, 1, PauseLater, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig().unprotected()
			left := c.times
			play := r.fake.Play
			r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
				if Role(t.Options.Role) == Worker && left > 0 {
					left--
					return harness.Ended{Fault: &c.fault}
				}
				return play(t)
			}
			_, err := r.run(t)
			if c.passes {
				if err != nil || r.state.story() != wholeStory {
					t.Fatalf("got %v\n%s", err, r.state.story())
				}
				return
			}
			var p *Pause
			if !errors.As(err, &p) || p.Reason != c.reason {
				t.Fatalf("got %v", err)
			}
			left = 0
			r.config.Wake = "w2"
			if _, err := r.run(t); err != nil || r.state.story() != wholeStory {
				t.Fatalf("resumed: %v\n%s", err, r.state.story())
			}
		})
	}
}

// Models that answer nonsense.
func TestNonsense(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(t *harnesstest.FakeTurn) (harness.Ended, bool)
		want EndState
		says string // kind of the record that must be there
	}{
		{"a clarifier without a brief", only(Clarifier, "", func(t *harnesstest.FakeTurn) harness.Ended { return t.Done("Sure!") }), EndFailed, "step"},
		{"a goal setter that never calls the tool", only(Judge, "goal", func(t *harnesstest.FakeTurn) harness.Ended { return t.Done("Fine.") }), EndFailed, "step"},
		{"a judge that never calls the tool", only(Judge, "verdict", func(t *harnesstest.FakeTurn) harness.Ended { return t.Done("Looks mostly reached, I think.") }), EndNotReached, "verdict"},
		{"a coordinator without a word", only(Coordinator, "", func(t *harnesstest.FakeTurn) harness.Ended { return t.Done("") }), EndFailed, "step"},
		{"a coordinator that dispatches nobody", only(Coordinator, "", func(t *harnesstest.FakeTurn) harness.Ended {
			if r := t.Call("dispatch", map[string]any{"tasks": []any{}}); !r.IsError {
				return t.Done("")
			}
			if r := t.Call("dispatch", json.RawMessage(`{"tasks":"x"}`)); !r.IsError {
				return t.Done("")
			}
			if r := t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "king", "task": "rule"}}}); !r.IsError {
				return t.Done("")
			}
			return t.Done("I did nothing.")
		}), EndNotReached, "verdict"},
		{"a clarifier that asks for ever", only(Clarifier, "", func(t *harnesstest.FakeTurn) harness.Ended {
			for i := range 50 {
				if r := t.Call("ask", map[string]any{"question": fmt.Sprintf("And %d?", i)}); strings.Contains(r.Text, "No further questions") {
					break
				}
			}
			return t.Done(wholeBrief)
		}), EndReached, "question"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig().unprotected()
			r.config.Limits.Rounds = 2
			r.config.Asks = 3
			play := r.fake.Play
			r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
				if e, mine := c.play(t); mine {
					r.heard(t.Options.Session)
					return e
				}
				return play(t)
			}
			o, err := r.run(t)
			if err != nil || o.State != c.want || !strings.Contains(r.state.story(), c.says) {
				t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
			}
			if n := strings.Count(r.state.story(), "question"); n > 3 {
				t.Errorf("%d questions with a budget of 3", n)
			}
		})
	}
}

// only plays one role's part, that of sessions with a given tool.
func only(role Role, tool string, play func(*harnesstest.FakeTurn) harness.Ended) func(*harnesstest.FakeTurn) (harness.Ended, bool) {
	return func(t *harnesstest.FakeTurn) (harness.Ended, bool) {
		if Role(t.Options.Role) != role || tool != "" && !has(t.Options, tool) {
			return harness.Ended{}, false
		}
		return play(t), true
	}
}

// A report that breaks the form is sent back once, then taken as it is.
func TestReportOutOfForm(t *testing.T) {
	r := newRig().unprotected()
	asked := 0
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		if Role(t.Options.Role) == Worker {
			asked++
			r.heard(t.Options.Session)
			return t.Done("All done, boss.")
		}
		return play(t)
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	report := r.state.History().Of(gitstate.KindReport)[0]
	if asked != 4 || !strings.Contains(report.Body, "All done, boss.") {
		t.Errorf("asked %d times for two workers; report:\n%s", asked, report.Body)
	}
}

// A conflict keeps the worker's commit on a ref of its own and tells the
// coordinator how it can be merged.
func TestJoinConflict(t *testing.T) {
	r := newRig().unprotected()
	r.trees.conflict = []string{"a.c"}
	o, err := r.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if r.state.refs["refs/flower/work/x/coder-1"] != "work of coder-1" {
		t.Errorf("refs: %v", r.state.refs)
	}
	if o.Join != "c0+coder-2" {
		t.Errorf("joined %s", o.Join)
	}
	report := r.state.History().Of(gitstate.KindReport)[0]
	if report.Meta.State != reportConflict || !strings.Contains(report.Body, "a.c") {
		t.Errorf("report: %+v", report)
	}
}

// A lost race is retried; what somebody else recorded is heard.
func TestLostRace(t *testing.T) {
	r := newRig().unprotected()
	r.state.foreign = &gitstate.Record{Kind: gitstate.KindAmendment, Subject: "also that", Body: "also that"}
	o, err := r.run(t)
	if err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v", o, err)
	}
	goal, _ := r.state.History().Current(gitstate.KindGoal)
	amendment := r.state.History().Of(gitstate.KindAmendment)[0]
	if !strings.Contains(strings.Join(goal.Meta.From, " "), amendment.Name()) {
		t.Errorf("the goal was made from %v", goal.Meta.From)
	}
}

// A check that cannot start is sent back, then counts as not verifiable, which
// is never reached.
func TestCheckThatCannotStart(t *testing.T) {
	r := newRig()
	r.runs = func(script, _ string) int {
		if strings.HasPrefix(script, "command -v") {
			return 1
		}
		return 127
	}
	play := r.fake.Play
	calls := 0
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		if !has(t.Options, "goal") {
			return play(t)
		}
		r.heard(t.Options.Session)
		for range 2 {
			calls++
			t.Call("goal", map[string]any{"statement": "It runs.", "checks": []map[string]string{{"text": "it runs", "command": "nosuch --all"}}})
		}
		return t.Done("")
	}
	o, err := r.run(t)
	if err != nil || o.State != NeedsHuman {
		t.Fatalf("got %+v, %v\n%s", o, err, r.state.story())
	}
	if !strings.Contains(r.state.story(), "notice") {
		t.Errorf("nobody was told before work began: %s", r.state.story())
	}
}
