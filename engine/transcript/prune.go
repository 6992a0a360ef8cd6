package transcript

import (
	"slices"
	"strings"
)

// keepDenials is how many refused calls stay, the newest (stores.md 6.1): a
// session that reads of many stops trying what it may do, and one that reads of
// none tries the refused call at once again.
const keepDenials = 1

// interruption is what Claude Code writes as the result of a call that a person
// cut off (stores.md 6.3). A session that reads it hunts for a fault.
const interruption = "[Request interrupted"

// prune finds the calls that were refused by a rule, and the results that tell
// of an interruption. What Claude Code wrote of failed requests is no part of a
// conversation at all (clean.go).
func (p *plan) prune(sites []*site) {
	var denied []*site
	for _, s := range sites {
		switch {
		case s.entry.denied && s.isFirst():
			denied = append(denied, s)
		case s.failed && p.edits[s.id] == nil && strings.Contains(s.text, interruption):
			p.replace(s, CutOff)
			p.edits[s.id].heals = true
		}
	}
	for _, s := range denied[:max(0, len(denied)-p.keepDenials)] {
		p.drop(s)
		p.report.Denied++
	}
}

// isFirst says whether a result is the first of its entry: the one that the
// entry's mark is about.
func (s *site) isFirst() bool {
	i := slices.IndexFunc(s.entry.blocks, block.isResult)
	return s.entry.blocks[i].id == s.id
}

// withoutDead takes calls and their results out of a turn. Words that came with
// the results stay.
func (t *turn) withoutDead(dead func(id string) bool) {
	t.answer = kept(t.answer, func(b block) bool { return !b.isCall() || !dead(b.id) })
	t.results = kept(t.results, func(b block) bool { return !b.isResult() || !dead(b.id) })
	isWords := func(e *entry) bool { return !e.answers() }
	words := slices.DeleteFunc(slices.Clone(t.results), (*entry).answers)
	t.rest = append(words, t.rest...)
	t.results = slices.DeleteFunc(t.results, isWords)
}

// kept are the entries of which something is left. What loses a block loses the
// second copy of its result too.
func kept(entries []*entry, wanted func(block) bool) []*entry {
	for _, e := range entries {
		n := len(e.blocks)
		e.keep(wanted)
		e.single = e.single || len(e.blocks) < n
	}
	return slices.DeleteFunc(entries, func(e *entry) bool { return len(e.blocks) == 0 })
}
