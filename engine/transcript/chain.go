package transcript

import (
	"slices"

	"git-flower/engine/rawjson"
)

// A store is all entries, with the links of the main thread.
type store struct {
	all    []*entry
	byUUID map[string]*entry // of the main thread; of two with one uuid the older
	before []*entry          // by place: the entry of the main thread stored before
}

func newStore(all []*entry) *store {
	s := &store{all: all, byUUID: map[string]*entry{}, before: make([]*entry, len(all))}
	var before *entry
	for i, e := range all {
		s.before[i] = before
		if e.aside {
			continue
		}
		if s.byUUID[e.uuid] != nil {
			e.aside = true
			continue
		}
		s.byUUID[e.uuid], before = e, e
	}
	return s
}

// parent is the entry before in the conversation; nil at its beginning. Claude Code
// writes in order, so that in place of a parent that is lost the entry stored
// before stands in: all that came earlier would be lost with it.
func (s *store) parent(e *entry) *entry {
	if e.parent == "" {
		return nil
	}
	if p := s.byUUID[e.parent]; p != nil {
		return p
	}
	return s.before[e.at]
}

// chain is the conversation, oldest first, and the entry where it ended.
func (s *store) chain() (chain []*entry, leaf *entry) {
	leaf = s.leaf()
	on := map[*entry]bool{}
	for e := leaf; e != nil && !on[e]; e = s.parent(e) {
		on[e] = true
		chain = append(chain, e)
	}
	slices.Reverse(chain)
	return s.preserved(chain, on), leaf
}

// leaf is where the conversation ended: of the entries that no other names as its
// parent the one that hangs on the newest words. Nil: nobody ever spoke.
func (s *store) leaf() *entry {
	named := map[*entry]bool{}
	for _, e := range s.byUUID {
		if p := s.parent(e); p != e {
			named[p] = true
		}
	}
	ends := slices.DeleteFunc(slices.Clone(s.all), func(e *entry) bool { return e.aside || named[e] })
	isSaid := func(e *entry) bool { return e.isTurn() && !e.meta }
	for _, counts := range []func(*entry) bool{isSaid, (*entry).isTurn} {
		if leaf := s.newest(ends, counts); leaf != nil {
			return leaf
		}
	}
	var leaf *entry
	for _, e := range s.all { // nothing but rings
		if !e.aside && e.isTurn() {
			leaf = e
		}
	}
	return leaf
}

// newest is the one of ends that hangs on the newest entry that counts.
func (s *store) newest(ends []*entry, counts func(*entry) bool) *entry {
	var leaf, words *entry
	known := map[*entry]*entry{}
	for _, e := range ends {
		if w := s.nearest(e, counts, known); w != nil && (words == nil || w.at >= words.at) {
			leaf, words = e, w
		}
	}
	return leaf
}

// nearest is the nearest entry that counts, upwards from e. known holds what was
// found before.
func (s *store) nearest(e *entry, counts func(*entry) bool, known map[*entry]*entry) *entry {
	var path []*entry
	var found *entry
	for on := map[*entry]bool{}; e != nil && !on[e]; e = s.parent(e) {
		if w, ok := known[e]; ok {
			found = w
			break
		}
		if on[e], path = true, append(path, e); counts(e) {
			found = e
			break
		}
	}
	for _, p := range path {
		known[p] = found
	}
	return found
}

// preserved puts the messages that a compaction kept behind its summary, where
// Claude Code has them. They hang off what was compacted away.
func (s *store) preserved(chain []*entry, on map[*entry]bool) []*entry {
	for _, boundary := range chain {
		anchor, kept := compaction(boundary)
		if anchor == "" {
			continue
		}
		i := slices.IndexFunc(chain, func(e *entry) bool { return e.uuid == anchor })
		if i < 0 {
			continue
		}
		var missing []*entry
		for _, uuid := range kept {
			if e := s.byUUID[uuid]; e != nil && !on[e] {
				on[e] = true
				missing = append(missing, e)
			}
		}
		return slices.Insert(chain, i+1, missing...)
	}
	return chain
}

// compaction is the uuid of the summary and those of the messages that stayed.
func compaction(e *entry) (anchor string, kept []string) {
	if e.kind != "system" {
		return "", nil
	}
	value := e.raw
	for _, key := range []string{"compactMetadata", "preservedMessages"} {
		value = rawjson.Value(value, key)
	}
	uuids := rawjson.Value(value, "uuids")
	if len(uuids) == 0 || uuids[0] != '[' {
		return "", nil
	}
	return rawjson.Text(rawjson.Value(value, "anchorUuid")), texts(uuids)
}

// whole adds to the chain what belongs to its answers and hangs elsewhere: blocks
// of the same message, and results of its calls.
func (s *store) whole(chain []*entry) []*entry {
	in := map[*entry]bool{}
	for _, e := range chain {
		in[e] = true
	}
	blocks := map[*entry][]*entry{} // by parent: entries of the same message
	for _, e := range s.all {
		if p := s.byUUID[e.parent]; !e.aside && !in[e] && p != nil && sameMessage(p, e) {
			blocks[p] = append(blocks[p], e)
		}
	}
	var all, late []*entry
	for i, e := range chain {
		all = append(all, e)
		late = append(late, rest(e, blocks)...)
		if i+1 == len(chain) || !sameMessage(e, chain[i+1]) {
			slices.SortFunc(late, byPlace)
			all, late = append(all, late...), nil
		}
	}
	return append(all, s.results(all)...)
}

func sameMessage(a, b *entry) bool {
	return a.isAssistant() && b.isAssistant() && a.id != "" && a.id == b.id
}

func byPlace(a, b *entry) int { return a.at - b.at }

// rest lists everything below e; blocks are taken once.
func rest(e *entry, blocks map[*entry][]*entry) []*entry {
	var all []*entry
	for next := []*entry{e}; len(next) > 0; {
		below := blocks[next[0]]
		delete(blocks, next[0])
		all = append(all, below...)
		next = append(next[1:], below...)
	}
	return all
}

// results lists the entries elsewhere that answer calls of the chain.
func (s *store) results(chain []*entry) []*entry {
	open, in := map[string]bool{}, map[*entry]bool{}
	for _, e := range chain {
		in[e] = true
		for _, b := range e.blocks {
			if b.isCall() && !e.made {
				open[b.id] = true
			}
		}
	}
	for _, e := range chain {
		for _, b := range e.blocks {
			if b.isResult() {
				delete(open, b.id)
			}
		}
	}
	var found []*entry
	for _, e := range s.all {
		if e.aside || in[e] || !e.isUser() {
			continue
		}
		if !slices.ContainsFunc(e.blocks, func(b block) bool { return b.isResult() && open[b.id] }) {
			continue
		}
		found = append(found, e)
		for _, b := range e.blocks {
			delete(open, b.id)
		}
	}
	return found
}
