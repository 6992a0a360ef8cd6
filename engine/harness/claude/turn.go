package claude

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"git-flower/engine/harness"
)

// A turn is a session's state from the first word to Ended.
type turn struct {
	*session
	ctx  context.Context // ends with the turn
	quit context.CancelCauseFunc
	out  *harness.Turn

	until context.Context // for how long results are waited for

	words words

	text     string            // prose of the newest answer
	answerID string            // its message id
	names    map[string]string // of tools, by call
	stopped  bool              // a custom tool asked for the end; guarded by session.mu
	stopIDs  map[string]bool
	refused  bool // the model declined

	silence *time.Timer
}

var (
	errAborted = errors.New("a tool aborted the turn")
	errSilent  = errors.New("the CLI has gone silent")
)

// play performs one turn; see harness.NewTurns.
func (s *session) play(ctx context.Context, out *harness.Turn) harness.Ended {
	t := &turn{session: s, out: out, words: words{waiting: map[string]harness.Message{}}, names: map[string]string{}, stopIDs: map[string]bool{}}
	t.ctx, t.quit = context.WithCancelCause(ctx)
	t.until = t.ctx
	defer t.quit(nil)
	s.mu.Lock()
	s.current = t
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.current = nil
		s.mu.Unlock()
	}()
	ended := t.play()
	if s.purse != nil {
		s.purse.close(ctx)
	}
	s.ended = nil
	if ended.Stop == harness.StopDone || ended.Stop == harness.StopTool && !t.aborted() {
		s.ended = &ended
	}
	return ended
}

func (t *turn) play() harness.Ended {
	if s := t.session; s.pass != nil {
		s.pass.Begin()
	}
	if t.outdated() {
		if err := t.abandon(); err != nil {
			return t.broken(err)
		}
	}
	if ended := t.reopen(); ended != nil {
		return *ended
	}
	told, err := t.begin()
	switch {
	case err != nil:
		return t.broken(err)
	case !told && t.session.ended != nil:
		return *t.session.ended
	case !told:
		return fault(&harness.Fault{Class: harness.Invalid, Message: "nothing was said yet, so there is nothing to carry on"})
	}
	return t.follow()
}

// follow takes what the CLI says until the turn has ended.
func (t *turn) follow() harness.Ended {
	t.silence = time.AfterFunc(t.h.c.Silence, t.hush)
	defer t.silence.Stop()
	for {
		for l, ok := t.conn.next(); ok; l, ok = t.conn.next() {
			t.silence.Reset(t.h.c.Silence)
			if ended := t.take(l); ended != nil {
				return *ended
			}
		}
		select {
		case <-t.conn.news:
		case r := <-t.responded:
			t.out.Emit(r)
		case <-t.conn.over:
			if t.conn.pending() {
				continue
			}
			return t.broken(fmt.Errorf("the CLI ended in the middle of a turn: %s", t.conn.why()))
		case <-t.ctx.Done():
			return t.leave()
		}
	}
}

// hush ends a turn in which nothing happens any more. A request or a call under
// way is something that happens.
func (t *turn) hush() {
	if t.conn.busy() || t.pass != nil && t.pass.Busy() {
		t.silence.Reset(t.h.c.Silence)
		return
	}
	t.quit(errSilent)
}

// take does what a line asks for. Nil: the turn goes on.
func (t *turn) take(l line) *harness.Ended {
	switch {
	case l.Type == "assistant" && l.Parent == nil && !l.APIError:
		t.assistant(l)
	case l.Type == "user" && l.Parent == nil:
		return t.user(l)
	case l.Type == "command_lifecycle":
		if l.State != "queued" {
			t.words.taken(l.Command)
		}
	case l.Type == "system" && l.Subtype == "compact_boundary":
		t.out.Emit(harness.Compacted{Before: l.Compact.Before, After: l.Compact.After})
	case l.Type == "system" && l.Subtype == "model_refusal_no_fallback":
		t.refused = true
	case l.Type == "result":
		return t.result(l)
	case known(l.Type):
	default:
		t.out.Emit(harness.Raw{Data: l.raw})
	}
	return nil
}

// known says of a type that it means nothing to us.
func known(kind string) bool {
	return slices.Contains([]string{"assistant", "user", "system", "stream_event", "tool_progress", "rate_limit_event", "attachment", "conversation_reset"}, kind)
}

// assistant tells a block of an answer. With a proxy an answer is whole when
// its first block comes.
func (t *turn) assistant(l line) {
	if l.Message.ID != t.answerID {
		t.answerID, t.text = l.Message.ID, ""
	}
	t.heardAnswers()
	for _, b := range l.Message.Content {
		switch b.Type {
		case "text":
			t.text += b.Text
			if b.Text != "" {
				t.out.Emit(harness.Text{Text: b.Text})
			}
		case "thinking":
			t.out.Emit(harness.Thinking{Text: b.Thinking})
		case "tool_use":
			name := ourName(b.Name)
			t.names[b.ID] = name
			t.out.Emit(harness.ToolCall{ID: b.ID, Tool: name, Input: b.Input})
		}
	}
}

// user tells results, once they are on disk.
func (t *turn) user(l line) *harness.Ended {
	for _, b := range l.Message.Content {
		if b.Type != "tool_result" {
			continue
		}
		if err := t.keeper.await(t.until, resultKey(b.ToolUseID)); err != nil {
			if t.until.Err() != nil {
				return nil // whoever follows sees it
			}
			ended := t.broken(err)
			return &ended
		}
		r := harness.ToolResult{ID: b.ToolUseID, Tool: t.names[b.ToolUseID],
			Result: harness.Result{Text: b.Content.text(), IsError: b.IsError}}
		for _, m := range l.Meta {
			r.Denied = r.Denied || m.ID == b.ToolUseID && m.Kind == "permission-rule"
		}
		t.out.Emit(r)
	}
	return nil
}

// heardAnswers tells of the answers that the proxy has passed on.
func (t *turn) heardAnswers() {
	for {
		select {
		case r := <-t.responded:
			t.out.Emit(r)
		default:
			return
		}
	}
}

// heardAnswer is told by the proxy of each answer.
func (s *session) heardAnswer(r harness.Responded, main bool) {
	if !main {
		return
	}
	select {
	case s.responded <- r:
	default: // nobody pulls; the purse has counted it
	}
}

// newUUID is a random UUID of version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
