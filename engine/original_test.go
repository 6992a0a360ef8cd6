package engine

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// handoffRows are the rows of the original's cases for its handoff loop, which are
// stories, with the tests that play them.
var handoffRows = map[string]func(*testing.T){
	"subagent-context-never-triggers":             TestOnlyTheMainThreadCounts,
	"write-then-fresh-session":                    TestHandoffAndAFreshSession,
	"writing-turn-is-exempt-from-the-threshold":   TestWritingTurnIsExemptFromTheThreshold,
	"failed-document-degrades-and-still-switches": TestHandoffThatIsNone,
	"two-degraded-in-a-row-stop":                  TestTwoDegradedHandoffsStop,
	"generation-cap":                              TestGenerationsAreLimited,
	"level-resets-per-step":                       TestLevelIsOfOneSession,
	"overflow-error-becomes-a-forced-switch":      TestOverflowCountsForItsOwnAttemptOnly,
	"overflow-teaches-the-window":                 TestOverflowCountsForItsOwnAttemptOnly,
	"explicit-compact-is-respected":               TestCompactedIsANotice,
	"near-warning-once-per-generation":            TestNearIsToldOnce,
	"model-mismatch-warned-once":                  TestAnotherModelAnswers,
}

// elsewhere are the rows of the loop that have their test in another package, or no
// counterpart.
var elsewhere = map[string]string{
	"no-session-no-handoff":                       "a session has its id before its first word, so that none is without",
	"native-compaction-is-off-when-handoff-is-on": "TestCompactionIsOffUnlessAskedFor of engine/harness/claude",
	"model-mismatch-ignores-case":                 "TestSameModel of engine/harness",
	"previous-document-is-archived":               "handoffs are records: none ever takes another's place",
	"step-name-with-path-characters":              "no file is named after a step",
	"no-workbench-no-file":                        "handoffs are records: a bench is not needed",
}

func TestHandoffsOfTheOriginal(t *testing.T) {
	text, err := os.ReadFile("testdata/original.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var r struct {
			Area, Name    string
			Input, Expect json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows[r.Area]++
		switch {
		case r.Area == "handoff_policy":
			t.Run(r.Name, func(t *testing.T) { playPolicy(t, r.Input, r.Expect) })
		case handoffRows[r.Name] == nil && elsewhere[r.Name] == "":
			t.Errorf("nobody plays '%s'", r.Name)
		}
	}
	if rows["handoff_policy"] != 5 || rows["handoff_loop"] != len(handoffRows)+len(elsewhere) || len(handoffRows)+len(elsewhere) != 18 {
		t.Errorf("rows: %v, %d are played and %d are not, of 18", rows, len(handoffRows), len(elsewhere))
	}
}

func playPolicy(t *testing.T, input, expect json.RawMessage) {
	var in struct{ Window, Headroom int64 }
	var want struct {
		At   int64
		Near int64 `json:"warn_at"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(expect, &want); err != nil {
		t.Fatal(err)
	}
	if got := watermarkOf(in.Window, in.Headroom); got.at != want.At || got.near != want.Near {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// However often a session's context is measured near its line, that is told once.
func TestNearIsToldOnce(t *testing.T) {
	r := full(func(t coordinatorTurn) harness.Ended {
		for range 3 {
			_ = t.Request(harness.Usage{Input: 135_000})
		}
		return t.dispatches(135_000)
	})
	near := 0
	r.events = func(ev Event) {
		if ev.Kind == EventHandoff && ev.State == "near" {
			near++
		}
	}
	if _, err := r.run(t); err != nil || near != 1 || len(r.handoffs()) != 0 {
		t.Fatalf("%v, told %d times, %d handoffs", err, near, len(r.handoffs()))
	}
}

// A judge's session never becomes the one that the work goes on in: each round
// after a verdict is the coordinator's own, and no lineage names a judge's.
func TestTheJudgeNeverEntersTheLineage(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this"}
	judges, rounds := map[string]bool{}, map[string]int{}
	play := r.fake.Play
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		switch {
		case has(t.Options, "verdict"):
			judges[t.Options.Session] = true
		case Role(t.Options.Role) == Coordinator:
			rounds[t.Options.Session]++
		}
		return play(t)
	}
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Fatalf("%+v, %v\n%s", o, err, r.state.story())
	}
	work := r.state.History().Lineage("m1")["work"]
	if len(rounds) != 1 || rounds[work.Session] < 2 || len(work.Retired) != 0 {
		t.Errorf("the work went on in %v; lineage %+v", rounds, work)
	}
	for key, l := range r.state.History().Lineage("m1") {
		if judges[l.Session] || slices.ContainsFunc(l.Retired, func(s string) bool { return judges[s] }) {
			t.Errorf("the lineage of '%s' names a judge's session: %+v", key, l)
		}
	}
	if len(judges) < 2 {
		t.Errorf("%d sessions judged", len(judges))
	}
}
