package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// kinds are what workers do, each with its part in a hundred calls (what the published
// run's workers did was 55 Bash, 25 Read, 14 Edit, 6 Write) and what a context grows by.
var kinds = []kind{
	{4, 200, "spill", `{tool: Bash, input: {command: "seq -f 'test %06g of turn {{.turn}} passed' 1 150"}}`},
	{21, 490, "build", `{tool: Bash, input: {command: "seq -f 'compiled part %06g in turn {{.turn}}' 1 60"}}`},
	{25, 830, "test", `{tool: Bash, input: {command: "seq -f 'ok %06g of turn {{.turn}}, as it should be' 1 90"}}`},
	{5, 120, "verify", `{tool: Bash, input: {command: "sh '{{.cap.bench}}/scripts/verify.sh' {{.turn}}"}}`},
	{25, 390, "read", `{tool: Read, input: {file_path: "{{.cap.dir}}/lib/part-{{.turn}}.txt"}}`},
	{14, 160, "edit", `{tool: Edit, input: {file_path: "{{.cap.dir}}/work/{{.cap.worker}}.txt", old_string: "end\n", new_string: "{{.scene}} did {{.turn}}\nend\n"}}`},
	{6, 140, "write", `{tool: Write, input: {file_path: "{{.cap.dir}}/work/{{.cap.worker}}-{{.scene}}-{{.turn}}.txt", content: "what turn {{.turn}} made\n"}}`},
}

type kind struct {
	part, tokens int
	name, call   string
}

// halfDone is what a worker hands over with.
var halfDone = handoff("Go on behind turn {{.turn}}.", "The part is split by lines.")

// sharedKinds are the kinds by name.
func sharedKinds() string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %s: &%s\n    %s\n    call: %s\n", k.name, k.name, halfDone, k.call)
	}
	return b.String()
}

// firstCalls are those that a worker begins with: the first one makes the script
// that others run.
const firstCalls = `      - call: {tool: Write, input: {file_path: "{{.cap.dir}}/work/{{.cap.worker}}.txt", content: "begin\nend\n"}}
`

const makeScript = `      - call: {tool: Write, input: {file_path: "{{.cap.bench}}/scripts/verify.sh", content: "# desc: verifies the editor\nseq -f 'verified %03g' 1 20\n"}}
`

// workerSystem finds in a worker's rules who it is, where it works and where the bench is.
func workerSystem(name string) string {
	return fmt.Sprintf(`    who: {system: "(?s)Worker: (?P<worker>%s)\\n.*own at (?P<dir>.+), at the result so far.*The bench at (?P<bench>[^\\n]+) is shared"}`+"\n", name)
}

// work writes a worker's turns and returns how many tokens its context comes to.
func work(b *strings.Builder, r *rand.Rand, n, calls int, fails bool) int {
	fmt.Fprintf(b, "  - name: work-%d\n%s    turns:\n", n, workerSystem(fmt.Sprintf("coder-%d", n)))
	if n == 1 {
		b.WriteString(makeScript)
	}
	b.WriteString(firstCalls)
	size := workerBegins
	for i := range calls {
		k := kindOf(r.IntN(100))
		size += k.tokens
		if fails && i == calls/4 {
			fmt.Fprintf(b, "      - fault: [{error: 529}, {drop: 3}]\n        %s\n        call: %s\n", halfDone, k.call)
			continue
		}
		fmt.Fprintf(b, "      - *%s\n", k.name)
	}
	b.WriteString(lastWords(r, fmt.Sprintf("coder-%d", n)))
	return size
}

// split shares calls out among workers: a few get many, as there.
func split(r *rand.Rand, calls, workers int) []int {
	parts := make([]int, workers)
	sum := 0
	for i := range parts {
		parts[i] = 100 + r.IntN(600)
		sum += parts[i]
	}
	for i := range parts {
		parts[i] = parts[i] * calls / sum
	}
	return parts
}

// successor is the scene of every worker that takes over from one with a full
// context: how much is left is not known, so it is a third of what a worker does.
func successor(r *rand.Rand, s shape) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - name: goes-on\n%s    what: {first: \"(?m)^# Handoff$\"}\n    turns:\n", workerSystem(`coder-\\d+`))
	fmt.Fprintf(&b, "      - %s\n        call: {tool: Read, input: {file_path: \"{{.cap.dir}}/work/{{.cap.worker}}.txt\"}}\n", halfDone)
	for range s.calls / s.workers / 3 {
		fmt.Fprintf(&b, "      - *%s\n", kindOf(r.IntN(100)).name)
	}
	b.WriteString(lastWords(r, "{{.cap.worker}}"))
	return b.String()
}

// lastWords are a worker's last turn.
func lastWords(r *rand.Rand, worker string) string {
	evidence := ""
	for range 3 + r.IntN(3) {
		evidence += fmt.Sprintf("- %s\\n", words(r, 15+r.IntN(25)))
	}
	return fmt.Sprintf("      - %s\n        say: \"## Conclusion\\nThe part of %s is there. %s\\n\\n## Evidence\\n%s\\n## Output\\n- work/%s.txt\\n\\n## Unverified\\n%s\\n\"\n      - %[1]s\n",
		halfDone, worker, words(r, 20), evidence, worker, words(r, 5+r.IntN(20)))
}

func kindOf(n int) kind {
	for _, k := range kinds {
		if n < k.part {
			return k
		}
		n -= k.part
	}
	return kinds[0]
}

// workerBegins is what a worker's context begins with, in tokens (measured).
const workerBegins = 3_200

// leastFull is the least at which any session hands over, in tokens (spec/engine.md 1.8).
const leastFull = 10_000

// windows are so large that the contexts of the two largest workers fill one before
// their ends, and the coordinator's is full where the shape says. begins is what the
// harness adds, by model.
func windows(full int64, sizes []int, begins map[string]int64) map[string]int64 {
	n := len(sizes)
	bySize := slices.Sorted(slices.Values(sizes))
	return map[string]int64{
		mainModel:   begins[mainModel] + full + headroom,
		workerModel: begins[workerModel] + max(leastFull, int64(bySize[n-2]+bySize[n-3])/2*19/20) + headroom,
	}
}
