package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"git-flower/engine/rehearse"
)

// jobTurns is how often the model of a job calls a tool before it is done.
const jobTurns = 200

// jobStats is what a job used, as the child tells it.
type jobStats struct {
	Wall, CPU time.Duration // from the start of the session to its end; with all processes
	OursMB    float64       // peak of the process that drives
	OtherMB   float64       // peak of the largest process that it started
	Gap       time.Duration // known to the parent only: median from an answer's end to the next request
}

// drivers are who plays the job: our two harnesses, and a loop around the CLI.
var drivers = []string{"messages", "claude", "plain"}

// measureHarnesses has the same model call Read again and again in one turn of our
// harness 'messages', of our harness 'claude', and of the Claude Code CLI with
// nothing around it but a loop that reads its lines.
func measureHarnesses(ctx context.Context, b *bench) ([]row, error) {
	if b.claude == "" {
		return []row{{what: "a job under Claude Code", note: "not measured: GIT_FLOWER_TEST_CLAUDE and PATH name no CLI"}}, nil
	}
	all := map[string][]jobStats{}
	for round := range b.rounds(3) {
		for i := range drivers {
			driver := drivers[(round+i)%len(drivers)] // each is first once
			s, err := runJob(ctx, b, driver, round, jobTurns)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", driver, err)
			}
			all[driver] = append(all[driver], s)
		}
	}
	return append(jobRows("claude", all), jobRows("messages", all)...), nil
}

// jobRows sets a driver against the plain loop.
func jobRows(driver string, all map[string][]jobStats) []row {
	ours, plain := all[driver], all["plain"]
	against := func(what, note string, of func(jobStats) time.Duration) row {
		return versus(driver+": "+what, times{each(ours, of), each(plain, of)}, 0, note)
	}
	memory := func(s jobStats) float64 { return s.OursMB + s.OtherMB }
	peak, other := median(each(ours, memory)), median(each(plain, memory))
	note := fmt.Sprintf("resident, both peaks added up: %.0f MB of ours and %.0f MB of the CLI",
		median(each(ours, func(s jobStats) float64 { return s.OursMB })), median(each(ours, func(s jobStats) float64 { return s.OtherMB })))
	return []row{
		against(fmt.Sprintf("a job of %d tool calls", jobTurns), "from the start of the session to its end; other: the CLI in a loop", func(s jobStats) time.Duration { return s.Wall }),
		against("an answer to the next request", "median; the tool, the guards, the transcript", func(s jobStats) time.Duration { return s.Gap }),
		against("processor time of the job", "of all processes but the model", func(s jobStats) time.Duration { return s.CPU }),
		{what: driver + ": peak memory", ours: fmt.Sprintf("%.0f MB", peak), other: fmt.Sprintf("%.0f MB", other),
			ratio: strconv.FormatFloat(peak/other, 'f', 2, 64), note: note},
	}
}

func each[T any](all []jobStats, of func(jobStats) T) []T {
	var values []T
	for _, s := range all {
		values = append(values, of(s))
	}
	return values
}

// runJob plays the job once, in a child, with a model of its own.
func runJob(ctx context.Context, b *bench, driver string, round, calls int) (jobStats, error) {
	var s jobStats
	dir, err := b.folder(fmt.Sprintf("job-%s-%d", driver, round))
	if err != nil {
		return s, err
	}
	script, err := rehearse.Parse(jobScript(calls))
	if err != nil {
		return s, err
	}
	m, err := serveStrict(ctx, script)
	if err != nil {
		return s, err
	}
	defer m.close()
	out, err := program{name: b.self, dir: dir}.read(ctx, "", childWord, "job", driver, m.url, m.key(), dir, b.claude)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		return s, fmt.Errorf("read what the job's driver said: %w", err)
	}
	s.Gap, err = m.gap(calls + 1)
	return s, err
}

// jobScript reads a small file as often as it is told to.
func jobScript(calls int) []byte {
	read := "      - call: {tool: Read, input: {file_path: " + readName + "}}\n        say: I look at it once more.\n"
	return []byte("scenes:\n  - turns:\n" + strings.Repeat(read, calls) + "      - say: It is done.\n")
}
