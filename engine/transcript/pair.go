package transcript

import (
	"cmp"
	"math"
	"slices"
)

// A turn is an answer of the model and what came after it, up to the next answer.
// The first turn has no answer.
type turn struct {
	answer  []*entry // one message
	results []*entry // of its calls; those with words besides come last
	rest    []*entry // words, attachments
}

// pair divides a clean chain into turns. Results stand with their calls; those
// without one are left out.
func pair(chain []*entry) []*turn {
	turns, of := answers(chain)
	owner := map[string]*turn{} // of a call
	for _, t := range turns {
		for _, c := range t.calls() {
			owner[c.id] = t
		}
	}
	now := turns[0]
	for _, e := range chain {
		if t := of[e]; t != nil {
			now = t
		} else {
			place(e, now, owner)
		}
	}
	for _, t := range turns {
		slices.SortStableFunc(t.results, byPlace)
		t.wordsLast()
		slices.SortStableFunc(t.results, byWords)
	}
	return turns
}

// wordsLast moves the words that several results have besides into the last of them.
func (t *turn) wordsLast() {
	mixed := slices.DeleteFunc(slices.Clone(t.results), func(e *entry) bool { return !e.says() })
	if len(mixed) < 2 {
		return
	}
	var words []block
	for _, e := range mixed {
		words = append(words, slices.DeleteFunc(slices.Clone(e.blocks), block.isResult)...)
		e.keep(block.isResult)
	}
	last := mixed[len(mixed)-1]
	last.blocks = append(last.blocks, words...)
}

// answers begins a turn for every answer, and says in which one its entries are.
func answers(chain []*entry) (turns []*turn, of map[*entry]*turn) {
	turns, of = []*turn{{}}, map[*entry]*turn{}
	for i, e := range chain {
		if !e.isAssistant() {
			continue
		}
		if i == 0 || !sameMessage(chain[i-1], e) {
			turns = append(turns, &turn{})
		}
		t := turns[len(turns)-1]
		t.answer = append(t.answer, e)
		of[e] = t
	}
	return turns, of
}

// place puts an entry that is no answer into its turn: the one of the call that
// it answers, else the one in which it came.
func place(e *entry, now *turn, owner map[string]*turn) {
	var t *turn
	for _, b := range e.blocks {
		if b.isResult() && t == nil {
			t = owner[b.id]
		}
	}
	e.keep(func(b block) bool { return !b.isResult() || t != nil && owner[b.id] == t })
	switch {
	case t != nil:
		e.resultsFirst()
		t.results = append(t.results, e)
	case len(e.blocks) > 0 || !e.isTurn():
		now.rest = append(now.rest, e)
	}
}

// resultsFirst puts the results before the words, as the API wants them.
func (e *entry) resultsFirst() {
	order := func(a, b block) int { return cmp.Compare(rank(a), rank(b)) }
	if !slices.IsSortedFunc(e.blocks, order) {
		e.blocks, e.edited = slices.Clone(e.blocks), true
		slices.SortStableFunc(e.blocks, order)
	}
}

func rank(b block) int {
	if b.isResult() {
		return 0
	}
	return 1
}

func byWords(a, b *entry) int {
	if a.says() != b.says() {
		if a.says() {
			return 1
		}
		return -1
	}
	return byPlace(a, b)
}

func (t *turn) calls() []block {
	var calls []block
	for _, e := range t.answer {
		for _, b := range e.blocks {
			if b.isCall() {
				calls = append(calls, b)
			}
		}
	}
	return calls
}

// open lists the calls without a result.
func (t *turn) open() []block {
	return slices.DeleteFunc(t.calls(), func(c block) bool {
		return slices.ContainsFunc(t.results, func(e *entry) bool {
			return slices.ContainsFunc(e.blocks, func(b block) bool { return b.isResult() && b.id == c.id })
		})
	})
}

// withoutLastThoughts drops thoughts at the end of answers, which the API refuses,
// and answers of which nothing is left.
func withoutLastThoughts(turns []*turn) []*turn {
	kept := turns[:min(1, len(turns))]
	for _, t := range turns[len(kept):] {
		for len(t.answer) > 0 && t.answer[len(t.answer)-1].dropLastThoughts() {
			t.answer = t.answer[:len(t.answer)-1]
		}
		if len(t.answer) > 0 {
			kept = append(kept, t)
			continue
		}
		before := kept[len(kept)-1]
		before.rest = append(before.rest, t.rest...)
	}
	return kept
}

// dropLastThoughts says whether nothing is left.
func (e *entry) dropLastThoughts() bool {
	n := len(e.blocks)
	for n > 0 && e.blocks[n-1].isThought() {
		n--
	}
	if n < len(e.blocks) {
		e.blocks, e.edited = e.blocks[:n], true
	}
	return n == 0
}

// fromWords drops what stands before the first words of a user: what led to it is
// lost, and the API wants a user's message first.
func fromWords(turns []*turn) []*turn {
	i := slices.IndexFunc(turns, (*turn).hasWords)
	if i < 0 {
		return nil
	}
	t := turns[i]
	t.answer = nil
	for _, e := range t.results {
		e.keep(func(b block) bool { return !b.isResult() })
	}
	t.rest = append(slices.DeleteFunc(t.results, func(e *entry) bool { return len(e.blocks) == 0 }), t.rest...)
	t.results = nil
	begin := slices.IndexFunc(t.rest, (*entry).isUser)
	early := slices.DeleteFunc(slices.Clone(t.rest[:begin]), func(e *entry) bool { return e.kind != "system" })
	t.rest = append(early, t.rest[begin:]...)
	return turns[i:]
}

func (t *turn) hasWords() bool {
	return slices.ContainsFunc(t.rest, (*entry).isUser) || slices.ContainsFunc(t.results, (*entry).says)
}

// heal answers the calls of all turns but the last.
func heal(turns []*turn, taken map[string]bool) {
	for _, t := range turns[:max(len(turns)-1, 0)] {
		for _, c := range t.open() {
			caller := t.caller(c.id)
			e := newEntry(cutOff(caller, c.id, taken).entry(caller, c.id), math.MaxInt)
			i := slices.IndexFunc(t.results, (*entry).says)
			if i < 0 {
				i = len(t.results)
			}
			t.results = slices.Insert(t.results, i, e)
		}
	}
}

// caller is the entry that makes a call.
func (t *turn) caller(id string) *entry {
	for _, e := range t.answer {
		if slices.ContainsFunc(e.blocks, func(b block) bool { return b.isCall() && b.id == id }) {
			return e
		}
	}
	return nil
}
