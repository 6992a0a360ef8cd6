package gitstate

import (
	"errors"
	"maps"
	"slices"
	"testing"
)

// The handle knows where the workers' refs are: as loaded, and as it moved them,
// with a record and without.
func TestAHandleFollowsTheWorkersRefs(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	create(t, s, "x-2")
	one := ObjectID(run(t, dir, "commit-tree", "-m", "one", "HEAD^{tree}"))
	two := ObjectID(run(t, dir, "commit-tree", "-p", string(one), "-m", "two", "HEAD^{tree}"))
	run(t, dir, "update-ref", "refs/flower/work/x-2/coder-9", "HEAD")
	agree := func(want map[string]ObjectID) {
		t.Helper()
		fresh, err := s.Run(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		for name, h := range map[string]History{"kept": r.History(), "loaded": fresh.History()} {
			if !maps.Equal(h.Work, want) {
				t.Errorf("%s: %v, not %v", name, h.Work, want)
			}
		}
	}
	agree(map[string]ObjectID{})
	tip := r.Tip()
	keep := func(worker string, old, id ObjectID) {
		t.Helper()
		if err := r.KeepWork(t.Context(), worker, old, id); err != nil {
			t.Fatal(err)
		}
	}
	keep("coder-1", "", one)
	keep("coder-2", "", one)
	agree(map[string]ObjectID{"coder-1": one, "coder-2": one})
	keep("coder-1", one, two)
	agree(map[string]ObjectID{"coder-1": two, "coder-2": one})
	if r.Tip() != tip {
		t.Error("there is a new record")
	}
	if err := r.KeepWork(t.Context(), "coder-1", one, ObjectID(run(t, dir, "rev-parse", "HEAD"))); !errors.Is(err, ErrConflict) {
		t.Errorf("moved from where it is not: %v", err)
	}
	add(t, r, Record{Kind: KindReport, Subject: "done", Meta: Meta{Worker: "coder-2"},
		Refs: []RefUpdate{{Name: "refs/flower/work/x/coder-2", Old: one}}})
	agree(map[string]ObjectID{"coder-1": two})
	h := r.History()
	h.Work["coder-1"] = "changed by the caller"
	agree(map[string]ObjectID{"coder-1": two})
	sound(t, dir)
}

func TestWhatIsNotAWorkersCommitBreaksP3(t *testing.T) {
	t.Parallel()
	for ref, at := range map[string]string{
		"refs/flower/work/x/coder-1":      "HEAD^{tree}",
		"refs/flower/work/x/coder-1/deep": "HEAD",
	} {
		dir := newRepo(t)
		s := open(t, dir, Config{})
		fullRun(t, s)
		run(t, dir, "update-ref", "-d", "refs/flower/work/x/coder-1")
		run(t, dir, "update-ref", ref, run(t, dir, "rev-parse", at))
		problems, err := s.Fsck(t.Context(), "x")
		if err != nil || !slices.Contains(checks(problems), "P3") {
			t.Errorf("%s at %s: %v, %v", ref, at, problems, err)
		}
	}
}
