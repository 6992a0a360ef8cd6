package gitstate

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// forked makes two histories of one run that grew apart and returns their tips.
func forked(t *testing.T, s *Store, dir string) (a, b ObjectID) {
	t.Helper()
	r := create(t, s, "x")
	start := r.Tip()
	add(t, r, Record{Kind: KindBrief, Subject: "a", Body: "brief a"})
	a = add(t, r, Record{Kind: KindSession, Subject: "a", Meta: Meta{Worker: "coder-1", Machine: "m1", Session: "a"}}).Commit
	run(t, dir, "update-ref", "refs/flower/run/x", string(start))
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(t, r, Record{Kind: KindBrief, Subject: "b", Body: "brief b"})
	b = add(t, r, Record{Kind: KindReport, Subject: "b", Body: "report b"}).Commit
	return a, b
}

// united spoils the newest record into one that unites both histories.
func united(t *testing.T, s *Store, dir string, a, b ObjectID, f func(*crafted)) {
	t.Helper()
	spoil(t, s, dir, "x", func(k *crafted) {
		for path := range strings.SplitSeq(run(t, dir, "ls-tree", "-r", "--name-only", string(a)), "\n") {
			k.files[path] = craftedFile{modeFile, run(t, dir, "show", string(a)+":"+path) + "\n"}
		}
		k.parents = []ObjectID{a, b}
		m, err := scanMessage([]byte(k.message))
		if err != nil {
			t.Fatal(err)
		}
		k.message = string(newMessage(m.Run, "unites two histories", Doc{Kind: KindNotice}).print())
		k.files["brief.md"] = craftedFile{modeFile, greatestBrief(t, k)}
		f(k)
	})
}

// greatestBrief is the brief that counts of those in the tree.
func greatestBrief(t *testing.T, k *crafted) string {
	var h History
	for path, f := range k.files {
		if strings.HasPrefix(path, "briefs/") {
			d, err := parseNamed(path, []byte(f.data))
			if err != nil {
				t.Fatal(err)
			}
			h.Docs = append(h.Docs, d)
		}
	}
	slices.SortFunc(h.Docs, compareDocs)
	return string(h.currentFile(KindBrief))
}

func TestAUnionOfTwoHistoriesKeepsThePromises(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		f    func(*crafted)
		want []string
	}{
		"the union": {func(*crafted) {}, nil},
		"a document lost": {func(k *crafted) {
			maps.DeleteFunc(k.files, func(path string, _ craftedFile) bool { return strings.HasPrefix(path, "reports/") })
		}, []string{"P15"}},
		"a computed file lost":  {func(k *crafted) { delete(k.files, "brief.md") }, []string{"P19"}},
		"a lineage lost":        {func(k *crafted) { delete(k.files, "lineage/m1.json") }, []string{"P20"}},
		"older than its parent": {func(k *crafted) { k.unix -= 3600 }, []string{"P6"}},
	} {
		dir := newRepo(t)
		s := open(t, dir, Config{})
		a, b := forked(t, s, dir)
		united(t, s, dir, a, b, c.f)
		problems, err := s.Fsck(t.Context(), "x")
		if err != nil || !slices.Equal(checks(problems), c.want) {
			t.Errorf("%s: %v, %v", what, problems, err)
		}
		if c.want != nil {
			continue
		}
		r, err := s.Run(t.Context(), "x")
		if err != nil || len(r.History().Docs) != 5 {
			t.Fatalf("%v", err)
		}
		log := entries(t, s, "x")
		if len(log) != 6 || len(log[0].Parents) != 2 {
			t.Errorf("the log has %d records", len(log))
		}
		add(t, r, Record{Kind: KindNotice, Subject: "goes on"})
		if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
			t.Errorf("%v, %v", problems, err)
		}
	}
}

func TestTwoHistoriesWithoutACommonBeginningBreakP4(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	first := r.Tip()
	add(t, r, Record{Kind: KindReport, Subject: "x", Body: "x"})
	tip := spoil(t, s, dir, "x", func(k *crafted) { k.parents = nil }) // a second root
	spoil(t, s, dir, "x", func(k *crafted) {
		k.parents = []ObjectID{first, tip}
		m, err := scanMessage([]byte(k.message))
		if err != nil {
			t.Fatal(err)
		}
		k.message = string(newMessage(m.Run, "unites", Doc{Kind: KindNotice}).print())
	})
	problems, err := s.Fsck(t.Context(), "x")
	if err != nil || !slices.Equal(checks(problems), []string{"P4"}) || len(problems) != 1 || problems[0].Commit != tip {
		t.Errorf("%v, %v", problems, err)
	}
}
