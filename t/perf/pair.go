package main

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// A contest is two ways to the same end. ready, which may be nil, prepares a
// pair and is not timed. Pair 0 warms up and does not count.
type contest struct {
	ready       func(pair int) error
	ours, other func(pair int) error
}

// times are of the pairs that count, in their order.
type times struct{ ours, other []time.Duration }

// run plays the contest. Every other pair begins with the other way.
func (c contest) run(ctx context.Context, pairs int) (times, error) {
	var t times
	for pair := range pairs + 1 {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if c.ready != nil {
			if err := c.ready(pair); err != nil {
				return t, err
			}
		}
		ours, other, err := c.play(pair)
		if err != nil {
			return t, err
		}
		if pair > 0 {
			t.ours, t.other = append(t.ours, ours), append(t.other, other)
		}
	}
	return t, nil
}

func (c contest) play(pair int) (ours, other time.Duration, err error) {
	if pair%2 == 0 {
		if ours, err = clock(c.ours, pair); err == nil {
			other, err = clock(c.other, pair)
		}
		return ours, other, err
	}
	if other, err = clock(c.other, pair); err == nil {
		ours, err = clock(c.ours, pair)
	}
	return ours, other, err
}

func clock(do func(int) error, pair int) (time.Duration, error) {
	start := time.Now()
	err := do(pair)
	return time.Since(start), err
}

// ratio is the median of ours divided by the other, pair by pair.
func (t times) ratio() float64 {
	ratios := make([]float64, len(t.ours))
	for i := range t.ours {
		ratios[i] = float64(t.ours[i]) / float64(t.other[i])
	}
	return median(ratios)
}

// quickRatio compares the quickest tenth of both, in which other programs on the
// machine have the least part.
func (t times) quickRatio() float64 {
	return float64(median(quickest(t.ours))) / float64(median(quickest(t.other)))
}

func quickest[T cmp.Ordered](all []T) []T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[:(len(sorted)+9)/10]
}

// median of an even number of values is the lower of the middle two.
func median[T cmp.Ordered](values []T) T {
	var none T
	if len(values) == 0 {
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
