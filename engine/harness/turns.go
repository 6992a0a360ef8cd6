package harness

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
)

// Turns is the part of a Session that every harness with a loop of its own
// shares: the queue of what was said, one turn at a time, interruption, and the
// end. The loop is a plain function that runs while Next is being called and
// rests while nobody pulls, so there is no goroutine that could be left behind.
type Turns struct {
	play func(context.Context, *Turn) Ended

	pulling sync.Mutex // held by Next, and by Close once Next is out

	mu      sync.Mutex
	queue   []Message
	begun   bool // Send asked for a turn that Next has not begun
	turn    *Turn
	closed  bool
	wake    chan struct{} // holds one token when Send or Close has news
	aborted bool          // Interrupt came between Send and Next
}

// A Turn is what the loop sees of the turn it plays.
type Turn struct {
	of     *Turns
	next   func() (Event, bool)
	stop   func()
	yield  func(Event) bool
	cancel context.CancelCauseFunc
	ended  *Ended
}

// ErrInterrupted is the cause of a turn's context when Interrupt was called.
// With any other cause the turn is left as it is, to be carried on later.
var ErrInterrupted = errors.New("interrupted")

// errLeft is the cause when Next's context ended or the session was closed.
var errLeft = errors.New("turn left")

// NewTurns makes a session of a loop. play performs one turn: it takes what was
// said with Turn.Heard, tells what it does with Turn.Emit, and returns how the
// turn ended. It must return soon after its context ends; when the cause is not
// ErrInterrupted, what it returns is not delivered.
func NewTurns(play func(context.Context, *Turn) Ended) *Turns {
	return &Turns{play: play, wake: make(chan struct{}, 1)}
}

// Send queues words and begins a turn when none runs; see Session.
func (s *Turns) Send(ctx context.Context, m Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.ErrClosedPipe
	}
	if m.Text != "" {
		s.queue = append(s.queue, m)
	}
	if s.turn == nil {
		s.begun = true
		s.nudge()
	}
	return nil
}

// nudge wakes a Next that waits; the caller holds mu.
func (s *Turns) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Next plays on until there is an event; see Session. When ctx ends first, the
// turn is left as it is, Next returns ctx's error, and Send carries it on.
func (s *Turns) Next(ctx context.Context) (Event, error) {
	s.pulling.Lock()
	defer s.pulling.Unlock()
	t, err := s.running(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { t.cancel(errLeft) })
	e, ok := t.next()
	stop()
	if !ok {
		return s.finish(ctx, t)
	}
	if s.isClosed() {
		return nil, io.EOF
	}
	return e, nil
}

func (s *Turns) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// running is the turn that runs, begun now if Send asked for one, waited for
// if not.
func (s *Turns) running(ctx context.Context) (*Turn, error) {
	for {
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, io.EOF
		case s.turn != nil:
			defer s.mu.Unlock()
			return s.turn, nil
		case ctx.Err() != nil:
			s.mu.Unlock()
			return nil, ctx.Err()
		case s.begun:
			defer s.mu.Unlock()
			return s.begin(ctx), nil
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin starts a turn; the caller holds mu.
func (s *Turns) begin(ctx context.Context) *Turn {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t := &Turn{of: s, cancel: cancel}
	t.next, t.stop = iter.Pull(func(yield func(Event) bool) {
		t.yield = yield
		ended := s.play(ctx, t)
		if errors.Is(context.Cause(ctx), ErrInterrupted) && ended.Stop != StopDone {
			ended = Ended{Stop: StopInterrupted, Text: ended.Text}
		}
		t.ended = &ended
	})
	if s.aborted {
		cancel(ErrInterrupted)
	}
	s.begun, s.aborted, s.turn = false, false, t
	return t
}

// finish closes a turn that has no more events. Words that came while its last
// answer was on its way begin the next turn.
func (s *Turns) finish(ctx context.Context, t *Turn) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.cancel(nil)
	s.turn = nil
	if s.closed {
		return nil, io.EOF
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.ended.Stop == StopDone && len(s.queue) > 0 {
		s.begun = true
	}
	return *t.ended, nil
}

// Interrupt ends the running turn at once; see Session. Between turns it does
// nothing. What was queued stays queued.
func (s *Turns) Interrupt(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.turn != nil:
		s.turn.cancel(ErrInterrupted)
	case s.begun:
		s.aborted = true
	}
	return nil
}

// Close ends the session and waits until its turn is out; see Session.
func (s *Turns) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.turn != nil {
		s.turn.cancel(errLeft)
	}
	s.nudge()
	s.mu.Unlock()

	s.pulling.Lock()
	defer s.pulling.Unlock()
	s.mu.Lock()
	t := s.turn
	s.turn = nil
	s.mu.Unlock()
	if t != nil {
		t.stop()
	}
	return nil
}

// Emit hands an event to whoever calls Next, and returns when the next one is
// wanted. It must be called from the loop's own goroutine. After the session
// was closed, events go nowhere.
func (t *Turn) Emit(e Event) { t.yield(e) }

// Heard takes what was said and not yet taken, oldest first.
func (t *Turn) Heard() []Message {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	q := t.of.queue
	t.of.queue = nil
	return q
}
