package economy

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"git-flower/gitstate"
)

// timedRow is a turn at a minute, with what of its context was read from the cache.
func timedRow(id string, minute, fresh, read int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"assistant","timestamp":"2026-01-01T00:%02d:00.000Z","message":{"id":"%s","usage":{"input_tokens":%d,"cache_read_input_tokens":%d}}}`, minute, id, fresh, read)
}

// Two rounds for 9 USD, in which a wait of twenty minutes had 100,000 tokens
// written anew for 0.50 - 0.04 USD a million more.
func TestForecast(t *testing.T) {
	row := func(session, role, label string, cost gitstate.MicroUSD) gitstate.LedgerRow {
		return gitstate.LedgerRow{Session: session, Role: role, Label: label, Model: "m", Turns: 1, Input: 1, Cost: cost, Attempts: 1}
	}
	rows := []gitstate.LedgerRow{row("k", "clarifier", "clarify", 100_000), row("c", coordinator, "work", 2_000_000), row("c", coordinator, "work#round2", 3_000_000),
		row("w", worker, "work", 1_000_000), row("v", worker, "work#round2", 1_000_000), row("j", "judge", "work#judge1", 1_000_000), row("i", "judge", "work#judge2", 1_000_000),
		row("c", coordinator, "work#round3", 500_000), row("o", "oracle", "ask", 50_000)}
	prices := func(string) (Price, bool) { return Price{Read: 400_000, Written: 5_000_000, Hour: 8_000_000}, true }
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	forecast := func(rows []gitstate.LedgerRow, now time.Time, price func(string) (Price, bool), turns ...json.RawMessage) *Forecast {
		m := NewMeter("r", ledgerOf(rows...), nil)
		for _, turn := range turns {
			m.Add("c", turn)
		}
		return m.Forecast(now, price)
	}
	turns := []json.RawMessage{timedRow("1", 0, 100_000, 0), timedRow("2", 20, 110_000, 0), timedRow("3", 24, 90_000, 110_000)}
	want := Forecast{Rounds: 2, Mean: (9_000_000 - 460_000) / 2, Waits: 1, Reread: 920_000, Next: (9_000_000-460_000)/2 + 920_000/2}
	if got := forecast(rows, at(29), prices, turns...); got == nil || *got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	want.Cold, want.Next = true, want.Next+920_000
	if got := forecast(rows, at(30), prices, turns...); got == nil || *got != want {
		t.Errorf("after six minutes %+v, not %+v", got, want)
	}
	hour := json.RawMessage(`{"type":"assistant","timestamp":"2026-01-01T00:25:00.000Z","message":{"id":"4","usage":{"cache_read_input_tokens":200000,"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_1h_input_tokens":1}}}}`)
	if got := forecast(rows, at(59), prices, append(turns, hour)...); got == nil || got.Waits != 0 || got.Cold || got.Reread != 1_520_000 {
		t.Errorf("a cache that lives for an hour: %+v", got)
	}
	unknown := func(string) (Price, bool) { return Price{}, false }
	for what, got := range map[string]*Forecast{
		"without a transcript": forecast(rows, at(0), prices), "without a price": forecast(rows, at(0), unknown, turns...),
		"before a verdict": forecast(rows[:3], at(0), prices, turns...), "without a cost": forecast(append(rows, row("u", worker, "work", 0)), at(0), prices, turns...),
	} {
		if got != nil {
			t.Errorf("told %s: %+v", what, got)
		}
	}
}
