package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A report is what 'git flower stats --json' says, as far as it is used here, and
// what the log says of handoffs.
type report struct {
	Sessions []struct {
		Role, Worker string
		Held         *struct{ Turns, Calls, Spills int }
	}
	Main struct {
		Characters *float64 `json:"kept_out_characters"`
		Turns      *float64 `json:"kept_out_turns"`
		Growth     *float64 `json:"growth_per_turn"`
		Hidden     *float64 `json:"calls_per_task"`
	}
	Total struct {
		Billed struct {
			Input   int64 `json:"input_tokens"`
			Read    int64 `json:"cache_read_tokens"`
			Written int64 `json:"cache_write_tokens"`
			Failed  int   `json:"failed_tries"`
		}
		Held *struct{ Turns, Calls, Denials, Spills int }
	}
	handoffs, empty int
}

func stats(ctx context.Context, dir string) (report, error) {
	var r report
	var out bytes.Buffer
	if err := flower(ctx, dir, &out, "", "stats", "--json", "marathon"); err != nil {
		return r, err
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("read the figures: %w", err)
	}
	out.Reset()
	if err := flower(ctx, dir, &out, "", "log", "--json", "marathon"); err != nil {
		return r, err
	}
	for line := range strings.Lines(out.String()) {
		var record struct{ Kind, Body string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			return r, fmt.Errorf("read the log: %w", err)
		}
		if record.Kind == "handoff" {
			r.handoffs++
			if strings.TrimSpace(record.Body) == "" {
				r.empty++
			}
		}
	}
	return r, nil
}

// lost is how many turns of workers no transcript has.
func (r report) lost(p plan) int {
	held := map[string]int{}
	for _, s := range r.Sessions {
		if s.Role == "worker" && s.Held != nil {
			held[s.Worker] += s.Held.Turns
		}
	}
	lost := 0
	for worker, turns := range p.turns {
		lost += max(0, turns-held[worker])
	}
	return lost
}

// table prints the figures beside those that are published, and returns the promises
// that do not hold.
func table(out io.Writer, p plan, r *recorder, s report) error {
	share := func(f *float64) string {
		if f == nil {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100**f)
	}
	billed := s.Total.Billed
	rewritten, requests := r.rewritten()
	lost := s.lost(p)
	growth := "-"
	if s.Main.Growth != nil {
		growth = fmt.Sprintf("%.0f tokens", *s.Main.Growth)
	}
	hidden := "-"
	if s.Main.Hidden != nil {
		hidden = fmt.Sprintf("%.0f", *s.Main.Hidden)
	}
	rows := [][4]string{
		{"", "here", "target", "published"},
		{"kept out: characters", share(s.Main.Characters), "≥ 98 %", "94.8 %"},
		{"kept out: turns", share(s.Main.Turns), "≥ 98.5 %", "97.7 % (rows)"},
		{"growth a turn", growth, "≤ 1.5K", "2.2K"},
		{"cache hits, consecutive requests", fmt.Sprintf("%.1f %%", 100*r.hits(false)), "≥ 97 %", ""},
		{"  the coordinator's", fmt.Sprintf("%.1f %%", 100*r.hits(true)), "", ""},
		{"cache hits, billed", fmt.Sprintf("%.1f %%", 100*float64(billed.Read)/float64(max(1, billed.Input+billed.Read+billed.Written))), "", "96.1 %"},
		{"requests, rewritten beginnings", fmt.Sprintf("%d, %d", requests, rewritten), "0", ""},
		{"calls of workers a task", hidden, "", "82"},
		{"failed tries survived", fmt.Sprint(billed.Failed), "", ""},
		{"turns of workers lost", fmt.Sprint(lost), "0", "some"},
		{"handoffs, empty", fmt.Sprintf("%d, %d", s.handoffs, s.empty), "0 empty", "7 of 8 (another run)"},
	}
	for _, row := range rows {
		fmt.Fprintf(out, "%-34s %14s  %-10s %s\n", row[0], row[1], row[2], row[3])
	}
	var broken []error
	if rewritten > s.handoffs {
		broken = append(broken, fmt.Errorf("%d requests do not begin with the one before", rewritten))
	}
	if lost > 0 {
		broken = append(broken, fmt.Errorf("%d turns of workers are lost", lost))
	}
	if s.empty > 0 {
		broken = append(broken, fmt.Errorf("%d handoffs are empty", s.empty))
	}
	return errors.Join(broken...)
}
