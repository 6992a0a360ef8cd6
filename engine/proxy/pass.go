package proxy

import (
	"context"
	"sync"

	"git-flower/engine/harness"
	"git-flower/engine/harness/wire"
)

// A Client is a session of the CLI.
type Client struct {
	Session, Role, Agent string // harness.Request has them
	Model                string // of the main thread; empty: any

	// Gate is asked before every request for a message, with the model that it
	// names. Nil admits everything.
	Gate harness.Gate
	// CarryOn is the text by which the harness makes the CLI carry a broken turn
	// on. A user's block of this text, blanks around it aside, is taken out of
	// requests. Empty: nothing is.
	CarryOn string
	// Responded is told of every whole answer before the CLI has it; main says
	// that it was the main thread's, not a subagent's or one of the small requests
	// that tools make besides. It is called from several goroutines. Nil: nobody is.
	Responded func(r harness.Responded, main bool)
}

// A Pass is a session's way through the proxy. It may be used from several goroutines.
type Pass struct {
	proxy *Proxy
	c     Client
	key   string

	ctx    context.Context // of the session's requests
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	turn   int            // how often Begin was called
	fault  *harness.Fault // what broke this turn
	tools  bool           // the session offers tools
	busy   int            // requests under way
	known  map[conversation]wire.Known
}

// A conversation is one of those that a session has with models.
type conversation struct {
	agent, model string
	main         bool
}

// Key is what the CLI is to send: random, in the shape of a key, valid until Close.
func (s *Pass) Key() string { return s.key }

// Begin says that a turn begins: what broke the last one is forgotten, and
// requests pass again.
func (s *Pass) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	s.fault = nil
}

// Fault is what broke the turn, the first thing that did; nil when nothing did.
func (s *Pass) Fault() *harness.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// Refuse breaks the turn: until Begin, requests are refused. Those under way go
// on. A fault that came before stays.
func (s *Pass) Refuse(f *harness.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil {
		s.fault = f
	}
}

// Close makes the key invalid, ends the session's requests, and waits for them.
// Safe to call twice, but not from a Gate or from Client.Responded.
func (s *Pass) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.proxy.forget(s)
	s.cancel()
	s.work.Wait()
}

// enter counts a request; false when the pass is closed.
func (s *Pass) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Add(1)
		s.busy++
	}
	return !s.closed
}

// leave ends what enter began.
func (s *Pass) leave() {
	s.mu.Lock()
	s.busy--
	s.mu.Unlock()
	s.work.Done()
}

// Busy says whether a request of the session's is under way.
func (s *Pass) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy > 0
}

// now is the turn that a request belongs to, and what broke it.
func (s *Pass) now() (turn int, broken *harness.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn, s.fault
}

// broke notes what broke a turn, unless that turn is past.
func (s *Pass) broke(turn int, f *harness.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == turn && s.fault == nil {
		s.fault = f
	}
}

// place is the conversation that a request belongs to. The main thread is on the
// session's model and offers tools of the caller's own, if the session has any;
// requests besides it have none, or only tools that the API runs.
func (s *Pass) place(q *request, agent string) conversation {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = s.tools || q.own
	main := agent == "" && s.proxy.same(q.model, s.c.Model) && (q.own || !q.tools && !s.tools)
	return conversation{agent, q.model, main}
}

func (p *Proxy) same(model, session string) bool {
	if session == "" || harness.WireName(model) == harness.WireName(session) {
		return true
	}
	a, ok := harness.Find(model, p.c.Models)
	b, both := harness.Find(session, p.c.Models)
	return ok && both && a.ID == b.ID
}

func (s *Pass) estimate(at conversation, size wire.Size) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[at].Estimate(size)
}

// maxKnown bounds what is kept about conversations; subagents come and go.
const maxKnown = 256

func (s *Pass) learn(at conversation, k wire.Known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[at] = k
}
