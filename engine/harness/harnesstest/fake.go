package harnesstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"git-flower/engine/harness"
	"git-flower/guards"
)

// A Fake is a harness whose sessions are played by a Go function. What a
// session knows outlives its Session, so that a test can close everything,
// build a second engine on the same Fake, and resume.
type Fake struct {
	Label string // what Name says; empty means "fake"
	// Play performs one turn. Nil answers every message with an empty reply.
	Play func(*FakeTurn) harness.Ended
	// Builtin is what Tools says; empty means those of messages.
	Builtin []string

	mu       sync.Mutex
	memories map[string]*memory
	calls    int
}

// memory is what a transcript would hold of a session.
type memory struct {
	said  map[string]bool
	turns int
	open  []harness.ToolCall // custom calls that were begun and have no result
	last  *harness.Ended     // of the newest turn, nil while it is broken off
}

// A FakeTurn is what Play works with.
type FakeTurn struct {
	Context context.Context
	Options harness.Options
	N       int               // turns this session began, this one included; a carried-on turn keeps its number
	Said    []harness.Message // what began the turn
	Carried bool              // the turn was broken off before and is played again
	// Answered holds the results of calls that were open when the turn was
	// carried on; they were called again under the same id before Play.
	Answered []harness.ToolResult

	fake    *Fake
	memory  *memory
	turn    *harness.Turn
	stopped bool
	aborted bool
}

// Name returns the Label.
func (f *Fake) Name() string {
	if f.Label == "" {
		return "fake"
	}
	return f.Label
}

// Tools returns Builtin.
func (f *Fake) Tools() []string {
	if len(f.Builtin) == 0 {
		return []string{"Read", "Write", "Edit", "Bash", "BashOutput", "KillShell", "Glob", "Grep", "WebFetch", "TodoWrite", "Skill"}
	}
	return f.Builtin
}

// Start opens a session. Resuming one that this Fake never started is
// harness.ErrNoSession.
func (f *Fake) Start(ctx context.Context, o harness.Options) (harness.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.memories == nil {
		f.memories = map[string]*memory{}
	}
	m := f.memories[o.Session]
	switch {
	case o.Resume && m == nil:
		return nil, fmt.Errorf("resume '%s': %w", o.Session, harness.ErrNoSession)
	case !o.Resume:
		m = &memory{said: map[string]bool{}}
		f.memories[o.Session] = m
	}
	return harness.NewTurns(func(ctx context.Context, t *harness.Turn) harness.Ended {
		return f.play(ctx, o, m, t)
	}), nil
}

// Forget drops what the Fake knows of a session, as deleting the transcript would.
func (f *Fake) Forget(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.memories, session)
}

func (f *Fake) play(ctx context.Context, o harness.Options, m *memory, t *harness.Turn) harness.Ended {
	ft := &FakeTurn{Context: ctx, Options: o, fake: f, memory: m, turn: t}
	ft.Said = ft.Heard()
	if len(ft.Said) == 0 && m.last != nil && m.last.Stop == harness.StopDone {
		return *m.last
	}
	broken := m.turns > 0 && (m.last == nil || m.last.Stop == harness.StopFault)
	ft.Carried = broken || m.turns > 0 && len(ft.Said) == 0
	if !ft.Carried {
		m.turns++
	}
	ft.N, m.last = m.turns, nil
	for _, c := range m.open {
		ft.Answered = append(ft.Answered, harness.ToolResult{ID: c.ID, Tool: c.Tool, Result: ft.perform(c)})
	}
	ended := harness.Ended{Stop: harness.StopDone}
	if f.Play != nil && !ft.stopped && !ft.aborted && ctx.Err() == nil {
		ended = f.Play(ft)
	}
	return ft.end(ended)
}

// end settles how the turn is remembered.
func (t *FakeTurn) end(e harness.Ended) harness.Ended {
	if t.Context.Err() != nil {
		if errors.Is(context.Cause(t.Context), harness.ErrInterrupted) {
			t.memory.open = nil
		}
		return harness.Ended{Text: e.Text}
	}
	if t.stopped && e.Stop == harness.StopDone {
		e.Stop = harness.StopTool
	}
	if t.aborted {
		return harness.Ended{Stop: harness.StopTool} // the turn stays broken off
	}
	t.memory.last = &e
	return e
}

// Heard takes what was said since the turn began; what the session was told
// before under the same id is left out.
func (t *FakeTurn) Heard() []harness.Message {
	var fresh []harness.Message
	for _, m := range t.turn.Heard() {
		if m.ID != "" && t.memory.said[m.ID] {
			continue
		}
		t.memory.said[m.ID] = true
		fresh = append(fresh, m)
	}
	return fresh
}

// Say emits prose.
func (t *FakeTurn) Say(text string) { t.turn.Emit(harness.Text{Text: text}) }

// Emit emits any event.
func (t *FakeTurn) Emit(e harness.Event) { t.turn.Emit(e) }

// Done ends the turn with a text, which it says first.
func (t *FakeTurn) Done(text string) harness.Ended {
	t.Say(text)
	return harness.Ended{Stop: harness.StopDone, Text: text}
}

// Request pays for one request to the model: the gate admits and settles it,
// and a Responded event follows. The error is the gate's.
func (t *FakeTurn) Request(u harness.Usage) error {
	o := t.Options
	r := harness.Request{Session: o.Session, Role: o.Role, Agent: o.Agent, Model: o.Model, Input: u.Context(), MaxOutput: u.Output}
	if o.Gate != nil {
		if err := o.Gate.Admit(t.Context, r); err != nil {
			return err
		}
		o.Gate.Settle(context.WithoutCancel(t.Context), r, u)
	}
	t.turn.Emit(harness.Responded{Model: o.Model, Usage: u})
	return nil
}

// Call calls a tool under an id of its own: the guards are asked, a custom tool
// is performed, a built-in one says that it did nothing. input is a
// json.RawMessage or anything that json.Marshal takes. After a tool that wrapped
// harness.ErrStop or harness.ErrAbort, Play should return.
func (t *FakeTurn) Call(tool string, input any) harness.Result {
	t.fake.mu.Lock()
	t.fake.calls++
	id := fmt.Sprintf("toolu_fake_%d", t.fake.calls)
	t.fake.mu.Unlock()
	raw, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("harnesstest: input of '%s': %v", tool, err))
	}
	c := harness.ToolCall{ID: id, Tool: tool, Input: raw}
	t.memory.open = append(t.memory.open, c)
	return t.perform(c)
}

// perform makes one call and, unless the session was left in the middle of it,
// closes it.
func (t *FakeTurn) perform(c harness.ToolCall) harness.Result {
	t.turn.Emit(c)
	r, denied := t.answer(c)
	if t.aborted || t.Context.Err() != nil && r.IsError {
		return r
	}
	for i, o := range t.memory.open {
		if o.ID == c.ID {
			t.memory.open = append(t.memory.open[:i:i], t.memory.open[i+1:]...)
			break
		}
	}
	t.turn.Emit(harness.ToolResult{ID: c.ID, Tool: c.Tool, Denied: denied, Result: r})
	return r
}

func (t *FakeTurn) answer(c harness.ToolCall) (r harness.Result, denied bool) {
	o := t.Options
	call := guards.Call{Role: o.Role, Agent: o.Agent, Tool: c.Tool, Dir: o.Dir, Input: c.Input}
	if o.Authorize == nil {
		return harness.Result{Text: "nobody allows anything here", IsError: true}, true
	}
	d := o.Authorize(t.Context, call)
	if !d.Allow {
		return harness.Result{Text: d.Reason, IsError: true}, true
	}
	if d.Input != nil {
		call.Input = d.Input
	}
	r = t.run(c.ID, call)
	if o.Observe != nil {
		r = o.Observe(t.Context, call, r)
	}
	return r, false
}

func (t *FakeTurn) run(id string, call guards.Call) harness.Result {
	for _, tool := range t.Options.Custom {
		if tool.Name != call.Tool {
			continue
		}
		r, err := tool.Call(t.Context, id, call.Input)
		switch {
		case errors.Is(err, harness.ErrStop):
			t.stopped = true
		case errors.Is(err, harness.ErrAbort):
			t.aborted, t.stopped = true, true
			return harness.Result{IsError: true}
		case err != nil:
			return harness.Result{Text: err.Error(), IsError: true}
		}
		return r
	}
	return harness.Result{Text: "done"}
}
