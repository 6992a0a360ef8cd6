package gitstate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestARunThatCannotBeReadHidesNoOther puts every sort of broken run beside a
// good one.
func TestARunThatCannotBeReadHidesNoOther(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	good := create(t, s, "good")
	newer := create(t, s, "newer")
	add(t, newer, Record{Kind: KindReport, Subject: "x", Body: "x"})
	spoil(t, s, dir, "newer", func(k *crafted) { k.message = withTrailer(k.message, "Flower-Format", "2") })
	run(t, dir, "tag", "-a", "-m", "x", "v1")
	run(t, dir, "update-ref", "refs/flower/run/tag", run(t, dir, "rev-parse", "v1"))
	run(t, dir, "update-ref", "refs/flower/run/tree", run(t, dir, "rev-parse", "HEAD^{tree}"))
	run(t, dir, "update-ref", "refs/flower/run/code", "HEAD")
	run(t, dir, "symbolic-ref", "refs/flower/run/link", "refs/heads/elsewhere-or-not")
	run(t, dir, "symbolic-ref", "refs/flower/run/twin", "refs/flower/run/good")
	run(t, dir, "update-ref", "refs/flower/run/sub/dir", "HEAD")
	look := func() {
		runs, err := s.Runs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]error{}
		for _, r := range runs {
			seen[r.Name] = r.Err
		}
		if err, ok := seen["good"]; !ok || err != nil {
			t.Errorf("the good run: %v, of %v", err, seen)
		}
		for name, want := range map[string]error{"newer": ErrFormat, "tag": ErrCorrupt, "tree": ErrCorrupt, "code": ErrCorrupt, "twin": ErrCorrupt, "sub/dir": ErrName} {
			if !errors.Is(seen[name], want) {
				t.Errorf("run '%s': %v", name, seen[name])
			}
			if _, err := s.Run(t.Context(), name); !errors.Is(err, want) {
				t.Errorf("opening '%s': %v", name, err)
			}
		}
	}
	look()
	gone := create(t, s, "gone")
	id := string(gone.Tip())
	if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	look() // for-each-ref gives up now
	if _, err := s.Run(t.Context(), "gone"); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), id) {
		t.Errorf("opening it: %v", err)
	}
	add(t, good, Record{Kind: KindNotice, Subject: "goes on"})
}

// TestANewerFormatIsNamedAndNothingIsWritten tries everything that reads a run
// or writes to it.
func TestANewerFormatIsNamedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	add(t, r, Record{Kind: KindReport, Subject: "x", Body: "x"})
	id := spoil(t, s, dir, "x", func(k *crafted) {
		k.message = strings.Replace(withTrailer(k.message, "Flower-Format", "3"), "Flower-Kind", "Flower-Sort", 1)
	})
	refs := run(t, dir, "for-each-ref")
	_, appended := r.Append(t.Context(), Record{Kind: KindNotice, Subject: "x"})
	if !errors.Is(appended, ErrConflict) {
		t.Errorf("append: %v", appended)
	}
	_, opened := s.Run(t.Context(), "x")
	logged := s.Log(t.Context(), "x", func(Entry) error { return nil })
	for what, err := range map[string]error{"reload": r.Reload(t.Context()), "open": opened, "log": logged} {
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), string(id)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if now := run(t, dir, "for-each-ref"); now != refs {
		t.Errorf("the refs are\n%s\nand were\n%s", now, refs)
	}
}

// TestACorruptRecordIsNamed spoils a record that is not the newest: the run
// can still be opened, its log says where it ends.
func TestACorruptRecordIsNamed(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	add(t, r, Record{Kind: KindReport, Subject: "x", Body: "x"})
	for what, f := range map[string]func(*crafted){
		"no trailers":    func(k *crafted) { k.message = "report: x\n\n    x\n" },
		"another kind":   func(k *crafted) { k.message = withTrailer(k.message, "Flower-Kind", "brief") },
		"no run":         func(k *crafted) { k.message = withTrailer(k.message, "Flower-Run", "x") },
		"empty":          func(k *crafted) { k.message = "" },
		"NUL":            func(k *crafted) { k.message = "report: x\x00" + k.message },
		"a free trailer": func(k *crafted) { k.message += "and words\n" },
	} {
		before := run(t, dir, "rev-parse", "refs/flower/run/x")
		id := spoil(t, s, dir, "x", f)
		_, opened := s.Run(t.Context(), "x")
		logged := s.Log(t.Context(), "x", func(Entry) error { return nil })
		for how, err := range map[string]error{"open": opened, "log": logged} {
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), string(id)) {
				t.Errorf("%s, %s: %v", what, how, err)
			}
		}
		run(t, dir, "update-ref", "refs/flower/run/x", before)
	}
	for what, f := range map[string]func(*crafted){
		"a document that is none":      func(k *crafted) { k.files["reports/0009-0123456789ab.md"] = craftedFile{modeFile, "x"} },
		"a document without a name":    func(k *crafted) { k.files["reports/x.md"] = craftedFile{modeFile, "x"} },
		"a ledger that is none":        func(k *crafted) { k.files["ledger/w1.json"] = craftedFile{modeFile, "x"} },
		"a file in a folder's place":   func(k *crafted) { k.files["reports/0001-0123456789ab.md/x"] = craftedFile{modeFile, "x"} },
		"a document of another folder": func(k *crafted) { k.rename(k.own(), "briefs/"+filepath.Base(k.own())) },
	} {
		before := run(t, dir, "rev-parse", "refs/flower/run/x")
		id := spoil(t, s, dir, "x", f)
		if _, err := s.Run(t.Context(), "x"); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), string(id)) {
			t.Errorf("%s: %v", what, err)
		}
		run(t, dir, "update-ref", "refs/flower/run/x", before)
	}
}

// TestReplacementsAndGraftsDoNotCount lets the repository lie about a record.
func TestReplacementsAndGraftsDoNotCount(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	add(t, r, Record{Kind: KindReport, Subject: "the truth", Body: "the truth"})
	before := entries(t, s, "x")
	run(t, dir, "replace", string(r.Tip()), "HEAD")
	graft := string(r.Tip()) + "\n"
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "grafts"), []byte(graft), 0o666); err != nil {
		t.Fatal(err)
	}
	fresh := open(t, dir, Config{})
	if got := entries(t, fresh, "x"); len(got) != 2 || got[0].Subject != before[0].Subject {
		t.Errorf("the log is %+v", got)
	}
	runs, err := fresh.Runs(t.Context())
	if err != nil || len(runs) != 1 || runs[0].Subject != "the truth" {
		t.Errorf("%+v, %v", runs, err)
	}
	if again, err := fresh.Run(t.Context(), "x"); err != nil || len(again.History().Docs) != 2 {
		t.Errorf("%v", err)
	}
	if problems, err := fresh.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// TestWhatARecordMayNotCarry tries what a caller could be talked into.
func TestWhatARecordMayNotCarry(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	base := head(t, s)
	file := func(path string) Record {
		return Record{Kind: KindNotice, Subject: "x", Files: map[string][]byte{path: []byte("[]")}}
	}
	ref := func(u RefUpdate) Record { return Record{Kind: KindNotice, Subject: "x", Refs: []RefUpdate{u}} }
	meta := func(m Meta) Record { return Record{Kind: KindNotice, Subject: "x", Meta: m} }
	bad := map[string]Record{
		"up":               file("bench/notes/../../brief.md"),
		"git directory":    file("bench/notes/.git/config"),
		"its short name":   file("bench/notes/GIT~1/config"),
		"trailing dot":     file("bench/notes/.git. /config"),
		"hidden character": file("bench/notes/.g\u200cit/config"),
		"backslash":        file(`bench/notes/a\..\b`),
		"stream":           file("bench/notes/a:b"),
		"newline":          file("bench/notes/a\nb"),
		"bad bytes":        file("bench/notes/\xff"),
		"absolute":         file("/etc/passwd"),
		"document":         file("briefs/0001-0123456789ab.md"),
		"computed":         file("brief.md"),
		"folder":           file("bench/notes/"),
		"empty part":       file("bench/notes//x"),
		"ledger's name":    file("ledger/../x.json"),
		"ledger's content": {Kind: KindNotice, Files: map[string][]byte{"ledger/w1.json": []byte("{")}},
		"foreign ledger":   {Kind: KindNotice, Meta: Meta{Wake: "w2"}, Files: map[string][]byte{"ledger/w1.json": []byte("[]")}},
		"large":            {Kind: KindNotice, Files: map[string][]byte{"bench/notes/x": make([]byte, MaxFile+1)}},
		"another run":      ref(RefUpdate{Name: "refs/flower/run/y", New: base}),
		"base":             ref(RefUpdate{Name: "refs/flower/base/x", New: base}),
		"branch":           ref(RefUpdate{Name: "refs/heads/master", New: base}),
		"ref with NUL":     ref(RefUpdate{Name: "refs/flower/join/x\x00y", New: base}),
		"ref's form":       ref(RefUpdate{Name: "refs/flower/join/a..b", New: base}),
		"no object id":     ref(RefUpdate{Name: "refs/flower/join/x", New: "HEAD"}),
		"missing object":   ref(RefUpdate{Name: "refs/flower/join/x", New: ObjectID(strings.Repeat("12", 20))}),
		"nothing":          ref(RefUpdate{Name: "refs/flower/join/x"}),
		"code":             meta(Meta{Code: "HEAD"}),
		"machine":          meta(Meta{Machine: "../x"}),
		"negative":         meta(Meta{Round: -1}),
		"cost":             meta(Meta{Cost: -1}),
		"time":             meta(Meta{Time: "yesterday"}),
		"replaces":         meta(Meta{Replaces: []string{"briefs/0001-0123456789ab.md"}}),
		"from":             meta(Meta{From: []string{"x\nFlower-Kind: end"}}),
		"known as extra":   meta(Meta{Extra: []Extra{{"step", "x"}}}),
		"trailer as extra": meta(Meta{Extra: []Extra{{"Flower-Format", "9"}}}),
		"extra's key":      meta(Meta{Extra: []Extra{{"a\nb", "x"}}}),
		"no kind":          {Subject: "x"},
		"kind":             {Kind: "../x", Subject: "x"},
		"with":             {Kind: KindNotice, With: []Doc{{Kind: "No Kind"}}},
	}
	tip := r.Tip()
	for what, rec := range bad {
		if _, err := r.Append(t.Context(), rec); err == nil || errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
		if r.Tip() != tip || len(r.History().Docs) != 1 {
			t.Fatalf("%s: the handle has moved", what)
		}
	}
	if refs := run(t, dir, "for-each-ref", "--format=%(refname)", "refs/flower"); refs != "refs/flower/base/x\nrefs/flower/run/x" {
		t.Errorf("the refs are %s", refs)
	}
	add(t, r, Record{Kind: KindNotice, Subject: "still here"})
	sound(t, dir)
}

// TestRefsMoveTogetherOrNotAtAll gives one of two refs a wrong old value.
func TestRefsMoveTogetherOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	base := head(t, s)
	join := "refs/flower/join/x"
	other := ObjectID(run(t, dir, "commit-tree", "-m", "other", "HEAD^{tree}"))
	add(t, r, Record{Kind: KindReport, Subject: "x", Body: "x", Refs: []RefUpdate{{Name: join, New: base}, {Name: "refs/flower/work/x/coder-1", New: base}}})
	tip := r.Tip()
	_, err := r.Append(t.Context(), Record{Kind: KindReport, Subject: "y", Body: "y", Refs: []RefUpdate{{Name: join, New: other, Old: other}}})
	if !errors.Is(err, ErrConflict) || r.Tip() != tip {
		t.Fatalf("%v", err)
	}
	if at, _, err := s.Ref(t.Context(), join); err != nil || at != base {
		t.Errorf("the join is at '%s', %v", at, err)
	}
	add(t, r, Record{Kind: KindReport, Subject: "y", Body: "y", Refs: []RefUpdate{{Name: join, New: other, Old: base}, {Name: "refs/flower/work/x/coder-1", Old: base}}})
	if at, ok, err := s.Ref(t.Context(), "refs/flower/work/x/coder-1"); err != nil || ok {
		t.Errorf("the worker's ref is at '%s', %v", at, err)
	}
	if log := run(t, dir, "reflog", "show", "refs/flower/run/x"); strings.Count(log, "\n") != 2 {
		t.Errorf("the reflog is\n%s", log)
	}
}

// TestNoHookOfTheUserRuns installs one for every transaction.
func TestNoHookOfTheUserRuns(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	mark := filepath.Join(dir, "ran")
	hook := "#!/bin/sh\ntouch '" + mark + "'\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, ".git", "hooks", "reference-transaction"), []byte(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Config{})
	add(t, create(t, s, "x"), Record{Kind: KindNotice, Subject: "x"})
	if exists(mark) {
		t.Error("the hook ran")
	}
}
