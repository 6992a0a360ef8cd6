package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/messages"
	"git-flower/engine/session"
	"git-flower/guards"
	"git-flower/worktree/process"
)

// readName is the small file that the model reads in every turn.
const readName = "list"

// turnStats is what the child tells.
type turnStats struct {
	Turns  []turnTime
	PeakMB float64
}

type turnTime struct {
	All    time.Duration
	Store  time.Duration // of it in Append
	Served time.Duration // of it in the model; known to the parent only
}

// childTurns plays a session as the engine does for a worker, with the guards,
// the journal of spending and a durable transcript.
func childTurns(ctx context.Context, url, dir, count string, out io.Writer) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	if err := writeList(dir); err != nil {
		return err
	}
	store, err := session.Open(ctx, filepath.Join(dir, "session.db"))
	if err != nil {
		return err
	}
	times, err := playTurns(ctx, url, dir, n, store)
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	peak, err := peakMB()
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(turnStats{times, peak})
}

func playTurns(ctx context.Context, url, dir string, n int, store *session.Store) (times []turnTime, err error) {
	timed := &timedTranscript{Transcript: store}
	h, err := messages.New(messages.Config{BaseURL: url, APIKey: "none", Transcript: timed})
	if err != nil {
		return nil, err
	}
	spending, err := os.OpenFile(filepath.Join(dir, "spend"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, spending.Close()) }()
	s, err := h.Start(ctx, workerOptions(dir, &journalGate{file: spending}))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for i := range n {
		before, start := timed.spent, time.Now()
		if err := playOneRead(ctx, s); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i, err)
		}
		times = append(times, turnTime{All: time.Since(start), Store: timed.spent - before})
	}
	return times, nil
}

// workerOptions are those that the engine gives a worker, with rule text of the
// same length.
func workerOptions(dir string, gate harness.Gate) harness.Options {
	tools := []string{"Read", "Write", "Edit", "Bash", "Glob", "Grep", "TodoWrite"}
	policy := guards.Policy{Role: "worker", Agent: "coder-1", Tools: tools, Roots: []string{dir}, Readable: []string{dir}}
	return harness.Options{
		Session: sessionName, Role: "worker", Agent: "coder-1", Dir: dir, Tools: tools, Model: "claude-opus-5-5",
		System:    strings.Repeat("A rule of the role, a line of it.\n", 100),
		Authorize: func(_ context.Context, c guards.Call) guards.Decision { return policy.Decide(c) },
		Gate:      gate, Env: process.Env(),
	}
}

// writeList makes the small file.
func writeList(dir string) error {
	return os.WriteFile(filepath.Join(dir, readName), []byte(strings.Repeat("a line of a small file\n", 20)), 0o644)
}

// playOneRead plays one turn and makes sure that the file was really read.
func playOneRead(ctx context.Context, s harness.Session) error {
	read, err := playTurn(ctx, s)
	if err == nil && (len(read) != 1 || !strings.Contains(read[0], "small file")) {
		err = fmt.Errorf("%d reads gave '%.200s'", len(read), strings.Join(read, ""))
	}
	return err
}

// playTurn plays one turn to its end and returns what its reads gave.
func playTurn(ctx context.Context, s harness.Session) (read []string, err error) {
	if err := s.Send(ctx, harness.Message{Text: "Look at the list and go on."}); err != nil {
		return nil, err
	}
	for {
		event, err := s.Next(ctx)
		if err != nil {
			return nil, err
		}
		switch e := event.(type) {
		case harness.ToolResult:
			if e.Denied || e.Result.IsError {
				return nil, fmt.Errorf("reading gave '%.200s'", e.Result.Text)
			}
			read = append(read, e.Result.Text)
		case harness.Ended:
			if e.Stop != harness.StopDone {
				return nil, fmt.Errorf("it ended with %v, %v, after %d reads", e.Stop, e.Fault, len(read))
			}
			return read, nil
		}
	}
}

// A journalGate admits everything and keeps what was spent as the engine's purse
// does: a line on disk before the next request leaves.
type journalGate struct {
	file *os.File
	err  error
}

// Admit refuses once a line could not be kept.
func (g *journalGate) Admit(context.Context, harness.Request) error { return g.err }

// Settle keeps a line.
func (g *journalGate) Settle(_ context.Context, r harness.Request, u harness.Usage) {
	line, err := json.Marshal(struct {
		Request harness.Request
		Usage   harness.Usage
	}{r, u})
	_, written := g.file.Write(append(line, '\n'))
	g.err = errors.Join(g.err, err, written, g.file.Sync())
}

// A timedTranscript adds up the time that a session spends in its store.
type timedTranscript struct {
	harness.Transcript
	spent time.Duration
}

func (t *timedTranscript) Append(ctx context.Context, name string, entries ...json.RawMessage) error {
	start := time.Now()
	defer func() { t.spent += time.Since(start) }()
	return t.Transcript.Append(ctx, name, entries...)
}
