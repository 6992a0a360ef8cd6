package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// spokenTo is a desk with a repository and a run.
func spokenTo(t *testing.T) (*desk, *story) {
	t.Helper()
	d := newDesk(t)
	d.git("init", "-q", "-b", "main")
	d.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
	return d, d.begin("one", "list as JSON", false)
}

// now reads the run's documents anew.
func (s *story) now() gitstate.History {
	s.t.Helper()
	if err := s.run.Reload(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return s.run.History()
}

func (s *story) ask(text string, from ...string) gitstate.Doc {
	s.t.Helper()
	m := gitstate.Meta{Step: "clarify", From: from}
	if len(from) == 0 {
		m.Call = "toolu_" + strings.Fields(text)[0]
	}
	name := s.tell(gitstate.Record{Kind: gitstate.KindQuestion, Subject: firstLine(text), Body: text, Meta: m})
	q, _ := s.run.History().Find(name)
	return q
}

// Words are a record with date and time (T-36), from arguments, a file or
// standard input.
func TestSay(t *testing.T) {
	d, s := spokenTo(t)
	d.expect(0, "say", "keep", "the", "old", "output")
	has(t, d.out.String(), "recorded in run one as amendment 2", "no process drives it")
	has(t, d.err.String(), `"git flower resume one"`)
	if err := os.WriteFile(filepath.Join(d.dir, "words"), []byte("from a file\nof two lines\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.expect(0, "say", "--run", "one", "-F", "words")
	d.reset()
	d.env.In = strings.NewReader("from input\n")
	if code := run(t.Context(), []string{"say", "-"}, d.env); code != 0 {
		t.Fatal(d.err.String())
	}
	d.expect(0, "say", "--", "--even-this")
	var got []string
	for _, a := range s.now().Of(gitstate.KindAmendment) {
		got = append(got, a.Body)
		if a.Meta.Time != noon.Format(time.RFC3339) {
			t.Errorf("time %q", a.Meta.Time)
		}
	}
	if want := "keep the old output|from a file\nof two lines|from input|--even-this"; strings.Join(got, "|") != want {
		t.Errorf("recorded %q", got)
	}
}

func TestSayNothing(t *testing.T) {
	d, s := spokenTo(t)
	tip := s.run.Tip()
	for _, words := range [][]string{{"say"}, {"say", " "}, {"say", "x", "-F", "words"}, {"say", strings.Repeat("x", maxRequest+1)}} {
		d.expect(129, words...)
	}
	d.expect(128, "say", "-F", "nosuch")
	if _, err := os.Stat("/dev/zero"); err == nil { // one that does not end
		d.expect(129, "say", "-F", "/dev/zero")
		d.expect(129, "start", "-F", "/dev/zero")
	}
	d.expect(128, "say", "--run", "nosuch", "x")
	s.now()
	if s.run.Tip() != tip {
		t.Error("something was recorded")
	}
}

// A lost race is tried again: nothing that several say at once is lost.
func TestSeveralSayAtOnce(t *testing.T) {
	d, s := spokenTo(t)
	var all sync.WaitGroup
	for who := range 5 {
		all.Go(func() {
			run, err := d.env.store.Run(t.Context(), "one")
			if err != nil {
				t.Error(err)
				return
			}
			for n := range 4 {
				if _, err := add(t.Context(), run, func(gitstate.History) (gitstate.Record, error) {
					return engine.Amendment(fmt.Sprintf("words %d of %d", n, who), noon), nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := len(s.now().Of(gitstate.KindAmendment)); n != 20 {
		t.Errorf("%d of 20 were recorded", n)
	}
}

// T-64: with several open questions the number says which one is answered.
func TestAnswerTheOneThatIsMeant(t *testing.T) {
	d, s := spokenTo(t)
	d.expect(1, "answer")
	first, second := s.ask("Which one?\n1. this\n2. that"), s.ask("How many?")
	d.expect(0, "answer")
	has(t, d.out.String(), "2    Which one?", "     1. this", "3    How many?")
	d.expect(2, "answer", "that")
	has(t, d.out.String(), "2    Which one?", "3    How many?")
	d.expect(0, "answer", "3", "about", "ten")
	d.expect(0, "answer", "2")
	for q, want := range map[string]string{first.Name(): "that", second.Name(): "about ten"} {
		question, _ := s.now().Find(q)
		a, ok := engine.Answered(s.run.History(), question)
		if !ok || a.Body != want || a.Meta.State != "answered" || a.Meta.Time == "" {
			t.Errorf("%s was answered %+v", q, a)
		}
	}
	d.expect(1, "answer", "again")
}

func TestAnswerOnce(t *testing.T) {
	d, s := spokenTo(t)
	s.ask("Which one?\n1. this\n2. that")
	d.expect(0, "answer", "2", "1")
	d.expect(128, "answer", "2", "2")
	has(t, d.err.String(), "question 2 was answered with 'this'", "git flower say")
	s.now()
	q := s.ask("And then?")
	s.tell(gitstate.Record{Kind: gitstate.KindAnswer, Subject: "nobody", Meta: gitstate.Meta{State: "timeout", From: []string{q.Name()}}})
	d.expect(128, "answer", number(q.Name()), "too late")
	if n := len(s.now().Of(gitstate.KindAnswer)); n != 2 {
		t.Errorf("%d answers", n)
	}
}

// T-49 and T-56: an unreachable goal is accepted, changed or gone on with, by a
// number or a whole text; a beginning of one is words.
func TestAnswerAboutAnUnreachableGoal(t *testing.T) {
	for _, c := range []struct {
		words []string
		state string
		goal  string
	}{
		{[]string{"1"}, "accept", ""},
		{[]string{"Accept: take the result as it is."}, "accept", ""},
		{[]string{"accept"}, "accept", ""},
		{[]string{"acc"}, "wrong", ""},
		{[]string{"accept", "it", "later"}, "wrong", ""},
		{[]string{"change", "--goal", "only list"}, "change", "only list"},
		{[]string{"change the wording and accept"}, "wrong", ""},
		{[]string{"3"}, "wrong", ""},
		{[]string{"--goal", "only list"}, "change", "only list"},
		{[]string{"2", "--goal", "only list"}, "change", "only list"},
	} {
		d, s := spokenTo(t)
		verdict := s.verdict(s.goal(), 1, false)
		s.ask("What now?\n1. accept: take the result as it is\n2. change: say what the goal is instead\n3. wrong: the judge is wrong, go on", verdict)
		d.expect(129, "answer", "2")
		d.expect(0, append([]string{"answer"}, c.words...)...)
		h := s.now()
		a, _ := h.Current(gitstate.KindAnswer)
		if a.Meta.State != c.state {
			t.Errorf("%q became %s", c.words, a.Meta.State)
		}
		added, ok := h.Current(gitstate.KindAmendment)
		if ok != (c.goal != "") || added.Body != c.goal {
			t.Errorf("%q added %q", c.words, added.Body)
		}
	}
}

// editor makes git's editor a script; $1 is the file.
func (d *desk) editor(script string) {
	d.t.Helper()
	file := filepath.Join(d.t.TempDir(), "editor")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		d.t.Fatal(err)
	}
	d.t.Setenv("GIT_EDITOR", file)
}

// T-65: a brief edited by hand takes the old one's place, and the goal that was
// made from that is set anew.
func TestEditBrief(t *testing.T) {
	d, s := spokenTo(t)
	d.expect(1, "edit", "brief")
	s.goal()
	old, _ := s.run.History().Current(gitstate.KindBrief)
	d.editor(`sed -i.bak "s/List as JSON/List as XML/" "$1"`)
	d.expect(0, "edit", "brief")
	h := s.now()
	now, _ := h.Current(gitstate.KindBrief)
	if !strings.Contains(now.Body, "List as XML") || now.Meta.Replaces[0] != old.Name() {
		t.Errorf("the brief is %+v", now)
	}
	next := engine.Next(engine.Builtin(engine.Limits{Rounds: 3}), h, engine.Limits{Rounds: 3})
	if a, ok := next.(engine.Attempt); !ok || a.Step.Makes != gitstate.KindGoal {
		t.Errorf("next comes %+v", next)
	}
	d.editor(":")
	tip := s.run.Tip()
	d.expect(0, "edit", "brief")
	if s.now(); s.run.Tip() != tip {
		t.Error("an unchanged brief was recorded")
	}
}

// An edited goal counts as it stands: from the brief and all words there are.
func TestEditGoal(t *testing.T) {
	d, s := spokenTo(t)
	s.goal()
	s.amend("and quickly")
	d.editor(`sed -i.bak "s/prints JSON/prints XML/" "$1"`)
	d.expect(0, "edit", "goal", "one")
	h := s.now()
	goal, _ := h.Current(gitstate.KindGoal)
	brief, _ := h.Current(gitstate.KindBrief)
	amendment, _ := h.Current(gitstate.KindAmendment)
	if strings.Join(goal.Meta.From, " ") != brief.Name()+" "+amendment.Name() || !strings.Contains(goal.Body, "prints XML") {
		t.Errorf("the goal is %+v", goal)
	}
	next := engine.Next(engine.Builtin(engine.Limits{Rounds: 3}), h, engine.Limits{Rounds: 3})
	if a, ok := next.(engine.Attempt); !ok || a.Step.Name != "work" {
		t.Errorf("next comes %+v", next)
	}
	if g := document.ParseGoal(goal.Body); len(g.Checks) != 2 || g.Checks[0].Command != "./test.sh" {
		t.Errorf("its checks are %+v", g.Checks)
	}
}

// What does not parse is not recorded, and not lost.
func TestEditThatCannotBeTaken(t *testing.T) {
	d, s := spokenTo(t)
	s.goal()
	tip := s.run.Tip()
	d.editor(`printf "## Goal\n\nThe words I worked on.\n" >"$1"`)
	for _, what := range []string{"brief", "goal"} {
		d.expect(128, "edit", what)
		files, err := filepath.Glob(filepath.Join(d.dir, ".git", "FLOWER_"+strings.ToUpper(what)+"-*.md"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		file := files[0]
		has(t, d.err.String(), "lacks", file)
		if kept, err := os.ReadFile(file); err != nil || !strings.Contains(string(kept), "The words I worked on.") {
			t.Errorf("%s: %q, %v", what, kept, err)
		}
	}
	d.editor("exit 1")
	d.expect(128, "edit", "brief")
	d.expect(129, "edit", "verdict")
	d.expect(129, "edit")
	if s.now(); s.run.Tip() != tip {
		t.Error("something was recorded")
	}
}

// Two who edit the same document: the second is told, and keeps the text.
func TestEditThatAnotherOvertook(t *testing.T) {
	d, s := spokenTo(t)
	s.goal()
	d.editor(`sed -i.bak "s/List as JSON/List as XML/" "$1"; test -n "$INNER" || BE_GIT_FLOWER=1 INNER=1 GIT_EDITOR='sed -i.bak s/JSON/CSV/' ` + os.Args[0] + ` edit brief`)
	d.expect(128, "edit", "brief")
	has(t, d.err.String(), "somebody else", "FLOWER_BRIEF-")
	if now, _ := s.now().Current(gitstate.KindBrief); !strings.Contains(now.Body, "List as CSV") {
		t.Errorf("the brief is %s", now.Body)
	}
}

func TestStopNobody(t *testing.T) {
	d, _ := spokenTo(t)
	d.expect(0, "stop")
	has(t, d.out.String(), "no process drives run one")
	d.expect(128, "stop", "nosuch")
}

// A lock file that names a process which no longer holds it stops nobody.
func TestStopDoesNotTrustAFile(t *testing.T) {
	d, s := spokenTo(t)
	dir := d.env.store.Layout().RunDir(s.run.Name())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lock"), []byte("1\nmachine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.expect(0, "stop")
	has(t, d.out.String(), "no process drives")
}

func TestWatchTheUndriven(t *testing.T) {
	d, s := spokenTo(t)
	dir := d.env.store.Layout().RunDir(s.run.Name())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	events := `{"kind":"check","state":"passed","text":"./test.sh"}` + "\n" + `{"kind":` + "\n" + `{"kind":"end"}` + "\n" + `{"kind":"che`
	if err := os.WriteFile(filepath.Join(dir, "events"), []byte(events), 0o644); err != nil {
		t.Fatal(err)
	}
	d.expect(75, "watch")
	if strings.Contains(d.out.String(), "./test.sh") {
		t.Errorf("shows the past: %s", d.out.String())
	}
	has(t, d.err.String(), "no process drives")
	d.expect(75, "watch", "--all", "one")
	has(t, d.out.String(), "passed: ./test.sh")
	d.expect(75, "watch", "--all", "--json")
	if got := d.jsonOut(); len(got) != 2 {
		t.Errorf("%v", got)
	}
}
