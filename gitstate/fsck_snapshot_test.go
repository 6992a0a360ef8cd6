package gitstate

import (
	"slices"
	"testing"
)

// A snapshot of unfinished work must be kept until its worker reports, and not
// longer: then its ref goes, since the work is in the join.
func TestASnapshotIsKeptUntilTheReport(t *testing.T) {
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	snapshot := ObjectID(run(t, dir, "commit-tree", "-m", "half of it", "HEAD^{tree}"))
	const ref = "refs/flower/work/x/coder-1"
	found := func() []string {
		problems, err := s.Fsck(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		return checks(problems)
	}
	add(t, r, Record{Kind: KindNotice, Subject: "cut off", Meta: Meta{Worker: "coder-1", Tip: snapshot},
		Refs: []RefUpdate{{Name: ref, New: snapshot}}})
	if got := found(); len(got) > 0 {
		t.Errorf("with its ref: %q", got)
	}
	run(t, dir, "update-ref", "-d", ref)
	if got := found(); !slices.Equal(got, []string{"P24"}) {
		t.Errorf("without its ref: %q", got)
	}
	add(t, r, Record{Kind: KindReport, Subject: "done", Meta: Meta{Worker: "coder-1"}})
	if got := found(); len(got) > 0 {
		t.Errorf("after the report: %q", got)
	}
}
