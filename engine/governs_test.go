package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate/document"
	"git-flower/worktree"
)

// checking has the goal check with a command, and the judge hold it to be reached
// with a quote.
func (r *rig) checking(command, quote string) *rig {
	play := r.fake.Play
	r.runs = func(string, string) int { return 0 }
	r.config.Limits.Rounds = 1
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		switch {
		case has(t.Options, "goal") && len(t.Answered) == 0:
			r.heard(t.Options.Session)
			t.Call("goal", map[string]any{"statement": "It runs.", "checks": []map[string]string{{"text": "it runs", "command": command}}})
			return t.Done("")
		case has(t.Options, "verdict") && len(t.Answered) == 0:
			r.heard(t.Options.Session)
			t.Call("verdict", map[string]any{"state": "reached", "reason": "r", "quote": quote, "checks": []map[string]any{{"check": 1, "passed": true, "evidence": "e"}}})
			return t.Done("")
		}
		return play(t)
	}
	return r
}

// A worker that changes no test, but what runs the tests, has not reached the goal.
func TestWhatGovernsAChecksCommand(t *testing.T) {
	for _, c := range []struct {
		name, command, quote string
		changed              []string
		base                 map[string]string
		want                 EndState
		told                 string
	}{
		{"nothing of the kind", "make test", "", nil, nil, EndReached, ""},
		{"before the Makefile", "make test", "", []string{"GNUmakefile"}, nil, EndNotReached, "protected path was changed: GNUmakefile, which decides what 'make' does"},
		{"words that nobody said", "make test", "add a make target please", []string{"GNUmakefile"}, nil, EndNotReached, "GNUmakefile"},
		{"the brief asks for it", "make test", "It exists.", []string{"Makefile"}, nil, EndNotReached, "Makefile"}, // too short to be a word for it
		{"another program's", "go vet ./...", "", []string{"GNUmakefile", "conftest.py"}, nil, EndReached, ""},
		{"through a script", "sh ci/check.sh", "", []string{"sub/conftest.py"}, map[string]string{"ci/check.sh": "set -e\npython3.12 -m pytest -q\n"}, EndNotReached, "sub/conftest.py"},
		{"a script that talks", "sh ci/check.sh", "", []string{"GNUmakefile"}, map[string]string{"ci/check.sh": "# make sure it runs\n./run\n"}, EndReached, ""},
		{"through two", "cd sub && make check", "", []string{"sub/.npmrc"}, map[string]string{"sub/Makefile": "check:\n\tnpm test\n"}, EndNotReached, "'npm'"},
		{"in place of the program", "go test ./...", "", []string{"bin/go"}, nil, EndNotReached, "bin/go"},
	} {
		r := newRig().checking(c.command, c.quote)
		r.trees.changed, r.trees.files = c.changed, c.base
		o, err := r.run(t)
		if err != nil || o.State != c.want {
			t.Errorf("%s: got %+v, %v, want %v", c.name, o, err, c.want)
			continue
		}
		if v, _ := verdictOf(r.state.History(), 1); !strings.Contains(v.Body, c.told) {
			t.Errorf("%s: the verdict does not tell of it:\n%s", c.name, v.Body)
		}
	}
}

// The brief's word opens the way, and the judge is shown what it is needed for.
func TestTheBriefAsksForIt(t *testing.T) {
	r := newRig().checking("make test", "")
	r.trees.changed = []string{"Makefile"}
	play, shown := r.fake.Play, ""
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if has(turn.Options, "verdict") && len(turn.Answered) == 0 {
			shown = turn.Said[0].Text
			r.heard(turn.Options.Session)
			brief, _ := r.state.History().Current("brief")
			turn.Call("verdict", map[string]any{"state": "reached", "reason": "r", "quote": brief.Body, "checks": []map[string]any{{"check": 1, "passed": true, "evidence": "e"}}})
			return turn.Done("")
		}
		return play(turn)
	}
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Errorf("got %+v, %v", o, err)
	}
	if !strings.Contains(shown, "Makefile, which decides what 'make' does") {
		t.Errorf("the judge was shown:\n%s", shown)
	}
}

// Of many files the judge is shown some, and how many more there are.
func TestManyFilesAreCut(t *testing.T) {
	r := newRig().checking("make test", "")
	for i := range 500 {
		r.trees.changed = append(r.trees.changed, fmt.Sprintf("sub%03d/Makefile", i))
	}
	play, shown := r.fake.Play, ""
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if has(turn.Options, "verdict") && len(turn.Answered) == 0 {
			shown = turn.Said[0].Text
		}
		return play(turn)
	}
	if o, err := r.run(t); err != nil || o.State != EndNotReached {
		t.Fatalf("got %+v, %v", o, err)
	}
	v, _ := verdictOf(r.state.History(), 1)
	for _, text := range []string{shown, v.Body} {
		if n := strings.Count(text, "Makefile, which decides"); n != touchedListed || !strings.Contains(text, "and 470 more") {
			t.Errorf("%d files are listed:\n%.3000s", n, text)
		}
	}
}

func TestNamesThatAreAlike(t *testing.T) {
	protect := worktree.ProtectSpec{Paths: []string{"Tests", "**/a_test.sh"}}
	got, err := alike([]string{"Tests/x", "tests/x", "sub/A_TEST.sh", "sub/a_test.sh", "te\u200csts/y", "other"}, protect)
	if err != nil || len(got) != 3 || !got["tests/x"] || !got["sub/A_TEST.sh"] || !got["te\u200csts/y"] {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCommandsOfAGoal(t *testing.T) {
	g := document.Goal{Checks: []document.Check{{Text: "a", Command: "make"}, {Text: "b"}, {Text: "c", Command: "go", Unverifiable: "no"}}}
	if got := commandsOf(g); !slices.Equal(got, []string{"make"}) {
		t.Errorf("got %v", got)
	}
}
