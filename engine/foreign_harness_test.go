package engine

import (
	"errors"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
)

// A run that one harness was killed in at any record goes on in another one: no
// session is carried over, which it says, and no worker reports twice.
func TestAnotherHarnessGoesOn(t *testing.T) {
	told := 0
	for kill := 0; ; kill++ {
		r := newRig().unprotected()
		n := 0
		r.state.die = func(string) bool { n++; return n > kill }
		_, err := r.run(t)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("kill %d: %v", kill, err)
		}
		r.state.die = nil
		r.config.Wake = "w2"
		before := map[string]bool{}
		for _, d := range r.state.History().Of(gitstate.KindSession) {
			before[d.Meta.Session] = true
		}
		r.fake = &harnesstest.Fake{Label: "other", Play: r.fake.Play}
		o, err := r.run(t)
		if err != nil || o.State != EndReached {
			t.Fatalf("kill %d: %+v, %v\n%s", kill, o, err, r.state.story())
		}
		reports := map[string]int{}
		for _, d := range r.state.History().Docs {
			switch {
			case d.Kind == gitstate.KindReport:
				reports[d.Meta.Worker]++
			case d.Kind == gitstate.KindSession && !before[d.Meta.Session] && d.Meta.Harness != "other":
				t.Errorf("kill %d: a session of '%s'", kill, d.Meta.Harness)
			case d.Kind == gitstate.KindNotice && strings.Contains(d.Body, "fresh session"):
				told++
			}
		}
		for _, w := range workers(r.state.History()) {
			if reports[w.Meta.Worker] != 1 {
				t.Errorf("kill %d: %d reports of %s", kill, reports[w.Meta.Worker], w.Meta.Worker)
			}
		}
		for key, l := range r.state.History().Lineage("m1") {
			if before[l.Session] && l.Harness != "fake" || !before[l.Session] && l.Harness != "other" {
				t.Errorf("kill %d: the lineage of %s is %+v", kill, key, l)
			}
		}
		if len(r.trees.trees) != 0 {
			t.Errorf("kill %d: trees left behind: %v", kill, r.trees.trees)
		}
	}
	if told == 0 {
		t.Error("nobody was told of a session that is not gone on with")
	}
}

// A worker goes on in its own tree, under its own name, and is told that there is
// something in it.
func TestAWorkerOfAnotherHarnessLooksAtItsTree(t *testing.T) {
	r := newRig().unprotected()
	play := r.fake.Play
	first := true
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if Role(turn.Options.Role) == Worker && first {
			first = false
			r.heard(turn.Options.Session)
			r.state.die = func(string) bool { return true }
			return harness.Ended{Stop: harness.StopFault, Fault: &harness.Fault{Class: harness.Auth, Message: "no"}}
		}
		return play(turn)
	}
	if _, err := r.run(t); err == nil {
		t.Fatal("it was not killed")
	}
	r.state.die = nil
	var dir, said string
	for tree := range r.trees.trees {
		dir = tree
	}
	r.fake = &harnesstest.Fake{Label: "other", Play: func(turn *harnesstest.FakeTurn) harness.Ended {
		if Role(turn.Options.Role) == Worker && turn.Options.Agent == "coder-1" {
			said = turn.Said[0].Text
		}
		return play(turn)
	}}
	for range 2 { // again and again, it is replaced once
		o, err := r.run(t)
		if err != nil || o.State != EndReached {
			t.Fatalf("%+v, %v\n%s", o, err, r.state.story())
		}
	}
	if dir == "" || !strings.Contains(said, "look at it first") || !strings.Contains(said, "part 1") {
		t.Errorf("in %q it was told %q", dir, said)
	}
	sessions := 0
	for _, d := range r.state.History().Of(gitstate.KindSession) {
		if d.Meta.Worker == "coder-1" {
			sessions++
		}
	}
	if l := r.state.History().Lineage("m1")["coder-1"]; sessions != 2 || l.Harness != "other" || len(l.Retired) != 1 {
		t.Errorf("%d sessions, lineage %+v", sessions, l)
	}
}
