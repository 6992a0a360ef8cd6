package engine

import (
	"context"
	"errors"
	"fmt"

	"git-flower/gitstate"
)

// record appends what happened. What happened stays true when somebody else
// was faster, so a lost race is retried on the new tip; the next decision is
// taken on the history as it then stands.
func (e *Engine) record(ctx context.Context, r gitstate.Record) (gitstate.Entry, error) {
	entry, _, err := e.recordUnless(ctx, r, func(gitstate.History) bool { return false })
	return entry, err
}

// recordUnless appends a record unless the history that it would be added to
// says otherwise.
func (e *Engine) recordUnless(ctx context.Context, r gitstate.Record, unless func(gitstate.History) bool) (gitstate.Entry, bool, error) {
	return e.recordOn(ctx, func(h gitstate.History) (gitstate.Record, bool) { return r, !unless(h) })
}

// recordOn appends a record that is made for the history it is added to; made
// is false when there is none for it.
func (e *Engine) recordOn(ctx context.Context, work func(gitstate.History) (r gitstate.Record, made bool)) (gitstate.Entry, bool, error) {
	e.ears.recording.Lock()
	defer e.ears.recording.Unlock()
	for {
		h := e.deps.State.History()
		r, made := work(h)
		if !made {
			return gitstate.Entry{}, false, nil
		}
		files, changes, err := e.books.Files(h.Ledger)
		if err != nil {
			return gitstate.Entry{}, false, err
		}
		load := e.bench.Load()
		r.Files, r.Meta.Wake = load.With(files), e.c.Wake
		entry, err := e.deps.State.Append(ctx, r)
		if errors.Is(err, gitstate.ErrConflict) {
			if again := e.deps.State.Reload(ctx); again != nil {
				err = again
			} else if e.deps.State.History().Tip != h.Tip {
				e.ears.reread()
				continue
			} // else it is another ref that stands elsewhere, and trying again would not help
		}
		if err != nil {
			return entry, false, fmt.Errorf("record '%s: %s': %w", r.Kind, r.Subject, err)
		}
		e.books.Recorded(changes)
		for _, words := range e.bench.Recorded(load) {
			e.emit(Event{Kind: EventNotice, Text: words})
		}
		e.purse.Elsewhere(e.books.Others(e.deps.State.History().Ledger))
		e.emit(Event{
			Kind: EventRecord, Record: string(r.Kind), Step: r.Meta.Step, Label: r.Meta.Label, Round: r.Meta.Round,
			Worker: r.Meta.Worker, Text: r.Subject, State: r.Meta.State, ID: string(entry.Commit),
		})
		return entry, true, nil
	}
}

// notice records something a person should know.
func (e *Engine) notice(ctx context.Context, step, subject, body string) error {
	_, err := e.record(ctx, gitstate.Record{
		Kind: gitstate.KindNotice, Subject: subject, Body: body, Meta: gitstate.Meta{Step: step},
	})
	return err
}
