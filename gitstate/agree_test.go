package gitstate

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGitReadsTheTrailersThatWeRead records generated text and compares what
// our parser finds with 'git interpret-trailers' and 'git log'.
func TestGitReadsTheTrailersThatWeRead(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{NoSync: true})
	r := create(t, s, "x")
	rapid.Check(t, func(rt *rapid.T) {
		rec := Record{Kind: someKind().Draw(rt, "kind"), Subject: line().Draw(rt, "subject"), Meta: someFacts().Draw(rt, "facts"), Body: body().Draw(rt, "body")}
		e, err := r.Append(t.Context(), rec)
		if err != nil {
			rt.Fatal(err)
		}
		raw, err := s.reader.one(t.Context(), e.Commit, "commit")
		if err != nil {
			rt.Fatal(err)
		}
		c, err := parseCommit(raw)
		if err != nil {
			rt.Fatal(err)
		}
		m, err := parseMessage(c.Message)
		if err != nil {
			rt.Fatal(err)
		}
		_, block := splitTrailers(c.Message)
		got := runIn(t, dir, string(c.Message), "-c", "trailer.separators=:", "interpret-trailers", "--parse")
		if got+"\n" != string(block) {
			rt.Fatalf("interpret-trailers reads\n%s\nnot\n%s", got, block)
		}
		got = run(t, dir, "-c", "trailer.separators=:", "log", "-1", "--format=%(trailers)", string(e.Commit))
		if strings.TrimSpace(got) != strings.TrimSpace(string(block)) {
			rt.Fatalf("git log reads\n%s\nnot\n%s", got, block)
		}
		got = run(t, dir, "log", "-1", "--format=%s", string(e.Commit))
		if got != string(m.Kind)+": "+m.Subject {
			rt.Fatalf("the subject is '%s', not '%s'", got, m.Subject)
		}
	})
	sound(t, dir)
	problems, err := s.Fsck(t.Context(), "x")
	for _, p := range problems {
		if p.Check != "P24" { // generated code names commits that are nowhere
			t.Error(p)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLogReadsWhatWasAppended compares the streamed history with what Append
// returned, and with git's own list.
func TestLogReadsWhatWasAppended(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{NoSync: true})
	r := create(t, s, "x")
	want := entries(t, s, "x")
	rapid.Check(t, func(rt *rapid.T) {
		e, err := r.Append(t.Context(), Record{Kind: KindReport, Subject: line().Draw(rt, "subject"), Body: body().Draw(rt, "body")})
		if err != nil {
			rt.Fatal(err)
		}
		want = append([]Entry{e}, want...)
	})
	got := entries(t, s, "x")
	if len(got) != len(want) {
		t.Fatalf("%d records, not %d", len(got), len(want))
	}
	for i := range got {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Fatalf("read  %+v\nwrote %+v", got[i], want[i])
		}
	}
	if list := run(t, dir, "rev-list", "flower/run/x"); len(strings.Fields(list)) != len(want) {
		t.Errorf("git lists %d", len(strings.Fields(list)))
	}
	again, err := s.Run(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(again.History()), fmt.Sprint(r.History()); a != b {
		t.Errorf("a fresh handle reads\n%s\nnot\n%s", a, b)
	}
}

// TestBothWritersMakeTheSameObjects stores generated records through go-git and
// through git's plumbing.
func TestBothWritersMakeTheSameObjects(t *testing.T) {
	t.Parallel()
	dirs := [2]string{newRepo(t), newRepo(t)}
	stores := [2]*Store{open(t, dirs[0], Config{NoSync: true}), open(t, dirs[1], Config{})}
	stores[1].writer = gitWriter{git: stores[1].plain, layout: stores[1].layout}
	first := state{history: History{ID: "0123456789abcdef"}, root: &folder{}}
	at := [2]state{first, first}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		if n++; n > 30 {
			return // three processes each
		}
		rec := Record{Kind: someKind().Draw(rt, "kind"), Subject: line().Draw(rt, "subject"), Body: body().Draw(rt, "body"),
			Files: map[string][]byte{"bench/scripts/a b/日本.sh": []byte("#!/bin/sh\r\n" + line().Draw(rt, "script"))}}
		for i, s := range stores {
			d, err := s.draft(t.Context(), at[i], rec)
			if err != nil {
				rt.Fatal(err)
			}
			w, err := s.objectWriter(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			if err := w.write(t.Context(), d.objects); err != nil {
				rt.Fatal(err)
			}
			at[i] = d.next
		}
		if at[0].history.Tip != at[1].history.Tip {
			rt.Fatalf("'%s' and '%s'", at[0].history.Tip, at[1].history.Tip)
		}
	})
	list := func(dir string) string {
		return run(t, dir, "cat-file", "--batch-all-objects", "--batch-check")
	}
	// The base commits differ in nothing but their second.
	if a, b := strings.Count(list(dirs[0]), "\n"), strings.Count(list(dirs[1]), "\n"); a != b || a < 30 {
		t.Errorf("%d objects and %d", a, b)
	}
	for _, dir := range dirs {
		sound(t, dir)
	}
}
