package transcript

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"git-flower/engine/rawjson"
)

// What is kept of results that go stale (stores.md 4.2), as figures of the original.
const (
	keepGlances = 6    // newest results of that kind that stay
	maxGlance   = 2000 // characters; what is longer is left to trimming
	maxLabel    = 60   // characters of a command in its notice
)

// expiredMark begins the notice that stands for a stale result.
const expiredMark = "[expired]"

// expire finds the results that have gone stale: short ones of calls that only
// looked, but for the newest. Nothing of them is kept, since to look again is
// cheaper than to read what was.
func (p *plan) expire(sites []*site) {
	var stale []*site
	for _, s := range sites {
		if utf8.RuneCountInString(s.text) <= p.maxGlance && s.isStale(p.judge) {
			stale = append(stale, s)
		}
	}
	for _, s := range stale[:max(0, len(stale)-p.keepGlances)] {
		p.replace(s, expiredNotice(s.command(), p.answers-s.turn+1))
		p.report.Expired++
	}
}

// isStale says whether a result is one that goes stale and has not been replaced.
func (s *site) isStale(judge *judge) bool {
	return s.plain && s.command() != "" && !strings.HasPrefix(s.text, expiredMark) && judge.expires(s.call)
}

// command is what a call of Bash runs.
func (s *site) command() string {
	if s.call.name != "Bash" {
		return ""
	}
	return strings.TrimSpace(rawjson.Text(rawjson.Value(s.call.input, "command")))
}

// expiredNotice says what stood here; age is how many answers ago it was asked
// for, counting that one.
func expiredNotice(command string, age int) string {
	label, _, _ := strings.Cut(command, "\n")
	if r := []rune(label); len(r) > maxLabel {
		label = string(r[:maxLabel])
	}
	return fmt.Sprintf("%s What `%s` showed %d answers ago has gone stale and is left out. Run it again if you need it.", expiredMark, label, age)
}

// A judge remembers what it was told of calls: the same are made over and over.
type judge struct {
	ask   func(Call) bool
	known map[string]bool
}

func (j *judge) expires(c block) bool {
	if j.ask == nil {
		return false
	}
	key := c.name + "\x00" + string(c.input)
	stale, known := j.known[key]
	if !known {
		stale = j.ask(c.asCall())
		j.known[key] = stale
	}
	return stale
}
