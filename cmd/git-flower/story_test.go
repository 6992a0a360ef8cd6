package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// A story writes the records of a run into the desk's repository, as an engine
// would.
type story struct {
	d   *desk
	run *gitstate.Run
	t   *testing.T
}

// begin makes a run with its request. The name is taken as it is.
func (d *desk) begin(name, request string, rehearsed bool) *story {
	d.t.Helper()
	d.reset()
	store, err := d.env.Store(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		if err := store.Close(); err != nil {
			d.t.Error(err)
		}
	})
	run, err := store.Create(d.t.Context(), name, gitstate.Record{Kind: gitstate.KindRequest, Subject: firstLine(request),
		Body: request, Meta: gitstate.Meta{Rehearsed: rehearsed}}, gitstate.ObjectID(d.git("rev-parse", "HEAD")))
	if err != nil {
		d.t.Fatal(err)
	}
	return &story{d: d, run: run, t: d.t}
}

// tell appends a record and returns the name of its document.
func (s *story) tell(rec gitstate.Record) string {
	s.t.Helper()
	if _, err := s.run.Append(s.t.Context(), rec); err != nil {
		s.t.Fatal(err)
	}
	docs := s.run.History().Of(rec.Kind)
	return docs[len(docs)-1].Name()
}

// goal tells brief and goal, and returns the goal's name.
func (s *story) goal() string {
	s.t.Helper()
	brief := s.tell(gitstate.Record{Kind: gitstate.KindBrief, Subject: "list as JSON",
		Body: document.Brief{Goal: "List as JSON.", Acceptance: "- test.sh passes", Boundaries: "- no new files", Unknowns: "- none"}.String(),
		Meta: gitstate.Meta{Step: "clarify"}})
	return s.tell(gitstate.Record{Kind: gitstate.KindGoal, Subject: "list prints JSON", Meta: gitstate.Meta{Step: "goal", From: []string{brief}},
		Body: document.Goal{Statement: "list prints JSON", Checks: []document.Check{{Text: "the tests pass", Command: "./test.sh"}, {Text: "the help names --json"}}}.String()})
}

// verdict tells a verdict on a round: the first check passed, the second as given.
func (s *story) verdict(goal string, round int, second bool) string {
	s.t.Helper()
	state := document.NotYet
	if second {
		state = document.Reached
	}
	v := document.Verdict{State: state, Clear: true, Reason: "the help was read", Checks: []document.CheckResult{
		{Check: 1, Passed: true, Evidence: "exit 0"}, {Check: 2, Passed: second, Evidence: "read help.txt"}}}
	return s.tell(gitstate.Record{Kind: gitstate.KindVerdict, Subject: "round " + strconv.Itoa(round) + ": " + state.String(), Body: v.String(),
		Meta:  gitstate.Meta{Step: "work", Round: round, State: state.String(), From: []string{goal}},
		Files: map[string][]byte{"ledger/wake.json": []byte(`[{"step":"work","label":"work","session":"s","role":"judge","model":"m","turns":2,"input_tokens":10,"output_tokens":5,"cache_read_tokens":0,"cache_write_tokens":0,"cost_micro_usd":4200,"attempts":1,"context":15,"start":"2026-11-30T11:00:00Z","end":"2026-11-30T11:01:00Z"}]` + "\n")}})
}

// join commits a file beside the branch and makes it the run's result.
func (s *story) join(file, text string) string {
	s.t.Helper()
	d := s.d
	tree := filepath.Join(s.t.TempDir(), "tree")
	d.git("worktree", "add", "-q", "--detach", tree, string(s.run.History().Base))
	if err := os.WriteFile(filepath.Join(tree, file), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	d.git("-C", tree, "add", file)
	d.git("-C", tree, "commit", "-q", "-m", "work on "+file)
	tip := d.git("-C", tree, "rev-parse", "HEAD")
	d.git("worktree", "remove", tree)
	s.tell(gitstate.Record{Kind: gitstate.KindReport, Subject: "coder-1: done", Body: "## Conclusion\n\nDone.",
		Meta: gitstate.Meta{Step: "work", Worker: "coder-1", Code: gitstate.ObjectID(tip), Tip: gitstate.ObjectID(tip), State: "joined"},
		Refs: []gitstate.RefUpdate{{Name: joinRef(s.run.Name()), New: gitstate.ObjectID(tip)}}})
	return tip
}

func (s *story) amend(words string) {
	s.t.Helper()
	s.tell(gitstate.Record{Kind: gitstate.KindAmendment, Subject: words, Body: words})
}

func (s *story) end(state string) {
	s.t.Helper()
	s.tell(gitstate.Record{Kind: gitstate.KindEnd, Subject: state, Meta: gitstate.Meta{State: state}})
}

// jsonOut decodes what the tool printed: one object a line.
func (d *desk) jsonOut() []map[string]any {
	d.t.Helper()
	var all []map[string]any
	for line := range strings.SplitSeq(strings.TrimSuffix(d.out.String(), "\n"), "\n") {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			d.t.Fatalf("%v in line %q", err, line)
		}
		all = append(all, one)
	}
	return all
}

// has fails the test unless the text holds every word.
func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}
