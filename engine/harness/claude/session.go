package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"git-flower/engine/harness"
	"git-flower/engine/proxy"
	"git-flower/engine/transcript"
)

// A session is one conversation. Its process is started when a turn needs it.
type session struct {
	*harness.Turns
	h       *Harness
	o       harness.Options
	model   string   // the API's name
	packs   []string // names of the packs whose skills there are
	folders folders
	pass    *proxy.Pass // nil with a login of the CLI's own
	purse   *purse      // nil where the proxy asks the gate
	keeper  *keeper
	tools   *toolServer // of the running process, nil when there are no custom tools
	conn    *conn       // nil when no process runs

	withheld permissions // as the running process was told

	history *transcript.History // what a process would start from; nil while one runs
	said    map[string]bool     // ids of messages
	ended   *harness.Ended      // how the last turn ended; nil when it was broken off, and before the first

	backlog []harness.Message // words that the CLI gave back when it was interrupted

	responded chan harness.Responded

	mu      sync.Mutex
	current *turn // nil between turns
	opened  bool  // the session has entries in the store
}

var sessionID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Start opens a session; see harness.Harness. No process is started yet.
func (h *Harness) Start(ctx context.Context, o harness.Options) (harness.Session, error) {
	s, err := h.start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start session '%s': %w", o.Session, err)
	}
	return s, nil
}

func (h *Harness) start(ctx context.Context, o harness.Options) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !sessionID.MatchString(o.Session) || !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("it needs a lower-case UUID and an absolute directory, not '%s'", o.Dir)
	}
	s := &session{h: h, o: o, folders: foldersIn(h.c.Folder(o.Session)), said: map[string]bool{},
		responded: make(chan harness.Responded, 64)}
	name := o.Model
	if name == "" {
		name = h.c.Model
	}
	s.model = harness.WireName(name)
	if o.Fork != "" && !o.Resume {
		if err := harness.Fork(ctx, h.c.Transcript, o.Fork, o.Session, carryOn, h.c.Now()); err != nil {
			return nil, err
		}
		s.opened = true
	}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	var err error
	if s.packs, err = packNames(o.Plugins); err != nil {
		return nil, err
	}
	if h.c.Proxy == nil {
		s.purse = newPurse(o.Gate, harness.Request{Session: o.Session, Role: o.Role, Agent: o.Agent, Model: s.model, MaxOutput: maxOutput(o, h.c)},
			func(r harness.Responded) { s.heardAnswer(r, true) })
	} else {
		s.pass = h.c.Proxy.Open(proxy.Client{
			Session: o.Session, Role: o.Role, Agent: o.Agent, Model: s.model,
			Gate: o.Gate, CarryOn: carryOn, Responded: s.heardAnswer,
		})
	}
	s.Turns = harness.NewTurns(s.play)
	return s, nil
}

// load reads what the store has of the session.
func (s *session) load(ctx context.Context) error {
	if !s.o.Resume && !s.opened {
		s.history = &transcript.History{}
		return nil
	}
	entries, err := s.h.c.Transcript.Load(ctx, s.o.Session)
	if err != nil {
		return fmt.Errorf("load transcript: %w", err)
	}
	if len(entries) == 0 && s.o.Resume {
		return harness.ErrNoSession
	}
	h, err := transcript.Read(entries, s.o.Reading(carryOn, ourName))
	if err != nil {
		return fmt.Errorf("load transcript: %w", err)
	}
	s.history, s.said = h, h.Said
	s.ended = endOf(h)
	return nil
}

// endOf is how the turn ended that a history ends with, nil when it did not.
func endOf(h *transcript.History) *harness.Ended {
	switch {
	case h.Stopped:
		return &harness.Ended{Stop: harness.StopTool, Text: h.Text}
	case h.Stop == "end_turn", h.Stop == "stop_sequence":
		return &harness.Ended{Stop: harness.StopDone, Text: h.Text}
	}
	return nil
}

// Send says something; see harness.Session. Words of a running turn are with
// the CLI when Send returns: a call of ours that says something is answered
// after them.
func (s *session) Send(ctx context.Context, m harness.Message) error {
	if err := s.Turns.Send(ctx, m); err != nil {
		return err
	}
	if t := s.playing(); t != nil {
		return t.passOn()
	}
	return nil
}

// drop ends the process at once. What it still says is not kept.
func (s *session) drop() error {
	if s.conn == nil {
		return nil
	}
	s.keeper.shutDown()
	err := s.conn.end()
	s.tools.end()
	s.conn, s.tools = nil, nil
	return err
}

// Close ends the session's work and waits for it; see harness.Session.
func (s *session) Close() error {
	errs := []error{s.Turns.Close()}
	if s.conn != nil {
		errs = append(errs, s.conn.leave())
		s.keeper.shutDown()
		s.tools.end()
		s.conn, s.tools = nil, nil
	}
	if s.pass != nil {
		s.pass.Close()
		s.pass = nil
	}
	return errors.Join(append(errs, os.RemoveAll(s.folders.root))...)
}
