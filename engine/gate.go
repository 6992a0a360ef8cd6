package engine

import (
	"context"
	"fmt"

	"git-flower/engine/harness"
	"git-flower/engine/spending"
	"git-flower/gitstate"
)

// gate is the purse as one session sees it.
type gate struct {
	e       *Engine
	row     *gitstate.LedgerRow
	ceiling gitstate.MicroUSD // of this session alone; zero: none
	talk    *talk             // whose requests these are; may be nil
}

// Admit implements harness.Gate. As long as what was spent cannot be written
// down, nothing more is.
func (g gate) Admit(_ context.Context, r harness.Request) (err error) {
	if g.talk != nil {
		if err := g.talk.asks(r); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				g.talk.answered(r, harness.Usage{})
			}
		}()
	}
	if err := g.e.books.Flush(g.e.deps.Journal); err != nil {
		return err
	}
	if may := g.e.books.Cost(g.row) + g.e.purse.Worst(r); g.ceiling > 0 && may > g.ceiling {
		return fmt.Errorf("%w: with the next request it may have cost %s USD, and %s is its limit", harness.ErrBudget, spending.Dollars(may), spending.Dollars(g.ceiling))
	}
	return g.e.purse.Admit(r, g.closes(r))
}

// Settle implements harness.Gate: the cost is in the journal before the next
// request can leave, so that a crash does not forget it.
func (g gate) Settle(_ context.Context, r harness.Request, u harness.Usage) {
	if g.talk != nil {
		g.talk.answered(r, u)
	}
	cost, passed := g.e.purse.Settle(r, u)
	g.e.books.Add(g.row, u, cost)
	if err := g.e.books.Write(g.e.deps.Journal, g.row); err != nil {
		g.e.emit(Event{Kind: EventNotice, Text: err.Error()})
	}
	if passed > 0 {
		g.e.emit(Event{Kind: EventBudget, Text: fmt.Sprintf("%d %% of the budget of %s USD is spent", passed, spending.Dollars(g.e.c.Budget))})
	}
}

// closes: the judge may use the reserve, so that a round that was worked can still be
// judged, and so may whoever hands over.
func (g gate) closes(r harness.Request) bool {
	return r.Role == string(Judge) || g.talk != nil && g.talk.writing.Load()
}
