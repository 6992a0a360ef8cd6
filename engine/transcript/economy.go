package transcript

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"slices"
	"unicode/utf8"
)

// A Report counts what a reading changed, all its steps and all readings before
// it whose changes are part of the conversation.
type Report struct {
	Expired int // results that have gone stale
	Cleared int // long results that a pointer stands for
	Kept    int // long results that stay
	Chars   int // characters of the cleared ones
	Denied  int // refused calls that were taken out
	Saved   int // characters that the conversation is shorter by, without thoughts
}

// left is a report as answers that are given after a reading carry it.
func (r Report) left() json.RawMessage {
	return fmt.Appendf(nil, `{"expired":%d,"cleared":%d,"denied":%d,"characters":%d}`, r.Expired, r.Cleared, r.Denied, r.Saved)
}

// A policy is how much stays.
type policy struct {
	keepGlances, maxGlance, keepLong, minLong, keepDenials int
	requests                                               int // that a session makes after it was resumed
}

func usual() policy {
	return policy{keepGlances: keepGlances, maxGlance: maxGlance, keepLong: keepLong, minLong: minLong, keepDenials: keepDenials, requests: requests}
}

// A plan is what a reading changes in the results stored up to a horizon. Nothing
// changes before it is carried out.
type plan struct {
	policy
	judge *judge
	keep  func(Call) bool
	point func(Call, string) string

	horizon int
	answers int // the newest turn with an answer
	order   []*edit
	edits   map[string]*edit // by call
	from    int              // the first thing that changes: 2n the answer of turn n, 2n+1 what came after
	saved   int              // bytes
	sum     hash.Hash        // of what was done
	report  Report
}

// An edit is a change of one result.
type edit struct {
	site    *site
	text    string // in its place
	heals   bool   // it is no error any more
	archive bool   // a pointer is put in its place
	drop    bool   // it goes, with its call
}

func newPlan(turns []*turn, horizon int, o Options, p policy, j *judge) *plan {
	n := &plan{policy: p, judge: j, keep: o.Keep, point: o.Point, horizon: horizon, edits: map[string]*edit{}, from: math.MaxInt, sum: sha256.New()}
	for i, t := range turns {
		if len(t.answer) > 0 && t.answer[0].at <= horizon {
			n.answers = i
		}
	}
	all := sites(turns, horizon)
	n.expire(all)
	n.trim(all)
	n.prune(all)
	return n
}

func (p *plan) add(e *edit, from, saved int) {
	if p.edits[e.site.id] != nil {
		p.order = slices.DeleteFunc(p.order, func(o *edit) bool { return o.site.id == e.site.id })
	}
	p.edits[e.site.id] = e
	p.order = append(p.order, e)
	p.from = min(p.from, from)
	p.saved += max(0, saved)
}

func (p *plan) replace(s *site, text string) {
	p.add(&edit{site: s, text: text}, 2*s.turn+1, len(s.text)-len(text))
}

func (p *plan) archive(s *site) {
	p.add(&edit{site: s, archive: true}, 2*s.turn+1, len(s.text)-pointerSize)
}

func (p *plan) drop(s *site) {
	p.add(&edit{site: s, drop: true}, 2*s.turn, len(s.raw)+len(s.call.raw))
}

// What changes in a conversation is paid for: behind it everything is written to
// the API's cache anew, at 1.25 times the price of input instead of the 0.1 that
// reading costs. What is saved is not read again by any later request.
const (
	rewriting = 115 // hundredths of the price of input, for what stands behind
	reading   = 10  // hundredths, for what is left out, at each request
	requests  = 35  // that a session makes after it was resumed: HT001 made 70 in two (stores.md 10.1)
)

// pays says whether a plan saves more than it costs. One that would take the
// thoughts out of a newest answer whose calls wait for their results does not:
// the API refuses that.
func (p *plan) pays(turns []*turn) bool {
	if len(p.order) == 0 {
		return false
	}
	newest := len(turns) - 1
	if t := turns[newest]; p.from <= 2*newest && t.thinks() && len(t.calls()) > 0 {
		return false
	}
	behind := 0
	for i, t := range turns {
		if 2*i > p.from {
			behind += size(t.answer)
		}
		if 2*i+1 > p.from {
			behind += size(t.results) + size(t.rest)
		}
	}
	return p.saved*reading*p.requests >= behind*rewriting
}

func size(entries []*entry) int {
	n := 0
	for _, e := range entries {
		for _, b := range e.blocks {
			n += len(b.raw)
		}
	}
	return n
}

func (t *turn) thinks() bool {
	return slices.ContainsFunc(t.answer, func(e *entry) bool { return slices.ContainsFunc(e.blocks, block.isThought) })
}

// carryOut changes the turns, and takes the thoughts out of the answers behind
// the first change: a thought counts only behind the very words it was thought
// behind. What was thought behind the horizon was thought after the change.
func (p *plan) carryOut(turns []*turn) {
	for _, e := range p.order {
		switch {
		case e.drop:
			p.shorter(e.site, "")
			p.report.Saved += utf8.RuneCount(e.site.call.input)
			p.note(e.site.id, "")
		case e.archive:
			if pointer := p.point(e.site.call.asCall(), e.site.text); pointer != "" {
				p.cleared(e.site)
				p.shorter(e.site, pointer)
				e.site.replace(pointer, false)
				p.note(e.site.id, pointer)
			}
		default:
			p.shorter(e.site, e.text)
			e.site.replace(e.text, e.heals)
			p.note(e.site.id, e.text)
		}
	}
	if p.report.Denied > 0 {
		for _, t := range turns {
			t.withoutDead(func(id string) bool { return p.edits[id] != nil && p.edits[id].drop })
		}
	}
	withoutThoughts(turns, p.from, p.horizon)
}

func (p *plan) note(id, text string) { fmt.Fprintf(p.sum, "%d:%s%d:%s", len(id), id, len(text), text) }

// shorter notes that a text stands in place of a result's.
func (p *plan) shorter(s *site, text string) {
	p.report.Saved += utf8.RuneCountInString(s.text) - utf8.RuneCountInString(text)
}

func (p *plan) cleared(s *site) {
	p.report.Cleared++
	p.report.Chars += utf8.RuneCountInString(s.text)
}

// withoutThoughts takes thoughts out of the answers from a place on, of those
// that were stored up to a horizon.
func withoutThoughts(turns []*turn, from, horizon int) {
	for i, t := range turns {
		if 2*i < from {
			continue
		}
		for _, e := range t.answer {
			if e.at <= horizon {
				e.keep(func(b block) bool { return !b.isThought() })
			}
		}
		t.answer = slices.DeleteFunc(t.answer, func(e *entry) bool { return len(e.blocks) == 0 })
	}
}
