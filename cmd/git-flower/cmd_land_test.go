package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/gitstate"
)

// landable is a desk with a reached run that adds a file.
func landable(t *testing.T, rehearsed bool) (*desk, *story, string) {
	d := newDesk(t)
	d.repository()
	s := d.begin("add-json", "Add --json to list", rehearsed)
	s.goal()
	tip := s.join("list.sh", "echo\n")
	s.end("reached")
	return d, s, tip
}

func TestLandFastForward(t *testing.T) {
	d, _, tip := landable(t, false)
	d.expect(0, "land")
	has(t, d.out.String(), "list.sh | 1 +", "'main' is at "+short(tip))
	if d.git("rev-parse", "main") != tip || d.git("status", "--porcelain") != "" {
		t.Errorf("main is at %s, %q", d.git("rev-parse", "main"), d.git("status", "--porcelain"))
	}
	d.expect(0, "land", "add-json")
	has(t, d.out.String(), "holds the result of run 'add-json' already")
}

func TestLandMergesWithTheGoalAsMessage(t *testing.T) {
	for _, c := range []struct {
		option, parents string
	}{{"", "2"}, {"--no-ff", "2"}, {"--squash", "1"}} {
		d, s, _ := landable(t, false)
		if c.option == "" {
			d.write("mine", "x\n")
			d.git("add", "mine")
			d.git("commit", "-q", "-m", "mine")
			d.expect(0, "land")
		} else {
			d.expect(0, "land", c.option)
		}
		if got := d.git("log", "-1", "--format=%s%n%(trailers:key=Flower-Run,valueonly,separator=)"); got != "list prints JSON\n"+s.run.ID() {
			t.Errorf("%q: message %q", c.option, got)
		}
		if got := d.git("show", "-s", "--format=%P", "HEAD"); len(strings.Fields(got)) != int(c.parents[0]-'0') {
			t.Errorf("%q: parents %q", c.option, got)
		}
	}
}

func TestLandRefusesARehearsal(t *testing.T) {
	d, _, tip := landable(t, true)
	before := d.git("rev-parse", "main")
	d.expect(128, "land")
	has(t, d.err.String(), "rehearsal", "--rehearsed")
	if d.git("rev-parse", "main") != before {
		t.Error("it was landed")
	}
	d.expect(0, "land", "--rehearsed")
	if d.git("rev-parse", "main") != tip {
		t.Error("it was not landed")
	}
}

func TestLandObstacles(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(d *desk)
		code int
		says string
	}{
		{"uncommitted changes", func(d *desk) { d.write("README", "changed\n") }, 128, "git stash"},
		{"a file in the way", func(d *desk) { d.write("list.sh", "mine\n") }, 128, "move them away"},
		{"a conflict", func(d *desk) {
			d.write("list.sh", "mine\n")
			d.git("add", ".")
			d.git("commit", "-q", "-m", "mine")
		}, 2, "git merge flower/join/add-json"},
		{"no branch", func(d *desk) { d.git("checkout", "-q", "--detach") }, 128, "git switch"},
		{"no commit", func(d *desk) { d.git("checkout", "-q", "--orphan", "new"); d.git("rm", "-rq", "--cached", ".") }, 128, "first commit"},
	} {
		d, _, _ := landable(t, false)
		c.make(d)
		status, refs := d.git("status", "--porcelain"), d.git("for-each-ref")
		d.expect(c.code, "land")
		has(t, d.err.String(), c.says, "hint: ")
		if got := d.git("status", "--porcelain"); got != status || d.git("for-each-ref") != refs {
			t.Errorf("%s: something changed: %q, before %q", c.name, got, status)
		}
	}
}

// A run that was to land its result and cannot is still reached; its result is
// kept, the checkout is as it was, and a person is told how to land it.
func TestStartThatCannotLand(t *testing.T) {
	for name, make := range map[string]func(d *desk){
		"dirty":    func(d *desk) { d.write("README", "changed\n") },
		"in place": func(d *desk) { d.write("list.sh", "mine\n") },
		"another":  func(d *desk) { d.git("checkout", "-q", "-b", "other") },
		"detached": func(d *desk) { d.git("checkout", "-q", "--detach") },
		"unborn":   func(d *desk) { d.git("checkout", "-q", "--orphan", "new"); d.git("rm", "-rq", "--cached", ".") },
		"merging":  func(d *desk) { d.write(".git/MERGE_HEAD", d.git("rev-parse", "HEAD")+"\n") },
		"conflict": func(d *desk) {
			d.write("list.sh", "mine\n")
			d.git("add", ".")
			d.git("commit", "-q", "-m", "mine")
		},
	} {
		d, s, _ := landable(t, false)
		w := s.lander(t)
		make(d)
		status, refs := d.git("status", "--porcelain"), d.git("for-each-ref")
		var e *endError
		err := w.landIfAsked(t.Context())
		if !errors.As(err, &e) || e.ending != endPerson || !strings.HasSuffix(e.hint, "\"git flower land add-json\"") || !strings.HasPrefix(err.Error(), "the goal is reached") {
			t.Errorf("%s: %v", name, err)
		}
		if d.git("status", "--porcelain") != status || d.git("for-each-ref") != refs {
			t.Errorf("%s: something changed", name)
		}
	}
}

// lander is the wake of a run that was begun with --land.
func (s *story) lander(t *testing.T) *wake {
	t.Helper()
	store, err := s.d.env.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := &wake{env: s.d.env, store: store, run: s.run, config: Config{Land: true}}
	dir := store.Layout().RunDir(s.run.Name())
	if err := errors.Join(os.MkdirAll(dir, 0o755), w.keepBranch(t.Context())); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestStartLands(t *testing.T) {
	d, s, tip := landable(t, false)
	w := s.lander(t)
	has(t, w.landWords(), "'main'")
	w.json = true // then nothing but JSON may be on standard output
	if err := w.landIfAsked(t.Context()); err != nil || d.git("rev-parse", "main") != tip || d.out.Len() > 0 {
		t.Errorf("%v, %q", err, d.out.String())
	}
}

// The branch may have moved on meanwhile.
func TestStartLandsOnWhatCameMeanwhile(t *testing.T) {
	d, s, tip := landable(t, false)
	w := s.lander(t)
	d.write("mine", "x\n")
	d.git("add", "mine")
	d.git("commit", "-q", "-m", "mine")
	if err := w.landIfAsked(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.git("merge-base", "main", tip) != tip || d.git("show", "main:mine") != "x" {
		t.Error("something is not in the branch")
	}
}

func TestStartLandsNoRehearsalAndNothingFromElsewhere(t *testing.T) {
	d, s, _ := landable(t, true)
	w := s.lander(t)
	refs := d.git("for-each-ref")
	has(t, w.landWords(), "rehearsal", "git flower land --rehearsed add-json")
	if err := w.landIfAsked(t.Context()); err != nil || d.git("for-each-ref") != refs {
		t.Errorf("%v", err)
	}
	has(t, d.err.String(), "note: ", "git flower land --rehearsed add-json")
	d, s, _ = landable(t, false)
	w = s.lander(t)
	if err := os.Remove(filepath.Join(w.store.Layout().RunDir("add-json"), branchFile)); err != nil {
		t.Fatal(err)
	}
	refs = d.git("for-each-ref")
	if err := w.landIfAsked(t.Context()); err == nil || asEnding(err).ending != endPerson || d.git("for-each-ref") != refs {
		t.Errorf("%v", err)
	}
}

func TestLandWhatIsNotThereYet(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.expect(1, "land")
	s := d.begin("one", "One", false)
	d.expect(1, "land")
	has(t, d.err.String(), "has no result yet", "git flower resume one")
	s.join("f", "x\n")
	d.expect(0, "land")
	has(t, d.err.String(), "warning: run 'one' has not reached its goal")
	d.expect(129, "land", "--squash", "--no-ff")
}

func TestLandPrefersTheOneThatReachedItsGoal(t *testing.T) {
	d, _, tip := landable(t, false)
	d.begin("other", "Other", false)
	d.expect(0, "land")
	if d.git("rev-parse", "main") != tip {
		t.Error("another was landed")
	}
}

func TestLandMessage(t *testing.T) {
	long := strings.Repeat("word ", 30) + "\n\nand more\u202e"
	h := gitstate.History{ID: "0123456789abcdef", Docs: []gitstate.Doc{{Kind: gitstate.KindRequest, Body: long}}}
	subject, rest, _ := strings.Cut(landMessage(h), "\n")
	if len([]rune(subject)) > 72 || !strings.Contains(rest, "and more\n\nFlower-Run: 0123456789abcdef\n") || strings.Contains(rest, "\u202e") {
		t.Errorf("%q\n%q", subject, rest)
	}
}
