package engine

import (
	"context"
	"fmt"
	"sync"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// A Price tells what a response of a model costs, in millionths of a US
// dollar; false when the model's price is not known.
type Price func(model string, u harness.Usage) (gitstate.MicroUSD, bool)

// A purse is the one budget of a run: every request of every session is
// admitted by it, and what was spent stays spent over wakes and machines.
type purse struct {
	mu       sync.Mutex
	price    Price
	cap      gitstate.MicroUSD // zero: no limit
	reserve  gitstate.MicroUSD // kept back from work for the closing documents
	spent    gitstate.MicroUSD // by this wake
	others   gitstate.MicroUSD // by other wakes, and by asides of other processes
	reserved gitstate.MicroUSD
	warned   int // per cent already told
}

// worst is the most a request can cost: nothing read from the cache, the
// answer as long as allowed.
func (p *purse) worst(r harness.Request) gitstate.MicroUSD {
	cost, _ := p.price(r.Model, harness.Usage{Write5m: r.Input, Output: r.MaxOutput})
	return cost
}

// admit reserves a request's worst cost, or says that the budget does not hold it.
// closing says that the answer is a closing document.
func (p *purse) admit(r harness.Request, closing bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cost := p.worst(r)
	if limit := p.limit(r.Role, closing); p.cap > 0 && p.others+p.spent+p.reserved+cost > limit {
		return fmt.Errorf("%w: %s of %s USD spent, the next request may cost %s",
			harness.ErrBudget, dollars(p.others+p.spent), dollars(p.cap), dollars(cost))
	}
	p.reserved += cost
	return nil
}

// affords says that nothing is left that work could spend.
func (p *purse) affords() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total := p.others + p.spent; p.cap > 0 && total+p.reserved >= p.cap-p.reserve {
		return fmt.Errorf("%w: %s of %s USD spent", harness.ErrBudget, dollars(total), dollars(p.cap))
	}
	return nil
}

// limit: the judge may use the reserve, so that a round that was worked can
// still be judged, and so may whoever hands over.
func (p *purse) limit(role string, closing bool) gitstate.MicroUSD {
	if role == string(Judge) || closing {
		return p.cap
	}
	return p.cap - p.reserve
}

// settle books what a request really cost and returns it with the per cent of
// the budget that was newly passed, 50 or 80, else 0.
func (p *purse) settle(r harness.Request, u harness.Usage) (cost gitstate.MicroUSD, passed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved -= p.worst(r)
	cost, _ = p.price(r.Model, u)
	p.spent += cost
	for _, mark := range []int{50, 80} {
		if p.cap > 0 && p.warned < mark && (p.others+p.spent)*100 >= p.cap*gitstate.MicroUSD(mark) {
			p.warned, passed = mark, mark
		}
	}
	return cost, passed
}

func (p *purse) total() gitstate.MicroUSD {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.others + p.spent
}

// elsewhere notes what others have spent in all.
func (p *purse) elsewhere(sum gitstate.MicroUSD) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.others = sum
}

func dollars(m gitstate.MicroUSD) string { return fmt.Sprintf("%.2f", float64(m)/1e6) }

// gate is the purse as one session sees it.
type gate struct {
	e       *Engine
	row     *gitstate.LedgerRow
	ceiling gitstate.MicroUSD // of this session alone; zero: none
	closing func() bool       // whether it writes its handoff
}

// Admit implements harness.Gate. As long as what was spent cannot be written
// down, nothing more is.
func (g gate) Admit(_ context.Context, r harness.Request) error {
	if err := g.e.books.flush(g.e.deps.Journal); err != nil {
		return err
	}
	if may := g.e.books.cost(g.row) + g.e.purse.worst(r); g.ceiling > 0 && may > g.ceiling {
		return fmt.Errorf("%w: with the next request it may have cost %s USD, and %s is its limit", harness.ErrBudget, dollars(may), dollars(g.ceiling))
	}
	return g.e.purse.admit(r, g.closing != nil && g.closing())
}

// Settle implements harness.Gate: the cost is in the journal before the next
// request can leave, so that a crash does not forget it.
func (g gate) Settle(_ context.Context, r harness.Request, u harness.Usage) {
	cost, passed := g.e.purse.settle(r, u)
	g.e.books.add(g.row, u, cost)
	if err := g.e.books.write(g.e.deps.Journal, g.row); err != nil {
		g.e.emit(Event{Kind: EventNotice, Text: err.Error()})
	}
	if passed > 0 {
		g.e.emit(Event{Kind: EventBudget, Text: fmt.Sprintf("%d %% of the budget of %s USD is spent", passed, dollars(g.e.purse.cap))})
	}
}
