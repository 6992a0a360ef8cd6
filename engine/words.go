package engine

import (
	"context"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// concerns reports whether the person's words are for a session while it is at
// work: those for one worker go to that worker, the others to the clarifier and
// the coordinator. A judge is never steered; the goal and its prompt have them.
func (j job) concerns(words gitstate.Doc) bool {
	switch j.role {
	case Worker:
		return words.Meta.Worker == j.worker
	case Clarifier, Coordinator:
		return words.Meta.Worker == ""
	}
	return false
}

// hear queues words for the session's next request. They are records already:
// a session that has just ended hears them with its next prompt.
func (t *talk) hear(ctx context.Context, fresh []gitstate.Doc) {
	if t.writing.Load() {
		return // they are records, which whoever takes over is told
	}
	heard := false
	for _, d := range fresh {
		if !t.job.concerns(d) {
			continue
		}
		text, err := prompt("added", map[string]any{"Amendments": []gitstate.Doc{d}})
		if err == nil {
			err = t.s.Send(ctx, harness.Message{ID: messageID(t.job.session, d.Name()), Text: text})
		}
		ev := t.event(EventAmendment)
		ev.ID, ev.Text, ev.State = d.Name(), line(d.Body, 200), "taken"
		if err != nil {
			ev.State = "not taken: " + err.Error()
		}
		t.e.emit(ev)
		heard = true
	}
	if heard && t.words != nil {
		t.words()
	}
}

// attend has words told to f until the returned function is called.
func (e *ears) attend(f func([]gitstate.Doc)) (stop func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	seat := &f
	e.audience = append(e.audience, seat)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		for i, s := range e.audience {
			if s == seat {
				e.audience = append(e.audience[:i:i], e.audience[i+1:]...)
				return
			}
		}
	}
}

// spread tells words to everybody who attends.
func (e *ears) spread(fresh []gitstate.Doc) {
	e.mu.Lock()
	audience := e.audience
	e.mu.Unlock()
	for _, f := range audience {
		(*f)(fresh)
	}
}
