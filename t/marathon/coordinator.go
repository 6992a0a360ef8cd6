package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// head is the part of the script that is the same for every run.
const head = `scenes:
  - name: clarify
    who: {system: "(?m)^Role: clarifier$"}
    turns:
      - say: "## Goal\nAn editor.\n\n## Acceptance criteria\n- it is there\n\n## Boundaries\nNone.\n\n## Unknowns and assumptions\nNone.\n"
  - name: goal
    who: {tools: [goal]}
    turns:
      - call: {tool: goal, input: {statement: The editor is there., checks: [{text: it is there, command: "test -f work/coder-1.txt"}]}}
  - name: judge
    who: {tools: [verdict]}
    turns:
      - call: {tool: verdict, input: {state: reached, reason: It is there., checks: [{check: 1, passed: true, evidence: the command}]}}
`

// turns are the coordinator's, each the YAML of what it says and calls.
type turns []string

// coordinate makes the coordinator's turns: dispatches of one to three tasks, with
// glances between them.
func coordinate(r *rand.Rand, s shape) turns {
	var all turns
	next := 1
	for next <= s.workers {
		n := min(1+r.IntN(3)*r.IntN(2), s.workers-next+1)
		if next == 1 {
			n = 1 // its script is there for the others
		}
		all = append(all, dispatch(r, next, n))
		next += n
		for range glances(r, s, len(all)+1, next) {
			all = append(all, glance(r))
		}
	}
	for len(all) < s.coordinator-1 {
		all = append(all, glance(r))
	}
	return append(all, "say: The editor is there.")
}

func dispatch(r *rand.Rand, next, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "say: The next part is %d.\n    call: {tool: dispatch, input: {tasks: [", next)
	for i := range n {
		fmt.Fprintf(&b, "{worker: coder, task: \"Part %d of the editor. %s\", acceptance: \"its tests pass\"},", next+i, words(r, 60+r.IntN(140)))
	}
	b.WriteString("]}}")
	return b.String()
}

// glance is a look at the log, at a file or for a word.
func glance(r *rand.Rand) string {
	commands := []string{
		fmt.Sprintf("git log --oneline -%d && git status --short && ls lib | head -n 100", 1+r.IntN(9)),
		fmt.Sprintf("cat lib/part-%d.txt", r.IntN(files)),
		fmt.Sprintf("grep -n 'line %d of' lib/part-*.txt | head -n %d", r.IntN(40), 10+r.IntN(25)),
	}
	return fmt.Sprintf("call: {tool: Bash, input: {command: \"%s\"}}", commands[r.IntN(len(commands))])
}

// glances is how many come after a dispatch, so that the turns last for all.
func glances(r *rand.Rand, s shape, turns, next int) int {
	left, dispatches := s.coordinator-turns, s.workers-next+1
	if left <= dispatches {
		return 0
	}
	return min(left-dispatches-1, r.IntN(2*(left-dispatches)/(dispatches+1)+1))
}

// shared are the turns, by name, since each is part of several scenes.
func (t turns) shared() string {
	var b strings.Builder
	for i, turn := range t {
		fmt.Fprintf(&b, "  t%d: &t%d\n    %s\n    %s\n", i+1, i+1, handoff(fmt.Sprintf("Go on with turn %d.", i+1), "One part after the other."), turn)
	}
	return b.String()
}

// scenes are the coordinator's, one for each turn with which a session may go on
// that took over from another.
func (t turns) scenes() string {
	var b strings.Builder
	for from := len(t); from >= 1; from-- {
		fmt.Fprintf(&b, "  - name: coordinate-%d\n    who: {tools: [dispatch]}\n", from)
		if from > 1 {
			fmt.Fprintf(&b, "    what: {first: \"(?m)^> Go on with turn %d\\\\.$\"}\n", from)
		}
		b.WriteString("    turns: [")
		for i := from; i <= len(t); i++ {
			fmt.Fprintf(&b, "*t%d, ", i)
		}
		fmt.Fprintf(&b, "{%s}]\n", handoff(fmt.Sprintf("Go on with turn %d.", len(t)), "All parts are there.")) // asked when it had said its last words
	}
	return b.String()
}
