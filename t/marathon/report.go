package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"git-flower/engine/session"
)

// A report is what 'git flower' tells of the run: the figures of stats, as far as they
// are used here, the handoffs of the log, and the answers in the transcripts.
type report struct {
	Sessions []struct {
		ID     string `json:"session"`
		Role   string
		Worker string
		Held   *held
	}
	Roles []roleFigures
	Main  struct {
		Characters *float64 `json:"kept_out_characters"`
		Turns      *float64 `json:"kept_out_turns"`
		Rows       *float64 `json:"kept_out_rows"`
		Growth     *float64 `json:"growth_per_turn"`
		Hidden     *float64 `json:"calls_per_task"`
	}
	Scripts *struct {
		Written int
		Runs    int
		Again   int               `json:"run_again"`
		Each    []json.RawMessage `json:"each"`
	}
	Total struct {
		Billed struct {
			billed
			Requests int
			Failed   int `json:"failed_tries"`
		}
		Held *held
	}
	handoffs struct{ main, workers, empty, degraded int }
	stored   map[string]bool            // the ids of answers
	marks    map[string]map[string]bool // by worker, "" for the coordinator: rewritten histories that were gone on from
}

type roleFigures struct {
	Role     string
	Sessions int
	Held     *held
}

type billed struct {
	Input   int64 `json:"input_tokens"`
	Read    int64 `json:"cache_read_tokens"`
	Written int64 `json:"cache_write_tokens"`
	Output  int64 `json:"output_tokens"`
}

type held struct {
	Turns, Characters, Calls, Denials, Tasks int
	Tools                                    map[string]int
}

func stats(ctx context.Context, dir string) (report, error) {
	var r report
	if err := told(ctx, dir, func(line []byte) error { return json.Unmarshal(line, &r) }, "stats", "--json", name); err != nil {
		return r, err
	}
	if err := told(ctx, dir, r.handoff, "log", "--json", name); err != nil {
		return r, err
	}
	return r, r.transcripts(ctx, filepath.Join(dir, ".git", "flower", "session.db"))
}

// told hands over each line that a command prints.
func told(ctx context.Context, dir string, each func([]byte) error, args ...string) error {
	cmd := flower(ctx, dir, "", args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git flower %s: %w", args[0], err)
	}
	for {
		line, err := out.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err := each(line); err != nil {
			return fmt.Errorf("read what git flower %s says: %w", args[0], err)
		}
	}
}

func (r *report) handoff(line []byte) error {
	var record struct {
		Kind, Body, Worker, State string
	}
	if err := json.Unmarshal(line, &record); err != nil || record.Kind != "handoff" {
		return err
	}
	switch {
	case strings.TrimSpace(record.Body) == "":
		r.handoffs.empty++
	case record.State != "":
		r.handoffs.degraded++
	}
	if record.Worker == "" {
		r.handoffs.main++
	} else {
		r.handoffs.workers++
	}
	return nil
}

// transcripts reads which answers are stored, and after which histories.
func (r *report) transcripts(ctx context.Context, path string) error {
	store, err := session.Open(ctx, path)
	if err != nil {
		return err
	}
	defer store.Close()
	r.stored, r.marks = map[string]bool{}, map[string]map[string]bool{}
	for _, s := range r.Sessions {
		err := store.Each(ctx, s.ID, func(raw json.RawMessage) error {
			var e struct {
				Message struct{ ID string }
				Mark    string `json:"flowerLoaded"`
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				return err
			}
			if e.Message.ID != "" {
				r.stored[e.Message.ID] = true
			}
			if e.Mark != "" {
				if r.marks[s.Worker] == nil {
					r.marks[s.Worker] = map[string]bool{}
				}
				r.marks[s.Worker][e.Mark] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// of is what stats says of a role.
func (r *report) of(role string) roleFigures {
	for _, p := range r.Roles {
		if p.Role == role {
			return p
		}
	}
	return roleFigures{}
}

func (r *report) held(role string) held {
	if h := r.of(role).Held; h != nil {
		return *h
	}
	return held{}
}
