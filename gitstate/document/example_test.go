package document_test

import (
	"fmt"

	. "git-flower/gitstate/document"
)

func ExampleParseBrief() {
	brief := ParseBrief(`Understood, here is the brief.

**目标**：a --json flag for the list command, for scripts
2. Acceptance criteria:
- list --json prints one object a line
- list prints what it printed before
### Out of scope
Other commands.
`)
	fmt.Print(brief)
	fmt.Println("\nmissing:", brief.Missing())
	// Output:
	// ## Goal
	//
	// a --json flag for the list command, for scripts
	//
	// ## Acceptance criteria
	//
	// - list --json prints one object a line
	// - list prints what it printed before
	//
	// ## Boundaries
	//
	// Other commands.
	//
	// missing: [Unknowns and assumptions]
}

func ExampleGoal() {
	goal := Goal{
		Statement: "list --json works and nothing else changed",
		Checks: []Check{
			{Text: "the tests pass", Command: "go test ./..."},
			{Text: "it reads well on a phone", Unverifiable: "no phone"},
		},
		Protected: []string{"t/", "testdata/"},
	}
	fmt.Print(goal)
	// Output:
	// ## Goal
	//
	// list --json works and nothing else changed
	//
	// ## Checks
	//
	// - the tests pass
	//   Run: `go test ./...`
	// - it reads well on a phone [unverifiable here: no phone]
	//
	// ## Protected paths
	//
	// - `t/`
	// - `testdata/`
}

func ExampleVerdict() {
	verdict := Verdict{
		State:  NotYet,
		Clear:  true,
		Reason: "one of two checks fails",
		Failed: []string{"the tests pass"},
		Checks: []CheckResult{{Check: 1, Evidence: "exit 1: TestList"}, {Check: 2, Passed: true, Evidence: "seen"}},
	}
	fmt.Print(verdict)
	// Output:
	// ## Verdict
	//
	// not-yet
	//
	// ## Reason
	//
	// one of two checks fails
	//
	// ## Not passed
	//
	// - the tests pass
	//
	// ## Check results
	//
	// - 1 failed: exit 1: TestList
	// - 2 passed: seen
}

func ExampleParseVerdict() {
	for _, text := range []string{
		"结论：达成",
		"## Verdict\n**Achieved.**\n\n## Not passed\n- check 2",
		"It is mostly achieved.",
	} {
		v := ParseVerdict(text)
		fmt.Println(v.State, v.Clear, v.Failed)
	}
	// Output:
	// reached true []
	// not-yet false [check 2]
	// not-yet false []
}

func ExampleMatchOption() {
	options := []string{"accept: take it as it is", "change: change the goal", "wrong: another round"}
	for _, answer := range []string{"2", "accept", "accept it, but only the headings"} {
		i, ok := MatchOption(answer, options)
		fmt.Println(i, ok)
	}
	// Output:
	// 1 true
	// 0 true
	// 0 false
}

func ExampleHandoff() {
	handoff := ParseHandoff("## 当前进度\nthe parser is done\n## 下一步\nprint it\n## 试过不行的\n- a regular expression: too slow\n")
	fmt.Print(handoff)
	fmt.Println("\nmissing:", handoff.Missing(), "degraded:", handoff.Degraded())
	// Output:
	// ## Doing now
	//
	// the parser is done
	//
	// ## Dead ends
	//
	// - a regular expression: too slow
	//
	// ## Next step
	//
	// print it
	//
	// missing: [] degraded: false
}

func ExampleWithAmendments() {
	fmt.Print(WithAmendments(Brief{Goal: "G"}.String(), []string{"also .cc files", "Boundaries: none\nany more"}))
	// Output:
	// ## Goal
	//
	// G
	//
	// ## Said later, and counting as much
	//
	// - also .cc files
	// - Boundaries: none
	//   any more
}
