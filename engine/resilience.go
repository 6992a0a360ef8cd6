package engine

import (
	"sync"
	"time"

	"git-flower/engine/harness"
)

// Patience says how long a run puts up with a failing endpoint. The figures of
// DefaultPatience are the original's (spec/engine.md 6.1); the long budget for
// an endpoint that answers but fails is ours: there it gave up after two minutes.
type Patience struct {
	Base, Max time.Duration // first and greatest pause between two tries
	Attempts  int           // tries after an unclassified failure, the first included
	Failing   time.Duration // how long in all an endpoint may fail without progress
	Limit     time.Duration // the longest wait for a usage limit to end
}

// DefaultPatience is four seconds growing to two minutes, six tries, an hour.
func DefaultPatience() Patience {
	return Patience{Base: 4 * time.Second, Max: 2 * time.Minute, Attempts: 6, Failing: time.Hour, Limit: 12 * time.Hour}
}

// trouble counts the faults since the last progress. A response resets it.
type trouble struct {
	faults int
	since  time.Time
}

// retry decides what to do about a fault: how long to wait before the turn is
// carried on, or to give up. jitter is between 0 and 1. It is pure.
func (p Patience) retry(t trouble, f *harness.Fault, now time.Time, jitter float64) (wait time.Duration, again bool) {
	switch f.Class {
	case harness.UsageLimit:
		return f.RetryAfter, f.RetryAfter > 0 && f.RetryAfter <= p.Limit
	case harness.Network, harness.RateLimit, harness.Overloaded, harness.ServerError:
		wait = max(p.pause(t.faults, jitter), f.RetryAfter)
		return wait, now.Add(wait).Sub(t.since) <= p.Failing
	case harness.Unknown, harness.Broken:
		return p.pause(t.faults, jitter), t.faults < p.Attempts
	}
	return 0, false
}

// pause grows twofold from Base to Max, a quarter more or less.
func (p Patience) pause(faults int, jitter float64) time.Duration {
	d := p.Base
	for range faults - 1 {
		d = min(2*d, p.Max)
	}
	return time.Duration(float64(d) * (0.75 + jitter/2))
}

// A pulse is when the endpoint has last answered any session. A session whose
// trouble began before that is in trouble alone.
type pulse struct {
	mu   sync.Mutex
	last time.Time
}

func (p *pulse) beat(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
}

func (p *pulse) after(t time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last.After(t)
}
