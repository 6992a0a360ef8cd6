package claude

import (
	"context"
	"errors"
	"sync"

	"git-flower/engine/harness"
)

// A purse asks the gate where no proxy stands between the CLI and the API: before
// a turn, and before the first call of an answer, after which the CLI makes its
// next request. What an answer counted is known when it is mirrored. So a request
// that the CLI makes by itself, or makes again, is counted and not asked about.
type purse struct {
	gate harness.Gate
	asks harness.Request // of every request, but for its size
	tell func(harness.Responded)

	mu      sync.Mutex
	open    *harness.Request // admitted, not settled
	context int64            // tokens of the last answer's request and of the answer
	counted map[string]bool  // answers, by id
}

// unknownInput is what a first request is taken for, in tokens: the CLI's own
// prompt and its tools (25 kB measured, without the words).
const unknownInput = 20_000

func newPurse(gate harness.Gate, asks harness.Request, tell func(harness.Responded)) *purse {
	return &purse{gate: gate, asks: asks, tell: tell, counted: map[string]bool{}}
}

// admit asks for the next request, unless it was asked for already.
func (p *purse) admit(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open != nil || p.gate == nil {
		return nil
	}
	r := p.asks
	r.Input = max(p.context, unknownInput)
	if err := p.gate.Admit(ctx, r); err != nil {
		return err
	}
	p.open = &r
	return nil
}

// count settles an answer, once. Those of sub-agents, and those that nobody was
// asked about, are booked all the same.
func (p *purse) count(ctx context.Context, id, model string, u harness.Usage, main bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counted[id] {
		return
	}
	p.counted[id] = true
	if main {
		p.context = u.Context() + u.Output
		p.tell(harness.Responded{Model: model, Usage: u})
	}
	if p.gate == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if main && p.open != nil {
		p.gate.Settle(ctx, *p.open, u)
		p.open = nil
		return
	}
	r := p.asks
	r.Model, r.Input, r.MaxOutput, r.Aside = model, 0, 0, !main
	p.gate.Settle(ctx, r, u)
}

// close settles what was asked for and never came.
func (p *purse) close(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open != nil {
		p.gate.Settle(context.WithoutCancel(ctx), *p.open, harness.Usage{})
		p.open = nil
	}
}

// gateFault is the fault when the gate refused.
func gateFault(err error) *harness.Fault {
	class := harness.Broken
	if errors.Is(err, harness.ErrBudget) {
		class = harness.Budget
	}
	return &harness.Fault{Class: class, Message: oneLine(err.Error())}
}

// tokens is a usage in our terms.
func (u usage) tokens() harness.Usage {
	w := harness.Usage{Input: u.Input, Output: u.Output, Read: u.Read, Write5m: u.Creation.Write5m, Write1h: u.Creation.Write1h}
	if w.Write5m+w.Write1h == 0 {
		w.Write5m = u.Write
	}
	return w
}
