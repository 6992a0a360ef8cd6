package messages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-flower/engine/harness"
	"git-flower/worktree/fence"
	"git-flower/worktree/process"
)

// Limits of one command.
const (
	bashTimeout    = 2 * time.Minute
	bashMaxTimeout = 10 * time.Minute
	bashOutput     = 30_000 // bytes
)

const bashAbout = `Runs a command with %s. Each command runs in a new shell in the working directory: a cd or a variable does not last to the next one, so chain with && where it matters.
Everything the command started is ended with it, also what '&' put in the background. There is no terminal and no input.
Output over 30000 characters loses its middle. timeout is in milliseconds, 120000 if not given, 600000 at most.
For files use Read, Edit, Write, Glob and Grep rather than cat, sed, find and grep.`

// bashLeaves is added where commands may be left running.
const bashLeaves = `
With run_in_background the call returns at once and the command goes on, without a time limit, until it ends by itself, KillShell ends it, or the session is over. For servers and watchers; write it without '&'.`

const (
	bashProperties = `"command":{"type":"string","description":"the command"},` +
		`"timeout":{"type":"integer","description":"milliseconds until it is ended"},` +
		`"description":{"type":"string","description":"what it does, in a few words"}`
	bashLeave  = `,"run_in_background":{"type":"boolean","description":"leave it running; read it with BashOutput"}`
	bashSchema = `{"type":"object","properties":{` + bashProperties + `},"required":["command"]}`

	bashLeaveSchema = `{"type":"object","properties":{` + bashProperties + bashLeave + `},"required":["command"]}`
)

type bashInput struct {
	Command    string  `json:"command"`
	Timeout    float64 `json:"timeout"`
	Background bool    `json:"run_in_background"`
}

type shell struct {
	run func(context.Context, process.Command) (process.Result, error)
	dir string
	env []string

	fence *fence.Policy

	mayLeave bool // commands in the background
	shells   *shells
}

// tool is Bash, described with what it can do here.
func (s *shell) tool() *tool {
	if s.mayLeave {
		return builtin("Bash", fmt.Sprintf(bashAbout, process.Bash())+bashLeaves, bashLeaveSchema, false, s.bash)
	}
	return builtin("Bash", fmt.Sprintf(bashAbout, process.Bash()), bashSchema, false, s.bash)
}

func (s *shell) bash(ctx context.Context, in bashInput) (harness.Result, error) {
	if strings.TrimSpace(in.Command) == "" {
		return harness.Result{}, errors.New("the command is empty")
	}
	if strings.IndexByte(in.Command, 0) >= 0 {
		return harness.Result{}, errors.New("the command holds a NUL byte")
	}
	if in.Background {
		return s.background(ctx, in.Command)
	}
	limit := bashTimeout
	if in.Timeout > 0 {
		limit = time.Duration(min(in.Timeout, float64(bashMaxTimeout.Milliseconds()))) * time.Millisecond
	}
	r, err := s.run(ctx, process.Command{Script: in.Command, Shell: process.Bash(), Dir: s.dir, Env: s.env, Timeout: limit, Limit: bashOutput, Fence: s.fence})
	if ctx.Err() != nil {
		return harness.Result{}, ctx.Err()
	}
	if err != nil {
		return harness.Result{}, fmt.Errorf("run command: %w", err)
	}
	out := strings.TrimRight(r.Output, "\n")
	note := ""
	switch {
	case r.TimedOut:
		note = fmt.Sprintf("(ended after %s; it was not finished)", limit)
	case r.ExitCode != 0:
		note = fmt.Sprintf("(exit code %d)", r.ExitCode)
	}
	return harness.Result{Text: strings.Trim(out+"\n"+note, "\n"), IsError: note != ""}, nil
}
