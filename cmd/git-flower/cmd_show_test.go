package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"git-flower/gitstate"
)

func TestShowDocuments(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("add-json", "Add --json to list", false)
	s.tell(gitstate.Record{Kind: gitstate.KindSession, Subject: "worker", Meta: gitstate.Meta{Step: "work", Session: "5e55-1", Machine: "m1", Harness: "messages"}})
	goal := s.goal()
	verdict := s.verdict(goal, 1, false)
	for what, want := range map[string]string{
		"request": "Add --json to list", "brief": "List as JSON.", "goal": "Run: `./test.sh`", "verdict": "the help was read",
		"ledger": "0.0042 USD in all", "lineage": "5e55-1", goal: "list prints JSON",
		"1": "Add --json to list", "0001": "Add --json to list",
	} {
		for _, words := range [][]string{{"show", what}, {"show", what, "add"}} {
			d.expect(0, words...)
			has(t, d.out.String(), want)
		}
		d.expect(0, "show", "--json", what)
		one := d.jsonOut()[0]
		if one["run"] != "add-json" || one["id"] != s.run.ID() || one["document"] == "" || one["body"] == nil && one["value"] == nil {
			t.Errorf("%s: %v", what, one)
		}
	}
	d.expect(0, "show")
	all := d.out.String()
	has(t, all, "== request (", "== brief (", "== goal (", "== verdict ("+verdict+")")
	d.expect(0, "show", "add-json")
	if d.out.String() != all {
		t.Error("naming the only run changes what is shown")
	}
}

func TestShowWhatIsNotThere(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.expect(1, "show")
	d.begin("one", "One", false)
	for _, what := range []string{"handoff", "verdict", "lineage", "99", "reports/0001-000000000000.md", "goals/../x"} {
		d.expect(1, "show", what)
		has(t, d.err.String(), "run 'one' has no "+what, "hint: ")
	}
	d.expect(128, "show", "no-such-run")
	d.expect(0, "show", "ledger")
	has(t, d.out.String(), "0.00 USD in all")
}

func TestTheNewestDocumentThatCountsIsShown(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("one", "One", false)
	first := s.goal()
	s.tell(gitstate.Record{Kind: gitstate.KindGoal, Subject: "again", Body: "## Goal\n\nAnother one.", Meta: gitstate.Meta{Replaces: []string{first}}})
	d.expect(0, "show", "goal")
	has(t, d.out.String(), "Another one.")
	d.expect(0, "show", first)
	has(t, d.out.String(), "list prints JSON")
}

func TestWhichRunIsMeant(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.expect(1, "log")
	has(t, d.err.String(), "no runs", "git flower start")
	d.begin("alpha", "A", false)
	d.expect(0, "log")
	d.begin("alpine", "B", false)
	for _, words := range [][]string{{"log"}, {"show", "goal"}, {"show"}} {
		d.expect(2, words...)
		has(t, d.err.String(), "alpha", "alpine", "hint: ")
	}
	d.expect(2, "log", "alp")
	has(t, d.err.String(), "alpha", "alpine", "hint: ")
	d.expect(0, "log", "alph")
	d.expect(0, "log", "alpha")
	d.expect(128, "log", "gamma")
	d.expect(128, "log", "../../HEAD")
	d.expect(128, "log", "--", "--all")
}

func TestOnlyOneThatFits(t *testing.T) {
	runs := []gitstate.Summary{{Name: "a", Kind: gitstate.KindEnd}, {Name: "b", Kind: gitstate.KindGoal}, {Name: "c", Kind: gitstate.KindEnd}}
	if s, err := onlyOne(runs, unended); s.Name != "b" || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := onlyOne(runs[:1], unended); s.Name != "a" || err != nil {
		t.Errorf("the only one, though ended: %v, %v", s, err)
	}
	var e *endError
	for _, fits := range []func(gitstate.Summary) bool{anyRun, func(gitstate.Summary) bool { return false }} {
		if _, err := onlyOne(runs, fits); !errors.As(err, &e) || e.ending != endPerson || !strings.Contains(err.Error(), "a, b, c") {
			t.Errorf("%v", err)
		}
	}
	if _, err := onlyOne(nil, anyRun); !errors.As(err, &e) || e.ending != endNo || !errors.Is(err, errNoRuns) {
		t.Errorf("%v", err)
	}
	if text := nameSome(make([]gitstate.Summary, 200)); len(text) > 100 || !strings.Contains(text, "190 more") {
		t.Errorf("%q", text)
	}
}

func TestLog(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("one", "One\n\nmore words", false)
	s.verdict(s.goal(), 1, true)
	d.expect(0, "log")
	lines := strings.Split(strings.TrimSuffix(d.out.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), d.out.String())
	}
	has(t, lines[0], s.run.Tip().Short(), "verdict", "round 1: reached")
	has(t, lines[3], "request", "One")
	for words, want := range map[string]int{"log -n 2": 2, "log -n0": 0, "log -n 99 one": 4, "log --max-count=1": 1} {
		d.expect(0, strings.Fields(words)...)
		if got := strings.Count(d.out.String(), "\n"); got != want {
			t.Errorf("%s: %d lines, want %d", words, got, want)
		}
	}
	d.expect(129, "log", "-n", "-1")
	d.expect(0, "log", "--json", "o")
	all := d.jsonOut()
	if len(all) != 4 || all[0]["kind"] != "verdict" || all[0]["round"] != 1.0 || all[0]["run"] != "one" || all[0]["id"] != s.run.ID() ||
		!strings.Contains(all[3]["body"].(string), "more words") || len(all[3]["parents"].([]any)) != 0 {
		t.Errorf("%v", all)
	}
}

// Git prints the same story.
func TestLogAgreesWithGit(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("one", "One", false)
	s.verdict(s.goal(), 1, true)
	d.expect(0, "log", "--json")
	var ours []string
	for _, e := range d.jsonOut() {
		ours = append(ours, e["commit"].(string)+" "+e["kind"].(string))
	}
	theirs := d.git("log", "--format=%H %(trailers:key=Flower-Kind,valueonly,separator=)", "refs/flower/run/one")
	if strings.Join(ours, "\n") != theirs {
		t.Errorf("ours\n%s\ngit's\n%s", strings.Join(ours, "\n"), theirs)
	}
}

func TestAFullDiskIsNoSuccess(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("one", "One", false)
	for _, words := range [][]string{{"log"}, {"show"}, {"status"}, {"version"}, {"help"}, {"log", "-h"}} {
		d.reset()
		d.env.Out = full{}
		if code := run(t.Context(), words, d.env); code != 128 {
			t.Errorf("%q exits %d", words, code)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestJSONIsOneLineEach(t *testing.T) {
	var b strings.Builder
	if err := jsonLine(&b, map[string]string{"a": "<x>\n&\u2028"}); err != nil || !strings.Contains(b.String(), "<x>") || strings.Count(b.String(), "\n") != 1 || !json.Valid([]byte(b.String())) {
		t.Errorf("%q, %v", b.String(), err)
	}
}
