package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A shape is how large a run is.
type shape struct {
	workers, calls int // calls of all workers together
	coordinator    int // its turns
	outages, kills int
	full           int64 // tokens of the coordinator's context at which it hands over
}

// whole is the published run's shape. Its coordinator made 32 calls, 23 of them
// dispatches, in 31 turns; the 70 points of its curve are rows with usage, of which an
// answer has several (stores.md 10.1 and 11.3).
var whole = shape{workers: 23, calls: 1893, coordinator: 33, outages: 5, kills: 2, full: 11_000}

// A plan is a run to be: a rehearsal script, and what happens to it.
type plan struct {
	script  string
	workers int
	windows map[string]int64 // by model: the server's, which the run has been taught
	kills   []kill
}

// The models of the roles. Two, since a window is a model's.
const (
	mainModel   = "claude-opus-5-5"
	workerModel = "claude-sonnet-5-5"
)

// headroom is what of a window is kept for the handoff (flower.headroom), in tokens.
const headroom = 5_000

// newPlan makes a run from a seed. begins is by how many tokens more than with our own
// loop contexts begin, by model.
func newPlan(seed uint64, s shape, begins map[string]int64) plan {
	r := newSeeded(seed)
	p := plan{workers: s.workers}
	faults := outages(r, s)
	c := coordinate(r, s)
	var scenes strings.Builder
	var sizes []int
	for i, calls := range split(r, s.calls, s.workers) {
		sizes = append(sizes, work(&scenes, r, i+1, calls, faults[i+1]))
	}
	p.windows = windows(s.full, sizes, begins)
	p.kills = kills(r, s)

	var b strings.Builder
	b.WriteString("models:\n")
	for _, m := range []string{mainModel, workerModel} {
		fmt.Fprintf(&b, "  %s: {window: %d}\n", m, p.windows[m])
	}
	b.WriteString("shared:\n" + sharedKinds() + c.shared() + head + c.scenes() + successor(r, s) + scenes.String())
	p.script = b.String()
	return p
}

func newSeeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// A kill ends the driver at a request, before it is passed on or once it is answered:
// the first one from a place on, of a role's session that is so old that to load it
// may well rewrite its history; at the latest at any other.
type kill struct {
	from, latest int
	role         string
	age          int // requests
	answered     bool
}

func (k kill) comes(n int, s *seen, answered bool) bool {
	old := s != nil && s.role == k.role && s.requests >= k.age
	return answered == k.answered && n >= k.from && (old || n >= k.latest)
}

// kills come one in each part of the run, in the middle of a session. In a slice that is
// a coordinator many of whose glances have gone stale.
func kills(r *rand.Rand, s shape) []kill {
	all := s.coordinator + s.calls
	role, age := "worker", 20
	if s.calls < 1000 {
		role, age = "coordinator", s.coordinator*11/20
	}
	var out []kill
	for i := range s.kills {
		part := all / s.kills
		from := i*part + part/4 + r.IntN(part/4)
		out = append(out, kill{from: from, latest: i*part + part*9/10, role: role, age: age, answered: r.IntN(2) == 0})
	}
	return out
}

// outages are the workers whose connection fails once.
func outages(r *rand.Rand, s shape) map[int]bool {
	hit := map[int]bool{}
	for len(hit) < s.outages {
		hit[1+r.IntN(s.workers)] = true
	}
	return hit
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

// writes are words of the message that has a session write its handoff.
const writes = "exactly these five sections"

// askedToHandOver is what a session with a full context is told (docs/rehearsal.md).
const askedToHandOver = `{last: "` + writes + `"}`

// handoff is an alternative of every turn: the words of a session that is asked for
// them, of which the first says where to go on.
func handoff(next, decided string) string {
	return fmt.Sprintf(`when: [{if: %s, say: "## Doing now\nThe parts before are there.\n## Decided\n%s\n## Dead ends\nNone so far.\n## Next step\n%s\n## Scene\nlib and work.\n"}]`, askedToHandOver, decided, next)
}
