package spending

import (
	"testing"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// The worst that a request can cost is at the price of the cache that it asks for.
func TestWorstCost(t *testing.T) {
	m := harness.Model{Input: 4, Output: 20, Write5m: 5, Write1h: 8}
	p := NewPurse(func(_ string, u harness.Usage) (gitstate.MicroUSD, bool) {
		return gitstate.MicroUSD(m.Cost(u)), true
	}, 0, 0)
	r := harness.Request{Input: 1_000_000, MaxOutput: 1_000_000}
	if got := p.Worst(r); got != 25 {
		t.Errorf("five minutes: %d", got)
	}
	r.Hour = true
	if got := p.Worst(r); got != 28 {
		t.Errorf("an hour: %d", got)
	}
}
