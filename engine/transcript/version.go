package transcript

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A mark names the version of the conversation that an entry was said after: the
// newest entry that the reading knew, and a sum of what the reading changed. It
// is empty when nothing was changed.
func mark(newest *entry, p *plan) string {
	return fmt.Sprintf("%s %x", newest.uuid, p.sum.Sum(nil)[:8])
}

// economize makes a conversation shorter by what has gone stale, was too long or
// is noise. It makes the versions again that answers were given after, oldest
// first, and then one more if that pays, so that between two readings that
// change something every reading is the same. It returns the mark of entries
// that follow.
func economize(turns []*turn, o Options, p policy) (string, Report) {
	v := &versions{turns: turns, o: o, policy: p, judge: &judge{ask: o.Expires, known: map[string]bool{}}, at: -1}
	for _, m := range v.marks() {
		v.repeat(m)
	}
	v.next()
	return v.mark, v.report
}

type versions struct {
	turns  []*turn
	o      Options
	policy policy
	judge  *judge

	mark   string
	at     int // the horizon of the newest version
	report Report
}

// marks lists the versions of the conversation that its answers were given after.
// An answer that was given after an older one than those before it, as a program
// would that knows of no versions, is not to be trusted with thoughts.
func (v *versions) marks() []string {
	all := []string{""}
	for i, t := range v.turns {
		for _, e := range t.answer {
			switch known := slices.Index(all, e.mark); {
			case known < 0:
				all = append(all, e.mark)
			case known < len(all)-1:
				withoutThoughts(v.turns, 2*i, math.MaxInt)
				return all[1:]
			}
		}
	}
	return all[1:]
}

// repeat makes a version again. When it comes out otherwise than it was, no
// thought counts any more.
func (v *versions) repeat(m string) {
	newest := v.find(m[:max(0, strings.LastIndexByte(m, ' '))])
	if newest == nil || newest.at <= v.at {
		v.forget(m)
		return
	}
	p := newPlan(v.turns, newest.at, v.o, v.policy, v.judge)
	p.carryOut(v.turns)
	v.done(p, m)
	if m != mark(newest, p) {
		withoutThoughts(v.turns, 0, math.MaxInt)
	}
	v.at = newest.at
}

// next makes one more version if that pays.
func (v *versions) next() {
	newest := v.newest()
	if newest == nil {
		return
	}
	p := newPlan(v.turns, newest.at, v.o, v.policy, v.judge)
	v.report.Kept = p.report.Kept
	if !p.pays(v.turns) {
		return
	}
	p.carryOut(v.turns)
	v.done(p, mark(newest, p))
}

func (v *versions) done(p *plan, m string) {
	v.mark = m
	v.report.Expired += p.report.Expired
	v.report.Cleared += p.report.Cleared
	v.report.Chars += p.report.Chars
	v.report.Denied += p.report.Denied
	v.report.Saved += p.report.Saved
	v.report.Kept = p.report.Kept
}

// forget takes the thoughts out of the answers after a version of which nothing
// is known.
func (v *versions) forget(m string) {
	for i, t := range v.turns {
		if slices.ContainsFunc(t.answer, func(e *entry) bool { return e.mark == m }) {
			withoutThoughts(v.turns, 2*i, math.MaxInt)
			return
		}
	}
}

func (v *versions) each(f func(*entry)) {
	for _, t := range v.turns {
		for _, part := range [][]*entry{t.answer, t.results, t.rest} {
			for _, e := range part {
				f(e)
			}
		}
	}
}

func (v *versions) find(uuid string) (found *entry) {
	v.each(func(e *entry) {
		if e.uuid == uuid {
			found = e
		}
	})
	return found
}

// newest is the entry that was stored last.
func (v *versions) newest() (newest *entry) {
	v.each(func(e *entry) {
		if newest == nil || e.at > newest.at {
			newest = e
		}
	})
	return newest
}
