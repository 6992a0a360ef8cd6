package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"git-flower/gitstate"
)

// ears are what an engine needs to take note, while it works, of what others
// add to its run.
type ears struct {
	// recording is held while the history is read anew or added to, so that
	// nothing comes between looking and recording.
	recording sync.Mutex

	mu      sync.Mutex
	changed chan struct{}   // closed and replaced when others have added something
	known   map[string]bool // amendments that were told
	nudge   chan struct{}   // the history was read anew
	sync    chan chan struct{}
	turn    chan struct{} // held by the question that is on the screen

	audience []*func([]gitstate.Doc) // sessions at work
}

func newEars(h gitstate.History) *ears {
	e := &ears{
		changed: make(chan struct{}), known: map[string]bool{}, nudge: make(chan struct{}, 1),
		sync: make(chan chan struct{}), turn: make(chan struct{}, 1),
	}
	e.news(h)
	return e
}

// news returns the amendments that are new since the last call and wakes
// whoever waits for a change.
func (e *ears) news(h gitstate.History) []gitstate.Doc {
	e.mu.Lock()
	defer e.mu.Unlock()
	var fresh []gitstate.Doc
	for _, d := range h.Of(gitstate.KindAmendment) {
		if !e.known[d.Name()] {
			e.known[d.Name()] = true
			fresh = append(fresh, d)
		}
	}
	close(e.changed)
	e.changed = make(chan struct{})
	return fresh
}

// reread has the listener see what is new in a history that was read anew.
func (e *ears) reread() {
	select {
	case e.nudge <- struct{}{}:
	default:
	}
}

// change is closed at the next change that others make.
func (e *ears) change() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// refresh reads the history and the journal anew and returns the amendments that
// are new since the last call, also with an error.
func (e *Engine) refresh(ctx context.Context) ([]gitstate.Doc, error) {
	e.ears.recording.Lock()
	err := e.deps.State.Reload(ctx)
	e.ears.recording.Unlock()
	if err != nil {
		return nil, fmt.Errorf("read the run anew: %w", err)
	}
	err = e.books.Look(e.deps.Journal)
	return e.news(), err
}

// news takes note of what others have added to the history: their words, which
// it returns, and what they have spent.
func (e *Engine) news() []gitstate.Doc {
	h := e.deps.State.History()
	e.purse.Elsewhere(e.books.Others(h.Ledger))
	return e.ears.news(h)
}

// listen takes note of knocks and of words from the terminal until stop is
// called. It alone tells of amendments, so that each is told once. Side questions
// are answered beside it; stop waits for the answers that have been begun, unless
// ctx has ended.
func (e *Engine) listen(ctx context.Context) (stop func()) {
	run := ctx
	ctx, cancel := context.WithCancel(ctx)
	var done, asides sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case a := <-e.deps.Asides:
				asides.Go(func() { _, _ = e.Aside(run, a) }) // its events tell how it went
			case <-e.deps.Wakes:
				e.hear(ctx)
			case words := <-e.deps.Words:
				e.note(ctx, words)
			case <-e.ears.nudge:
				e.tell(e.news())
			case answered := <-e.ears.sync:
				e.drain(ctx)
				close(answered)
			}
		}
	})
	return func() { cancel(); done.Wait(); asides.Wait() }
}

// catchUp returns when everything that has arrived is in the history.
func (e *Engine) catchUp(ctx context.Context) {
	done := make(chan struct{})
	select {
	case e.ears.sync <- done:
		<-done
	case <-ctx.Done():
	}
}

func (e *Engine) drain(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-e.deps.Wakes:
			e.hear(ctx)
		case words := <-e.deps.Words:
			e.note(ctx, words)
		default:
			return
		}
	}
}

// hear follows a knock.
func (e *Engine) hear(ctx context.Context) {
	fresh, err := e.refresh(ctx)
	if err != nil && ctx.Err() == nil {
		e.emit(Event{Kind: EventNotice, Text: err.Error()})
	}
	e.tell(fresh)
}

// note records words from the terminal.
func (e *Engine) note(ctx context.Context, words string) {
	if _, err := e.record(ctx, Amendment(words, e.deps.Clock.Now())); err != nil {
		e.emit(Event{Kind: EventNotice, Text: fmt.Sprintf("your words '%s' are not recorded: %v", line(words, 200), err)})
		return
	}
	e.tell(e.news())
}

// tell shows amendments and hands them on.
func (e *Engine) tell(fresh []gitstate.Doc) {
	for _, d := range fresh {
		e.emit(Event{Kind: EventAmendment, ID: d.Name(), Worker: d.Meta.Worker, Text: d.Body, State: "queued"})
	}
	if len(fresh) > 0 {
		e.ears.spread(fresh)
	}
	for _, d := range fresh {
		if worker := d.Meta.Worker; worker != "" && !isAtWork(e.deps.State.History(), worker) {
			e.emit(Event{Kind: EventAmendment, ID: d.Name(), Worker: worker, Text: d.Body, State: "not taken: " + worker + " has reported"})
		}
	}
}

func isAtWork(h gitstate.History, worker string) bool {
	return slices.ContainsFunc(AtWork(h), func(d gitstate.Doc) bool { return d.Meta.Worker == worker })
}
