package engine

import (
	"context"

	"git-flower/gitstate"
)

// ahead has a tree prepared for each worker that may be at work at once, while
// the run clarifies and sets its goal, so that none need wait for files. It
// returns a function that ends the preparation and waits for it. A tree that
// cannot be prepared now is made when it is needed, and then the failure is told.
func (e *Engine) ahead(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		h := e.deps.State.History()
		if _, working := h.Last(func(d gitstate.Doc) bool { return d.Meta.Worker != "" }); working {
			return
		}
		if err := e.deps.Trees.Prepare(ctx, string(joined(h)), max(1, e.c.Jobs)); err != nil && ctx.Err() == nil {
			e.emit(Event{Kind: EventNotice, Text: err.Error()})
		}
	}()
	return func() { cancel(); <-done }
}
