package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// turnCount is how many turns a measured session has, each with one Read.
const turnCount = 200

// measureTurn measures a session whose model answers at once. The model is
// served from here and the session lives in a child, so that its memory is its
// own. It is done four times, or more: the luck with disk and garbage varies.
func measureTurn(ctx context.Context, b *bench) ([]row, error) {
	model, err := serveModel()
	if err != nil {
		return nil, err
	}
	defer model.close()
	var turns, store, requests, peaks []float64
	for i := range b.rounds(4) {
		dir, err := b.folder(fmt.Sprintf("turn-%d", i))
		if err != nil {
			return nil, err
		}
		s, err := runTurns(ctx, b, model, dir, turnCount)
		if err != nil {
			return nil, err
		}
		for _, t := range s.Turns {
			turns, store, requests = append(turns, ms(t.All)), append(store, ms(t.Store)), append(requests, ms(t.Served))
		}
		peaks = append(peaks, s.PeakMB)
	}
	last := median(lastOf(turns, turnCount, 20))
	return []row{
		figure("a turn with one Read, two requests", median(turns), 5, "ms",
			fmt.Sprintf("of it %.1f ms in the transcript store and %.1f ms in the model; the quickest tenth: %.1f ms; the last 20 of %d turns: %.1f ms",
				median(store), median(requests), median(quickest(turns)), turnCount, last)),
		figure("peak memory of that session", median(peaks), 40, "MB", "resident, of the process that holds harness, store and guards"),
	}, nil
}

func runTurns(ctx context.Context, b *bench, model *model, dir string, n int) (turnStats, error) {
	var s turnStats
	before := model.served()
	out, err := program{name: b.self}.read(ctx, "", childWord, "turns", model.url, dir, strconv.Itoa(n))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		return s, fmt.Errorf("read what '%s' said: %w", filepath.Base(b.self), err)
	}
	if asked := len(model.served()) - len(before); asked != 2*n || len(s.Turns) != n {
		return s, fmt.Errorf("%d of %d turns made %d requests", len(s.Turns), n, asked)
	}
	for i, d := range model.served()[len(before):] {
		s.Turns[i/2].Served += d
	}
	return s, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// lastOf keeps the last n of each size values.
func lastOf(values []float64, size, n int) []float64 {
	var kept []float64
	for i, v := range values {
		if i%size >= size-n {
			kept = append(kept, v)
		}
	}
	return kept
}
