package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Options say what is ours in a transcript.
type Options struct {
	// CarryOn is the text by which a turn that broke off is carried on; entries
	// that hold just that are left out. Empty: there is none.
	CarryOn string

	// Expires tells of a call whether what it showed goes stale. Nil: nothing does.
	Expires func(Call) bool
	// Point puts the text of a call's result away and returns what stands in its
	// place, the same every time; empty when it could not. It is only called for
	// texts that are left out. Nil: long results stay.
	Point func(c Call, text string) string
	// Keep tells of a call whether its result stays however long it is. Nil: none.
	Keep func(Call) bool
}

// A History is what a session is carried on from.
type History struct {
	// Entries are the conversation, oldest first, each with the one before it
	// as its parent.
	Entries []json.RawMessage
	// Open are the calls of the newest answer that have no result. Until Answer has
	// answered them all, Entries are nothing that the API takes.
	Open []Call
	// Said holds the uuids of all stored entries, also of those left out, and those
	// of words that Claude Code put into an entry with another.
	Said map[string]bool
	// Called holds the ids of all stored calls, also of those left out.
	Called map[string]bool
	// Last is the uuid of the stored entry that the next one to be stored has as its
	// parent: where the chain ends. What ends Entries may hang elsewhere. Empty: none.
	Last string
	// Began is the time of the first stored entry; zero when unknown.
	Began time.Time
	// Stop and Text are the stop reason and the prose of the newest answer when
	// nothing was said or done after it; else they are empty.
	Stop, Text string
	// Stopped says that the newest thing is a result that ended the turn.
	Stopped bool
	// Mark names this version of the conversation. Entries of answers that are given
	// after it have it as their "flowerLoaded", unless it is empty.
	Mark   string
	Report Report
	// Left tells what this version leaves out of what is stored: "expired", "cleared"
	// and "denied" (results), and "characters". Entries that carry Mark have it as their
	// "flowerLeft"; nil without a Mark.
	Left json.RawMessage

	newest *turn  // holds the open calls
	place  int    // in Entries: where the next result goes
	end    string // the uuid of the newest of Entries
}

// A Call is a tool call of the model's.
type Call struct {
	ID    string
	Tool  string
	Input json.RawMessage // an object
}

// Read makes a history of a session's stored entries. An entry that is no JSON
// object is an error: the store is damaged. Anything else in it that makes no
// sense is left out.
func Read(entries []json.RawMessage, o Options) (*History, error) {
	return read(entries, o, usual())
}

func read(entries []json.RawMessage, o Options, p policy) (*History, error) {
	return conversation(entries, o.CarryOn, func(turns []*turn) (string, Report) { return economize(turns, o, p) })
}

// conversation makes a history, which shorten may make shorter: it returns the
// mark of what is said after that.
func conversation(entries []json.RawMessage, carryOn string, shorten func([]*turn) (string, Report)) (*History, error) {
	all, err := parse(entries)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	h := &History{Said: map[string]bool{}, Called: map[string]bool{}}
	for _, e := range all {
		h.note(e)
	}
	s := newStore(all)
	chain, leaf := s.chain()
	if leaf != nil {
		h.Last = leaf.uuid
	}
	turns := pair(clean(s.whole(chain), carryOn))
	turns = fromWords(withoutLastThoughts(turns))
	if h.Mark, h.Report = shorten(turns); h.Mark != "" {
		h.Left = h.Report.left()
	}
	turns = withoutLastThoughts(turns)
	heal(turns, maps.Clone(h.Said))
	h.write(turns)
	return h, nil
}

// note takes from an entry what counts whether or not it is in the conversation.
func (h *History) note(e *entry) {
	for _, id := range append(e.carried, e.uuid) {
		if id != "" {
			h.Said[id] = true
		}
	}
	for _, b := range e.blocks {
		if b.isCall() {
			h.Called[b.id] = true
		}
	}
	if at, err := time.Parse(time.RFC3339, e.time); err == nil && h.Began.IsZero() {
		h.Began = at
	}
}

// write lays the turns out.
func (h *History) write(turns []*turn) {
	for _, t := range turns {
		h.add(t.answer)
		words := slices.IndexFunc(t.results, (*entry).says)
		if words < 0 {
			words = len(t.results)
		}
		h.place = len(h.Entries) + words
		h.add(t.results)
		h.add(t.rest)
	}
	if len(turns) > 0 && turns[len(turns)-1].answer != nil {
		h.ending(turns[len(turns)-1])
	}
}

func (h *History) add(entries []*entry) {
	for _, e := range entries {
		h.Entries = append(h.Entries, e.render(h.end))
		h.end = e.uuid
	}
}

// ending tells how the conversation ends, with its newest answer.
func (h *History) ending(t *turn) {
	h.newest = t
	for _, c := range t.open() {
		h.Open = append(h.Open, Call{ID: c.id, Tool: c.name, Input: c.input})
	}
	h.Stopped = !t.hasWords() && (slices.ContainsFunc(t.results, stops) || len(t.results) > 0 && slices.ContainsFunc(t.rest, stops))
	if t.hasWords() || len(t.results) > 0 {
		return
	}
	var prose strings.Builder
	for _, e := range t.answer {
		if e.stop != "" {
			h.Stop = e.stop
		}
		for _, b := range e.blocks {
			prose.WriteString(b.text)
		}
	}
	h.Text = prose.String()
}

func stops(e *entry) bool { return e.stops }

// Answer answers an open call. It returns the entry to store; in Entries it stands
// behind its call. An id that is not open is an error, and so is a uuid that is taken.
func (h *History) Answer(id string, r Result) (json.RawMessage, error) {
	i := slices.IndexFunc(h.Open, func(c Call) bool { return c.ID == id })
	switch {
	case i < 0:
		return nil, fmt.Errorf("answer call '%s': it is not open", id)
	case r.UUID == "" || h.Said[r.UUID]:
		return nil, fmt.Errorf("answer call '%s': the uuid '%s' is taken", id, r.UUID)
	case r.Blocks != nil && !json.Valid(r.Blocks):
		return nil, fmt.Errorf("answer call '%s': %w", id, errBlocks)
	}
	e := newEntry(r.entry(h.newest.caller(id), id), 0)
	if len(e.blocks) != 1 {
		return nil, fmt.Errorf("answer call '%s': %w", id, errBlocks)
	}
	stored := e.render(h.Last)
	h.insert(e)
	h.Last = e.uuid
	h.Open = slices.Delete(h.Open, i, i+1)
	h.Said[e.uuid] = true
	h.Stop, h.Text = "", ""
	h.Stopped = h.Stopped || r.Stops && !h.newest.hasWords()
	return stored, nil
}

var errBlocks = errors.New("its blocks are no list")

// insert puts an entry into its place.
func (h *History) insert(e *entry) {
	before := newEntry(h.Entries[h.place-1], 0)
	h.Entries = slices.Insert(slices.Clone(h.Entries), h.place, e.render(before.uuid))
	if h.place++; h.place == len(h.Entries) {
		h.end = e.uuid
		return
	}
	next := newEntry(h.Entries[h.place], 0)
	h.Entries[h.place] = next.render(e.uuid)
}
