package messages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/wire"
	"git-flower/engine/transcript"
)

// A session is one open conversation. Its loop is in turn.go; it runs only
// while Next is being called (harness.Turns).
type session struct {
	*harness.Turns
	h         *Harness
	o         harness.Options
	model     harness.Model
	wire      string // the model's name for the API
	maxOutput int64
	prefix    []byte
	mark      string // on blocks up to which the API should keep the prompt
	tools     *toolset
	convo     *conversation
	journal   *journal
	known     wire.Known
}

// Start opens a session; see harness.Harness. Names in o.Tools that this
// harness does not have are not offered.
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
	if o.Session == "" || !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("it needs an id and an absolute directory, not '%s'", o.Dir)
	}
	s := &session{h: h, o: o, convo: newConversation(), mark: cacheMark}
	if s.hour() {
		s.mark = cacheMarkHour
	}
	if err := s.chooseModel(); err != nil {
		return nil, err
	}
	var err error
	if s.tools, err = newToolset(h, o); err != nil {
		return nil, err
	}
	s.journal = &journal{store: h.c.Transcript, session: o.Session, dir: o.Dir, now: h.c.Now}
	began := h.c.Now()
	if o.Fork != "" && !o.Resume {
		if err := harness.Fork(ctx, h.c.Transcript, o.Fork, o.Session, "", began); err != nil {
			return nil, err
		}
		o.Resume = true
	}
	if o.Resume {
		if began, err = s.resume(ctx, began); err != nil {
			return nil, err
		}
	}
	s.prefix = s.makePrefix(h.system(ctx, o, s.tools.skills.list(), began))
	s.Turns = harness.NewTurns(s.play)
	return s, nil
}

// hour says whether the API is to keep the prompt an hour.
func (s *session) hour() bool { return s.o.LongWaits && s.h.c.HourCache }

func (s *session) chooseModel() error {
	name := s.o.Model
	if name == "" {
		name = s.h.c.Model
	}
	s.wire = harness.WireName(name)
	s.maxOutput = unknownMaxOutput
	m, known := harness.Find(name, s.h.c.Models)
	if !known {
		s.model = harness.Model{ID: s.wire}
		return nil
	}
	s.model = m
	if m.MaxOutput > 0 {
		s.maxOutput = min(s.h.c.MaxOutput, m.MaxOutput)
	}
	if s.o.MaxOutput > 0 {
		s.maxOutput = min(s.maxOutput, s.o.MaxOutput)
	}
	if s.o.Effort != "" && !slices.Contains(m.Efforts, s.o.Effort) {
		return fmt.Errorf("model '%s' has no effort '%s' (it has: %s)", m.ID, s.o.Effort, strings.Join(m.Efforts, ", "))
	}
	return nil
}

// resume loads the conversation and returns when it began.
func (s *session) resume(ctx context.Context, now time.Time) (time.Time, error) {
	entries, err := s.h.c.Transcript.Load(ctx, s.o.Session)
	if err != nil {
		return now, fmt.Errorf("load transcript: %w", err)
	}
	if len(entries) == 0 {
		return now, harness.ErrNoSession
	}
	h, err := transcript.Read(entries, s.o.Reading("", func(tool string) string { return tool }))
	if err != nil {
		return now, fmt.Errorf("load transcript: %w", err)
	}
	s.convo.recall(entries, h)
	if err := s.convo.load(h.Entries); err != nil {
		return now, fmt.Errorf("load transcript: %w", err)
	}
	s.tools.files.recall(s.convo.seen)
	s.tools.shells.recall(s.convo.shells)
	s.journal.last, s.journal.mark, s.journal.left = h.Last, h.Mark, h.Left
	if h.Began.IsZero() {
		return now, nil
	}
	return h.Began, nil
}

// say puts words into the conversation, on disk first.
func (s *session) say(ctx context.Context, id, text string) error {
	block := textBlock(text)
	id, err := s.journal.append(ctx, record{kind: "user", id: id, message: userMessage(block)})
	if err != nil {
		return err
	}
	s.convo.said[id] = true
	s.convo.addText(block)
	return nil
}

// answer gives a call its result, on disk first.
func (s *session) answer(ctx context.Context, k call, r harness.Result, denied, stops bool) error {
	block := resultBlock(k.id, r)
	rec := record{kind: "user", message: userMessage(block)}
	if denied {
		rec.extra = append(rec.extra, member{"toolDenialKind", json.RawMessage(`"permission-rule"`)})
	}
	if stops {
		rec.extra = append(rec.extra, member{"flowerStops", json.RawMessage("true")})
	}
	if seen := s.tools.files.news(); seen != nil {
		rec.extra = append(rec.extra, member{"flowerSeen", seen})
	}
	if n := s.tools.shells.news(); n > 0 {
		rec.extra = append(rec.extra, member{"flowerShells", json.RawMessage(strconv.Itoa(n))})
	}
	if _, err := s.journal.append(ctx, rec); err != nil {
		return err
	}
	s.convo.addResult(k.id, block, stops)
	return nil
}

// Close ends the session's work, commands in the background included, and waits
// for it; see harness.Session.
func (s *session) Close() error {
	err := s.Turns.Close()
	return errors.Join(err, s.tools.shells.close())
}

// broken is the fault of a failure that is ours.
func (s *session) broken(err error) *harness.Fault {
	return &harness.Fault{Class: harness.Broken, Message: s.h.faults.Clean(err.Error())}
}

func interrupted(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), harness.ErrInterrupted)
}
