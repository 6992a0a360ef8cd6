package economy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"git-flower/gitstate"
)

// The roles that are told apart, as the ledger names them.
const (
	coordinator = "coordinator"
	worker      = "worker"
	oracle      = "oracle" // keeps no transcript: nobody goes on with a side question
)

// A Meter counts one run. Transcripts are handed to it one after the other,
// and Report closes it.
type Meter struct {
	run      string
	sessions map[string]*counted
	scripts  scripts

	unrecorded Billed
	rows       []gitstate.LedgerRow
}

// A counted session.
type counted struct {
	Session
	at      time.Time // of the first entry, else of the account
	answers map[string]int
	calls   map[string]block
	done    map[string]bool
	loaded  string // the newest version of its past
	hour    bool   // it has the cache keep its context for an hour
}

// NewMeter begins with a run's ledger, by wake, and with what was spent that no
// record holds yet: the sessions of both are those that are counted.
func NewMeter(run string, ledger map[string][]gitstate.LedgerRow, unrecorded []gitstate.LedgerRow) *Meter {
	m := &Meter{run: run, sessions: map[string]*counted{}, scripts: newScripts(run)}
	for _, wake := range slices.Sorted(maps.Keys(ledger)) {
		for _, row := range ledger[wake] {
			m.bill(row)
		}
	}
	for _, row := range unrecorded {
		m.bill(row)
		m.unrecorded.add(billed(row))
	}
	return m
}

// bill adds an account. A session has one for each step that it worked in, and
// for each wake.
func (m *Meter) bill(row gitstate.LedgerRow) {
	m.rows = append(m.rows, row)
	s := m.sessions[row.Session]
	if s == nil {
		s = &counted{Session: Session{ID: row.Session, Role: row.Role, Worker: row.Worker, Model: row.Model},
			answers: map[string]int{}, calls: map[string]block{}, done: map[string]bool{}}
		m.sessions[row.Session] = s
	}
	if !slices.Contains(s.Labels, row.Label) {
		s.Labels = append(s.Labels, row.Label)
	}
	s.Context = max(s.Context, row.Context)
	s.Billed.add(billed(row))
	if began, err := time.Parse(time.RFC3339, row.Start); err == nil && (s.at.IsZero() || began.Before(s.at)) {
		s.at, s.Began = began, row.Start
	}
}

// billed is what a row says. A request costs something where the model's price is
// known, so that where there are tokens and no cost it is not.
func billed(row gitstate.LedgerRow) Billed {
	b := Billed{Requests: row.Turns, Input: row.Input, Read: row.Read, Written: row.Written, Output: row.Output,
		Cost: row.Cost, Failed: max(0, row.Attempts-1)}
	if b.Cost == 0 && b.Input+b.Read+b.Written+b.Output > 0 {
		b.Unpriced = b.Requests
	}
	return b
}

// Sessions are the ids of those whose transcripts are wanted, in the order in
// which they began.
func (m *Meter) Sessions() []string {
	var ids []string
	for _, s := range m.inOrder() {
		ids = append(ids, s.ID)
	}
	return ids
}

func (m *Meter) inOrder() []*counted {
	return slices.SortedFunc(maps.Values(m.sessions), func(a, b *counted) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.ID, b.ID))
	})
}

// Add counts an entry of a session's transcript. Entries come in the order in
// which they were stored; one of a session that the ledger does not know, and
// one that cannot be read, is left out.
func (m *Meter) Add(session string, raw json.RawMessage) {
	s := m.sessions[session]
	if s == nil {
		return
	}
	if s.Held == nil {
		s.Held = newHeld()
	}
	e, ok := readEntry(raw)
	if !ok {
		return
	}
	if at := e.at(); !at.IsZero() && len(s.answers) == 0 && len(s.done) == 0 && s.Held.Characters == 0 {
		s.at, s.Began = at, e.Timestamp
	}
	s.answer(e)
	s.load(e)
	for _, b := range e.blocks() {
		s.Held.Characters += b.characters()
		switch b.Type {
		case "tool_use":
			s.call(b)
		case "tool_result":
			m.result(s, b, e.Denial)
		}
	}
}

// answer counts a row's answer, once for all its rows. The rows of one answer
// tell the same context.
func (s *counted) answer(e entry) {
	id := e.answer()
	if id == "" {
		return
	}
	s.Held.Rows++
	tokens := e.Message.Usage.context()
	if i, ok := s.answers[id]; ok {
		if i >= 0 {
			s.Curve[i].Tokens = max(s.Curve[i].Tokens, tokens)
		}
		return
	}
	s.Held.Turns++
	s.answers[id] = -1
	if !e.Aside { // a sub-agent's context is not this one
		s.answers[id] = len(s.Curve)
		u := e.Message.Usage
		s.Curve = append(s.Curve, Point{Time: e.Timestamp, Tokens: tokens, fresh: u.Input + u.Written})
		s.hour = s.hour || u.Creation.Hour > 0
	}
}

// load counts what the past was shortened by that an answer was given after: its
// newest version tells of those before as well. One that does not tell leaves the
// whole unknown.
func (s *counted) load(e entry) {
	if e.Loaded == "" || e.Loaded == s.loaded || e.Type != "assistant" {
		return
	}
	s.loaded = e.Loaded
	if e.Left == nil || s.Held.Left == nil {
		s.Held.Left = nil
		return
	}
	loads := s.Held.Left.Loads + 1
	*s.Held.Left = *e.Left
	s.Held.Left.Loads = loads
}

// ourTools begins the names that the engine's own tools have in Claude Code, which
// knows them as those of an MCP server.
const ourTools = "mcp__flower__"

func (s *counted) call(b block) {
	b.Name = strings.TrimPrefix(b.Name, ourTools)
	if _, again := s.calls[b.ID]; again {
		return
	}
	s.calls[b.ID] = block{Name: b.Name, Input: bytes.Clone(b.Input)} // until its result is there
	s.Held.Calls++
	s.Held.Tools[b.Name]++
}

// byRule is the toolDenialKind of a call that a rule refused. The other one, that nobody
// approved it, is what Claude Code says of a call that an interruption stopped: we
// answer each call by a rule.
const byRule = "permission-rule"

// result counts what became of a call, once.
func (m *Meter) result(s *counted, b block, denial string) {
	call, ok := s.calls[b.For]
	if !ok || s.done[b.For] {
		return
	}
	s.done[b.For] = true
	s.calls[b.For] = block{}
	switch denial {
	case "":
	case byRule:
		s.Held.Denials++
		return
	default:
		return
	}
	if chars, ok := b.pointer(); ok {
		s.Held.Spills++
		s.Held.Spilled += chars
	}
	switch {
	case call.Name == "Bash" && s.Role == coordinator:
		s.Held.Glances++
	case call.Name == "dispatch":
		s.Held.Tasks += tasks(call.Input)
	}
	m.scripts.made(call)
}

// tasks is how many a dispatch sends out.
func tasks(input json.RawMessage) int {
	var d struct {
		Tasks []json.RawMessage `json:"tasks"`
	}
	_ = json.Unmarshal(input, &d) // none that can be read: none
	return len(d.Tasks)
}
