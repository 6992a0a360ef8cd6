package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/claude"
	"git-flower/engine/harness/messages"
	"git-flower/engine/proxy"
	"git-flower/engine/session"
)

// A job is where one driver plays it.
type job struct{ driver, url, key, dir, claude string }

// childJob plays a job and prints what it used.
func childJob(ctx context.Context, j job, out io.Writer) error {
	if err := writeList(j.dir); err != nil {
		return err
	}
	start := time.Now()
	play := j.playOurs
	if j.driver == "plain" {
		play = j.playPlain
	}
	if err := play(ctx); err != nil {
		return err
	}
	s := jobStats{Wall: time.Since(start)}
	var err error
	if s.OursMB, err = peakMB(); err != nil {
		return err
	}
	if s.CPU, s.OtherMB, err = usedSoFar(); err != nil {
		return err
	}
	if j.driver == "messages" {
		s.OtherMB = 0 // it starts nothing; what the kernel tells is of no process
	}
	return json.NewEncoder(out).Encode(s)
}

// playOurs plays it in one of our harnesses, with what a worker has.
func (j job) playOurs(ctx context.Context) (err error) {
	store, err := session.Open(ctx, filepath.Join(j.dir, "session.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	spending, err := os.OpenFile(filepath.Join(j.dir, "spend"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spending.Close()) }()
	h, done, err := j.harness(ctx, store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	s, err := h.Start(ctx, workerOptions(j.dir, &journalGate{file: spending}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	read, err := playTurn(ctx, s)
	if err == nil && len(read) == 0 {
		err = errors.New("it ended without a read")
	}
	return err
}

// harness is the driver's, and what closes it.
func (j job) harness(ctx context.Context, store *session.Store) (harness.Harness, func() error, error) {
	if j.driver == "messages" {
		h, err := messages.New(messages.Config{BaseURL: j.url, APIKey: j.key, Transcript: store})
		return h, func() error { return nil }, err
	}
	p, err := proxy.Start(ctx, proxy.Config{BaseURL: j.url, APIKey: j.key})
	if err != nil {
		return nil, nil, err
	}
	h, err := claude.New(claude.Config{Path: j.claude, Proxy: p, Transcript: store,
		Folder: func(session string) string { return filepath.Join(j.dir, "cli", session) }})
	return h, p.Close, err
}

// playPlain plays it in the CLI, with a loop that takes its lines.
func (j job) playPlain(ctx context.Context) error {
	cli := filepath.Join(j.dir, "cli")
	if err := os.MkdirAll(cli, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, j.claude, "--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
		"--setting-sources=", "--strict-mcp-config", "--permission-mode", "bypassPermissions", "--model", "claude-opus-5-5",
		"--tools", "Read,Write,Edit,Bash,Glob,Grep", "--append-system-prompt", strings.Repeat("A rule of the role, a line of it.\n", 100))
	cmd.Dir, cmd.Stderr = j.dir, os.Stderr
	cmd.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+cli, "TMPDIR="+cli, "ANTHROPIC_BASE_URL="+j.url, "ANTHROPIC_API_KEY="+j.key,
		"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "ENABLE_TOOL_SEARCH=false", "IS_SANDBOX=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(talk(in, out), cmd.Wait())
}

// talk says the words, waits for the turn's result and has the CLI end.
func talk(in io.WriteCloser, out io.Reader) error {
	defer in.Close()
	if _, err := io.WriteString(in, `{"type":"user","session_id":"","parent_tool_use_id":null,"message":{"role":"user","content":"Look at the list and go on."}}`+"\n"); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	for {
		raw, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the CLI ended before its turn did: %w", err)
		}
		var l struct {
			Type    string
			IsError bool `json:"is_error"`
		}
		if err := json.Unmarshal(raw, &l); err != nil {
			return err
		}
		if l.Type == "result" {
			_, err := io.WriteString(in, `{"type":"control_request","request_id":"end","request":{"subtype":"end_session"}}`+"\n")
			if l.IsError {
				err = errors.Join(err, fmt.Errorf("the turn failed: %.400s", raw))
			}
			_, drained := io.Copy(io.Discard, lines)
			return errors.Join(err, drained)
		}
	}
}
