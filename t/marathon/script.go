package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A shape is how large a run is.
type shape struct {
	workers, calls int // calls of all workers together, about
	coordinator    int // its turns
	outages        int
}

func shapeOf(long bool) shape {
	if long {
		return shape{workers: 23, calls: 1900, coordinator: 70, outages: 5}
	}
	return shape{workers: 4, calls: 80, coordinator: 14, outages: 2}
}

// A plan is a run to be: a rehearsal script, and how many turns each worker has in it.
type plan struct {
	script string
	turns  map[string]int // by worker
	glance int            // commands of the coordinator
}

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

// kinds are what workers do, each with its part in a hundred calls: what the published run's
// workers did was 55 Bash, 25 Read, 14 Edit, 6 Write.
var kinds = []struct {
	part       int
	name, call string
}{
	{4, "spill", `{tool: Bash, input: {command: "seq -f 'test %06g of turn {{.turn}} passed' 1 150"}}`},
	{21, "build", `{tool: Bash, input: {command: "seq -f 'compiled part %06g in turn {{.turn}}' 1 60"}}`},
	{25, "test", `{tool: Bash, input: {command: "seq -f 'ok %06g of turn {{.turn}}, as it should be' 1 90"}}`},
	{5, "verify", `{tool: Bash, input: {command: "sh '{{.cap.bench}}/scripts/verify.sh' {{.turn}}"}}`},
	{25, "read", `{tool: Read, input: {file_path: "{{.cap.dir}}/lib/part-{{.turn}}.txt"}}`},
	{14, "edit", `{tool: Edit, input: {file_path: "{{.cap.dir}}/work/{{.cap.worker}}.txt", old_string: "end\n", new_string: "line {{.turn}}\nend\n"}}`},
	{6, "write", `{tool: Write, input: {file_path: "{{.cap.dir}}/work/{{.cap.worker}}-{{.turn}}.txt", content: "what turn {{.turn}} made\n"}}`},
}

// firstCalls are those that a worker begins with: the first one makes the script
// that others run.
const firstCalls = `      - call: {tool: Write, input: {file_path: "{{.cap.dir}}/work/{{.cap.worker}}.txt", content: "begin\nend\n"}}
`

const makeScript = `      - call: {tool: Write, input: {file_path: "{{.cap.bench}}/scripts/verify.sh", content: "# desc: verifies the editor\nseq -f 'verified %03g' 1 20\n"}}
`

// newPlan makes a run from a seed.
func newPlan(seed uint64, s shape) plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := plan{turns: map[string]int{}}
	var b strings.Builder
	b.WriteString("shared:\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %s: &%s\n    call: %s\n", k.name, k.name, k.call)
	}
	b.WriteString(head)
	faults := outages(r, s)
	p.coordinate(&b, r, s)
	for n := 1; n <= s.workers; n++ {
		p.work(&b, r, s, n, faults[n])
	}
	p.script = b.String()
	return p
}

// outages are the workers whose connection fails once.
func outages(r *rand.Rand, s shape) map[int]bool {
	hit := map[int]bool{}
	for len(hit) < s.outages {
		hit[1+r.IntN(s.workers)] = true
	}
	return hit
}

// coordinate writes the coordinator's turns: dispatches of one to three tasks, with
// glances between them.
func (p *plan) coordinate(b *strings.Builder, r *rand.Rand, s shape) {
	b.WriteString("  - name: coordinate\n    who: {tools: [dispatch]}\n    turns:\n")
	turns, next := 1, 1 // the last turn ends
	for next <= s.workers {
		n := min(1+r.IntN(3)*r.IntN(2), s.workers-next+1)
		if next == 1 {
			n = 1 // its script is there for the others
		}
		fmt.Fprintf(b, "      - say: The next part is %d.\n        call: {tool: dispatch, input: {tasks: [", next)
		for i := range n {
			fmt.Fprintf(b, "{worker: coder, task: \"Part %d of the editor. %s\", acceptance: \"its tests pass\"},", next+i, words(r, 20+r.IntN(40)))
		}
		b.WriteString("]}}\n")
		next += n
		turns++
		for range glances(r, s, turns, next) {
			fmt.Fprintf(b, "      - call: {tool: Bash, input: {command: \"git log --oneline -%d && git status --short\"}}\n", 1+r.IntN(9))
			turns++
			p.glance++
		}
	}
	for ; turns < s.coordinator; turns++ {
		b.WriteString("      - call: {tool: Bash, input: {command: \"git diff --stat HEAD && ls lib | head -n 30\"}}\n")
		p.glance++
	}
	b.WriteString("      - say: The editor is there.\n")
}

// glances is how many come after a dispatch, so that the turns last for all.
func glances(r *rand.Rand, s shape, turns, next int) int {
	left, dispatches := s.coordinator-turns, s.workers-next+1
	if left <= dispatches {
		return 0
	}
	return r.IntN(2*(left-dispatches)/(dispatches+1) + 1)
}

// work writes a worker's turns.
func (p *plan) work(b *strings.Builder, r *rand.Rand, s shape, n int, fails bool) {
	fmt.Fprintf(b, "  - name: work %d\n    who: {system: \"(?s)Worker: (?P<worker>coder-%d)\\n.*own at (?P<dir>.+), at the result so far.*The bench at (?P<bench>[^\\n]+) is shared\"}\n    turns:\n", n, n)
	turns := 2
	if n == 1 {
		b.WriteString(makeScript)
		turns++
	}
	b.WriteString(firstCalls)
	mean := s.calls / s.workers
	calls := mean/4 + r.IntN(mean*3/2) // a few are long, as there
	for i := range calls {
		k := kindOf(r.IntN(100))
		if fails && i == calls/2 {
			fmt.Fprintf(b, "      - fault: [{error: 529}, {drop: 3}]\n        call: %s\n", k.call)
			continue
		}
		fmt.Fprintf(b, "      - *%s\n", k.name)
	}
	fmt.Fprintf(b, "      - say: \"## Conclusion\\nPart %d is there. %s\\n\\n## Evidence\\n- %s\\n- %s\\n\\n## Output\\n- work/coder-%d.txt\\n\\n## Unverified\\nNone.\\n\"\n",
		n, words(r, 15), words(r, 20+r.IntN(40)), words(r, 20+r.IntN(40)), n)
	p.turns[fmt.Sprintf("coder-%d", n)] = turns + calls
}

func kindOf(n int) struct {
	part       int
	name, call string
} {
	for _, k := range kinds {
		if n < k.part {
			return k
		}
		n -= k.part
	}
	return kinds[0]
}

var vocabulary = strings.Fields("the buffer holds lines and the cursor moves by cells while undo keeps edits in order so that redo finds them after a save of the file with its marks")

// words are a text of n words.
func words(r *rand.Rand, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	return strings.Join(all, " ") + "."
}
