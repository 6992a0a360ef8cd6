package spending

import (
	"fmt"
	"sync"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// A Price tells what a response of a model costs, in millionths of a US
// dollar; false when the model's price is not known.
type Price func(model string, u harness.Usage) (gitstate.MicroUSD, bool)

// A Purse is the one budget of a run: every request of every session is
// admitted by it, and what was spent stays spent over wakes and machines.
type Purse struct {
	mu       sync.Mutex
	price    Price
	cap      gitstate.MicroUSD // zero: no limit
	reserve  gitstate.MicroUSD // kept back from work for the closing documents
	spent    gitstate.MicroUSD // by this wake
	others   gitstate.MicroUSD // by other wakes, and by asides of other processes
	reserved gitstate.MicroUSD
	warned   int // per cent already told
}

// NewPurse returns a purse with so much in it (zero: no limit), of which a reserve is
// kept back.
func NewPurse(price Price, budget, reserve gitstate.MicroUSD) *Purse {
	return &Purse{price: price, cap: budget, reserve: reserve}
}

// Worst is the most a request can cost: nothing read from the cache, the
// answer as long as allowed.
func (p *Purse) Worst(r harness.Request) gitstate.MicroUSD {
	u := harness.Usage{Write5m: r.Input, Output: r.MaxOutput}
	if r.Hour {
		u.Write5m, u.Write1h = 0, r.Input
	}
	cost, _ := p.price(r.Model, u)
	return cost
}

// Admit reserves a request's worst cost, or says that the budget does not hold it.
// closing says that the answer is a closing document: a verdict on a round that was
// worked, a handoff.
func (p *Purse) Admit(r harness.Request, closing bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cost := p.Worst(r)
	if limit := p.limit(closing); p.cap > 0 && p.others+p.spent+p.reserved+cost > limit {
		return fmt.Errorf("%w: %s of %s USD spent, the next request may cost %s",
			harness.ErrBudget, Dollars(p.others+p.spent), Dollars(p.cap), Dollars(cost))
	}
	p.reserved += cost
	return nil
}

// Affords says that nothing is left that work could spend.
func (p *Purse) Affords() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total := p.others + p.spent; p.cap > 0 && total+p.reserved >= p.cap-p.reserve {
		return fmt.Errorf("%w: %s of %s USD spent", harness.ErrBudget, Dollars(total), Dollars(p.cap))
	}
	return nil
}

// limit: closing documents may use the reserve.
func (p *Purse) limit(closing bool) gitstate.MicroUSD {
	if closing {
		return p.cap
	}
	return p.cap - p.reserve
}

// Settle books what a request really cost and returns it with the per cent of
// the budget that was newly passed, 50 or 80, else 0.
func (p *Purse) Settle(r harness.Request, u harness.Usage) (cost gitstate.MicroUSD, passed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved -= p.Worst(r)
	cost, _ = p.price(r.Model, u)
	p.spent += cost
	for _, mark := range []int{50, 80} {
		if p.cap > 0 && p.warned < mark && (p.others+p.spent)*100 >= p.cap*gitstate.MicroUSD(mark) {
			p.warned, passed = mark, mark
		}
	}
	return cost, passed
}

// Total is what was spent, by all.
func (p *Purse) Total() gitstate.MicroUSD {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.others + p.spent
}

// Elsewhere notes what others have spent in all.
func (p *Purse) Elsewhere(sum gitstate.MicroUSD) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.others = sum
}

// Dollars prints money without its unit.
func Dollars(m gitstate.MicroUSD) string { return fmt.Sprintf("%.2f", float64(m)/1e6) }
