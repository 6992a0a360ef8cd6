package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"git-flower/gitstate/document"
)

// What the tool takes is what a reader of the record finds again; the rest is
// refused with the reason.
func TestDecodeGoal(t *testing.T) {
	for _, c := range []struct{ name, input, wrong string }{
		{"plain", `{"statement":"It runs.","checks":[{"text":"it runs","command":"./run"}]}`, ""},
		{"quotes and pipes", `{"statement":"It runs.","checks":[{"text":"it runs","command":"! grep -q \"a b\" f | wc -l"}]}`, ""},
		{"backquotes", "{\"statement\":\"It runs.\",\"checks\":[{\"text\":\"it runs\",\"command\":\"test `cat f` = x\"}]}", ""},
		{"an unverifiable check", `{"statement":"It runs.","checks":[{"text":"it looks good","unverifiable":"needs an eye"}]}`, ""},
		{"nothing", `{}`, "lacks"},
		{"no checks", `{"statement":"It runs.","checks":[]}`, "lacks"},
		{"a check without text", `{"statement":"It runs.","checks":[{"text":"a"},{"text":""}]}`, "text"},
		{"a command of two lines", `{"statement":"It runs.","checks":[{"text":"a","command":"a\nb"}]}`, "line"},
		{"a path outside", `{"statement":"It runs.","checks":[{"text":"a"}],"protected":["../x"]}`, "x"},
		{"an absolute path", `{"statement":"It runs.","checks":[{"text":"a"}],"protected":["/etc"]}`, "etc"},
		{"no object", `"reached"`, "form"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := decodeGoal(json.RawMessage(c.input))
			if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Fatalf("got %v", err)
			}
			if err == nil && document.ParseGoal(g.String()).String() != g.String() {
				t.Errorf("does not read back:\n%s", g)
			}
		})
	}
}

// uphold only ever makes less of a verdict.
func TestUphold(t *testing.T) {
	check := document.Check{Text: "it runs", Command: "./run"}
	eye := document.Check{Text: "it looks good", Unverifiable: "needs an eye"}
	seen := document.Check{Text: "it is documented"}
	passed := checked{check: check}
	failed := passed
	failed.result.ExitCode = 1
	missing := passed
	missing.missing = "nosuch"
	evidence := func(n int, ok bool, what string) document.CheckResult {
		return document.CheckResult{Check: n, Passed: ok, Evidence: what}
	}
	for _, c := range []struct {
		name    string
		state   document.State
		checks  []document.Check
		results []document.CheckResult
		ran     []checked
		touched []string
		want    document.State
	}{
		{"all passed", document.Reached, []document.Check{check}, nil, []checked{passed}, nil, document.Reached},
		{"a command failed", document.Reached, []document.Check{check}, []document.CheckResult{evidence(1, true, "I saw it")}, []checked{failed}, nil, document.NotYet},
		{"a command cannot start", document.Reached, []document.Check{check}, []document.CheckResult{evidence(1, true, "I saw it")}, []checked{missing}, nil, document.NotYet},
		{"seen with evidence", document.Reached, []document.Check{seen}, []document.CheckResult{evidence(1, true, "README:3")}, nil, nil, document.Reached},
		{"seen without evidence", document.Reached, []document.Check{seen}, []document.CheckResult{evidence(1, true, " ")}, nil, nil, document.NotYet},
		{"not looked at", document.Reached, []document.Check{seen}, nil, nil, nil, document.NotYet},
		{"the judge contradicts itself", document.Reached, []document.Check{check}, []document.CheckResult{evidence(1, false, "no")}, []checked{passed}, nil, document.NotYet},
		{"unverifiable is never passed", document.Reached, []document.Check{check, eye}, []document.CheckResult{evidence(2, true, "disclosed")}, []checked{passed}, nil, document.Unreachable},
		{"a failed command before an unverifiable check", document.Reached, []document.Check{check, eye}, nil, []checked{failed}, nil, document.NotYet},
		{"a protected path was changed", document.Reached, []document.Check{check}, nil, []checked{passed}, []string{"test.sh"}, document.NotYet},
		{"not yet stays", document.NotYet, []document.Check{check}, nil, []checked{passed}, nil, document.NotYet},
		{"unreachable stays", document.Unreachable, []document.Check{check}, nil, []checked{passed}, nil, document.Unreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := document.Verdict{State: c.state, Clear: true, Reason: "so it is", Checks: c.results}
			got := uphold(v, document.Goal{Statement: "x", Checks: c.checks}, c.ran, c.touched)
			if got.State != c.want {
				t.Errorf("got %s, want %s", got.State, c.want)
			}
			if read := document.ParseVerdict(got.String()); !read.Clear || read.State != c.want {
				t.Errorf("the document reads as %s, clear %v:\n%s", read.State, read.Clear, got)
			}
		})
	}
}
