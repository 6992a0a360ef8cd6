package main

import (
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"strings"
)

// seen is what is known of a session.
type seen struct {
	role, worker string

	lag      int        // how many of its newest answers a kill may cost
	last     [][32]byte // the parts of its newest request
	roles    []string   // of these
	wake     int        // of the driver that made it
	requests int
	loads    int // by a driver that was started again
	rewrites int // first requests after a load that do not begin with the one before
	cut      int // first ones that lack what the kill cost, and nothing else
	broken   int // other requests that do not
	common   int64
	total    int64 // characters of all requests, of which common had been sent before

	answers map[string]answer // whole ones, by id
	newest  []answer          // as many as a kill may cost, whole or not
	final   answer            // whole, and not part of a request yet
	billed  usage             // by all answers, also those that broke off
	settled int               // how many those are
	unheard map[string]bool   // whole answers that a kill stopped
	doubted usage             // what these and others that broke off then were billed
	doubts  int

	stopped    map[string]bool // calls that a kill or a handover cut off
	counted    map[string]int  // how often a text, call or result was counted
	characters int
}

var (
	roleLine   = regexp.MustCompile(`Role: ([a-z]+)\\n`)
	workerLine = regexp.MustCompile(`Worker: ([a-z]+-\d+)\\n`)
)

func newSeen(system string, lag int) *seen {
	s := &seen{lag: lag, answers: map[string]answer{}, unheard: map[string]bool{}, stopped: map[string]bool{}, counted: map[string]int{}}
	if m := roleLine.FindStringSubmatch(system); m != nil {
		s.role = m[1]
	}
	if m := workerLine.FindStringSubmatch(system); m != nil {
		s.worker = m[1]
	}
	return s
}

// add compares a request with the one before.
func (s *seen) add(all []part, opening, wake int) {
	hashes, roles := make([][32]byte, len(all)), make([]string, len(all))
	same := 0
	var size, common int64
	for i, p := range all {
		roles[i] = p.role
		hashes[i] = sha256.Sum256([]byte(p.role + " " + p.raw))
		size += int64(len(p.raw))
		if same == i && i < len(s.last) && hashes[i] == s.last[i] {
			same++
			common += int64(len(p.raw))
		}
	}
	loaded := s.requests > 0 && wake != s.wake
	if loaded {
		s.loads++
	}
	switch {
	case same == len(s.last):
	case loaded && answersIn(s.roles[same:]) < s.lag && s.lag > 1:
		s.cut++
	case loaded:
		s.rewrites++
	default:
		s.broken++
	}
	s.total += size
	s.common += common
	s.last, s.roles, s.wake, s.final = hashes, roles, wake, answer{}
	s.requests++
	s.count(all[opening:])
}

// count adds the characters of what was not there before. A call and a result are
// known by their ids, so that one that was made shorter counts once, as it first came;
// any other text by itself.
func (s *seen) count(messages []part) {
	times := map[string]int{}
	for _, p := range messages {
		var b block
		if json.Unmarshal([]byte(p.raw), &b) != nil {
			continue
		}
		s.countBlock(p.role, b, times)
	}
}

func (s *seen) countBlock(role string, b block, times map[string]int) {
	var text string
	_ = json.Unmarshal(b.Text, &text) // none: ""
	key := role + text
	switch b.Type {
	case "tool_use":
		key = "call " + b.ID
	case "tool_result":
		key = "result " + b.For
		if isCutOff(b.Content) {
			s.stopped[b.For] = true
		}
	case "text":
	default:
		return
	}
	if times[key]++; times[key] > s.counted[key] {
		s.counted[key]++
		s.characters += b.characters()
	}
}

// take notes an answer. late: the driver that asked for it is gone.
func (s *seen) take(a answer, late bool) {
	if a.id == "" {
		return
	}
	s.billed = s.billed.plus(a.usage)
	s.settled++
	if a.whole {
		s.answers[a.id], s.final = a, a
	}
	if late {
		s.doubt(a)
	} else {
		s.newest = append(s.newest, a)
		s.newest = s.newest[max(0, len(s.newest)-s.lag):]
	}
}

// answersIn counts the answers that parts belong to.
func answersIn(roles []string) int {
	n := 0
	for i, role := range roles {
		if role == "assistant" && (i == 0 || roles[i-1] != role) {
			n++
		}
	}
	return n
}

// doubt notes that nobody may have heard an answer.
func (s *seen) doubt(a answer) {
	if a.id == "" {
		return
	}
	s.doubted = s.doubted.plus(a.usage)
	s.doubts++
	if a.whole {
		s.unheard[a.id] = true
	}
}

// held are the characters of all that was said in the session, its last answer included.
func (s *seen) held() int {
	n := s.characters
	for _, b := range s.final.blocks {
		n += b.characters()
	}
	return n
}

// isCutOff tells whether a result says that its call was stopped, in our words or in
// Claude Code's. Whoever goes on is told, and makes the call again or does not.
func isCutOff(result json.RawMessage) bool {
	for _, b := range blocksOf(result) {
		var text struct{ Text string }
		_ = json.Unmarshal(b, &text) // none: ""
		for _, begins := range []string{"[interrupted]", "The user doesn't want to proceed with this tool use"} {
			if strings.HasPrefix(text.Text, begins) {
				return true
			}
		}
	}
	return false
}
