package economy

import (
	"iter"
	"strings"
	"time"

	"git-flower/gitstate"
)

// A Price of a model's cache, in millionths of a US dollar for a million tokens.
type Price struct {
	Read    int64
	Written int64 // kept for five minutes
	Hour    int64 // written to be kept for an hour
}

// How long the API's cache keeps what no request reads: what Anthropic states for
// its two kinds of entries.
const (
	cacheLife     = 5 * time.Minute
	cacheLifeHour = time.Hour
)

// A Forecast is what one more round would cost. It takes the mean of the rounds
// that were judged, and since the coordinator's context has grown meanwhile, the
// waits as often as they came with the context as it is now.
type Forecast struct {
	Rounds int               `json:"rounds"`               // that were judged
	Mean   gitstate.MicroUSD `json:"mean_round_micro_usd"` // without what the waits cost
	Waits  int               `json:"waits"`                // of the coordinator that outlived the cache
	Reread gitstate.MicroUSD `json:"reread_micro_usd"`     // that one costs now: the context is written anew, not read
	Cold   bool              `json:"cold"`                 // one has passed since the newest request
	Next   gitstate.MicroUSD `json:"next_round_micro_usd"`
}

// Forecast tells what another round costs that begins now, once the transcripts
// were added. Nil when that cannot be told: no round was judged, or a price or a
// coordinator's transcript is missing.
func (m *Meter) Forecast(now time.Time, price func(model string) (Price, bool)) *Forecast {
	f := Forecast{}
	var spent, waited gitstate.MicroUSD
	f.Rounds, spent = m.judged()
	var last *counted
	for _, s := range m.inOrder() {
		if s.Billed.Unpriced > 0 {
			return nil
		}
		if s.Role != coordinator {
			continue
		}
		p, known := price(s.Model)
		if !known || len(s.Curve) == 0 {
			return nil
		}
		for i := range s.waits() {
			f.Waits++
			waited += s.rewriting(p, s.again(i))
		}
		last = s
	}
	if f.Rounds == 0 || last == nil {
		return nil
	}
	p, _ := price(last.Model)
	newest := last.Curve[len(last.Curve)-1]
	f.Reread = last.rewriting(p, newest.Tokens)
	f.Cold = now.Sub(newest.at()) > last.life()
	f.Mean = max(0, spent-waited) / gitstate.MicroUSD(f.Rounds)
	f.Next = f.Mean + f.Reread*gitstate.MicroUSD(f.Waits)/gitstate.MicroUSD(f.Rounds)
	if f.Cold {
		f.Next += f.Reread
	}
	return &f
}

// judged is how many rounds were judged, and what they cost with their verdicts.
// A round is labelled "work", "work#round2" and so on, its verdict "work#judge1".
func (m *Meter) judged() (rounds int, cost gitstate.MicroUSD) {
	verdicts := map[string]bool{}
	for _, row := range m.rows {
		if step, n, ok := strings.Cut(row.Label, "#judge"); ok {
			verdicts[step+"#round"+n] = true
		}
	}
	for _, row := range m.rows {
		label := strings.Replace(row.Label, "#judge", "#round", 1)
		if !strings.Contains(label, "#") {
			label += "#round1"
		}
		if verdicts[label] {
			cost += row.Cost
		}
	}
	return len(verdicts), cost
}

// life is how long the cache keeps a session's context.
func (s *counted) life() time.Duration {
	if s.hour {
		return cacheLifeHour
	}
	return cacheLife
}

// waits yields the turns of a session, from 0, before which the cache died.
func (s *counted) waits() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 1; i < len(s.Curve); i++ {
			before, after := s.Curve[i-1].at(), s.Curve[i].at()
			if !before.IsZero() && after.Sub(before) > s.life() && !yield(i) {
				return
			}
		}
	}
}

// again is how many tokens a turn wrote that the one before had had written: all
// that was not read from the cache, but for what is new.
func (s *counted) again(i int) int64 {
	grown := max(0, s.Curve[i].Tokens-s.Curve[i-1].Tokens)
	return max(0, s.Curve[i].fresh-grown)
}

// rewriting is what it costs more to write tokens to the cache than to read them.
func (s *counted) rewriting(p Price, tokens int64) gitstate.MicroUSD {
	written := p.Written
	if s.hour {
		written = p.Hour
	}
	return gitstate.MicroUSD(float64(tokens) * float64(max(0, written-p.Read)) / 1e6)
}

// at is the zero time when it is not told.
func (p Point) at() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, p.Time)
	return t
}
