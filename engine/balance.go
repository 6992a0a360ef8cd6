package engine

import (
	"context"
	"fmt"

	"git-flower/gitstate"
)

// balance records why a wake stops when something was spent that no record
// holds: the journal stays on this machine, and what a run has cost must be
// known wherever it goes on. The run stands as it did before.
func (e *Engine) balance(ctx context.Context, why error) {
	_, _, err := e.recordOn(ctx, func(h gitstate.History) (gitstate.Record, bool) {
		return gitstate.Record{
			Kind: gitstate.KindNotice, Subject: line("stopped: "+why.Error(), 60), Body: line(why.Error(), 1000), Meta: standingOf(h),
		}, e.books.Owes(h.Ledger)
	})
	if err != nil {
		e.emit(Event{Kind: EventNotice, Text: fmt.Sprintf("what was spent since the last record is known on this machine only: %v", err)})
	}
}
