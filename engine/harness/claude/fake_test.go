package claude

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/guards"
	"git-flower/worktree/process"
)

// A fakeCLI is a process that does what a real one cannot be made to do.
type fakeCLI struct {
	t       *testing.T
	program process.Program

	stdin  *io.PipeReader // what we said
	in     *bufio.Reader
	toIn   *io.PipeWriter
	stdout *io.PipeReader
	out    *io.PipeWriter

	last   any // the newest entry
	once   sync.Once
	exited chan struct{}
}

func (f *fakeCLI) Read(b []byte) (int, error)  { return f.stdout.Read(b) }
func (f *fakeCLI) Write(b []byte) (int, error) { return f.toIn.Write(b) }
func (f *fakeCLI) Exited() <-chan struct{}     { return f.exited }
func (f *fakeCLI) ExitCode() int               { return 1 }
func (f *fakeCLI) Errors() string              { return "it broke\n" }
func (f *fakeCLI) Close() error                { return f.End() }

func (f *fakeCLI) End() error {
	f.once.Do(func() {
		f.out.Close()
		f.stdin.CloseWithError(io.ErrClosedPipe)
		close(f.exited)
	})
	return nil
}

// print prints one line as it is.
func (f *fakeCLI) print(line string) { fmt.Fprintln(f.out, line) }

// say prints a value as a line.
func (f *fakeCLI) say(v map[string]any) {
	raw, err := json.Marshal(v)
	if err != nil {
		f.t.Error(err)
	}
	f.print(string(raw))
}

// hear is the next line of ours; false when there are no more.
func (f *fakeCLI) hear() (map[string]any, bool) {
	raw, err := f.in.ReadBytes('\n')
	if err != nil {
		return nil, false
	}
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		f.t.Errorf("we wrote a line that is no JSON: %q", raw)
	}
	return v, true
}

// initialized answers the first request; can are the fields of the answer.
func (f *fakeCLI) initialized(can map[string]any) {
	for v, ok := f.hear(); ok; v, ok = f.hear() {
		if v["type"] == "control_request" {
			f.say(map[string]any{"type": "control_response", "response": map[string]any{
				"subtype": "success", "request_id": v["request_id"], "response": can}})
			return
		}
	}
}

// prompt is the text of the next user's message. Requests before it are refused.
func (f *fakeCLI) prompt() (id, text string) {
	for {
		v, ok := f.hear()
		if !ok {
			return "", ""
		}
		if v["type"] == "control_request" {
			f.say(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "error", "request_id": v["request_id"], "error": "not now"}})
			continue
		}
		if v["type"] == "user" {
			id, _ = v["uuid"].(string)
			text, _ = v["message"].(map[string]any)["content"].(string)
			f.mirror(map[string]any{"type": "user", "uuid": id, "message": map[string]any{"role": "user", "content": text}})
			f.say(map[string]any{"type": "command_lifecycle", "command_uuid": id, "state": "started"})
			return id, text
		}
	}
}

func (f *fakeCLI) config() string {
	for _, kv := range f.program.Env {
		if dir, ok := strings.CutPrefix(kv, "CLAUDE_CONFIG_DIR="); ok {
			return dir
		}
	}
	f.t.Error("no configuration folder")
	return ""
}

func (f *fakeCLI) mirror(entry map[string]any) {
	entry["sessionId"], entry["parentUuid"], entry["timestamp"] = fakeID, f.last, "2026-11-30T12:00:00.000Z"
	f.last = entry["uuid"]
	f.say(map[string]any{"type": "transcript_mirror", "entries": []any{entry},
		"filePath": filepath.Join(f.config(), "projects", "x", fakeID+".jsonl")})
}

// answer is an answer of the model's, mirrored and told.
func (f *fakeCLI) answer(id string, blocks ...map[string]any) {
	stop := "end_turn"
	for _, b := range blocks {
		if b["type"] == "tool_use" {
			stop = "tool_use"
		}
	}
	m := map[string]any{"id": "msg_" + id, "role": "assistant", "model": "m", "content": blocks, "stop_reason": stop}
	f.mirror(map[string]any{"type": "assistant", "uuid": uuidFor(id), "message": m})
	f.say(map[string]any{"type": "assistant", "message": m, "parent_tool_use_id": nil, "uuid": uuidFor(id)})
}

func (f *fakeCLI) text(id, text string) {
	f.answer(id, map[string]any{"type": "text", "text": text})
}

func (f *fakeCLI) result(more map[string]any) {
	v := map[string]any{"type": "result", "subtype": "success", "is_error": false, "stop_reason": "end_turn", "terminal_reason": "completed"}
	for k, x := range more {
		v[k] = x
	}
	f.say(v)
}

func uuidFor(id string) string { return fmt.Sprintf("00000000-0000-4000-8000-%012s", id) }

const fakeID = "11111111-2222-4333-8444-555555555555"

// A scene is what is told of a test with fakes.
type scene struct {
	t          *testing.T
	transcript *harnesstest.Transcript
	h          *Harness
	o          harness.Options
	launched   []process.Program
}

// fakes makes a harness whose processes are played by the functions, one after
// the other.
func fakes(t *testing.T, plays ...func(*fakeCLI)) *scene {
	t.Helper()
	s := &scene{t: t, transcript: &harnesstest.Transcript{}}
	root := t.TempDir()
	h, err := New(Config{Path: "/nowhere/claude", Transcript: s.transcript, Folder: func(id string) string { return filepath.Join(root, id) }})
	if err != nil {
		t.Fatal(err)
	}
	h.open = func(_ context.Context, p process.Program) (peer, error) {
		n := len(s.launched)
		s.launched = append(s.launched, p)
		if n >= len(plays) {
			return nil, fmt.Errorf("no process %d is planned", n+1)
		}
		f := &fakeCLI{t: t, program: p, exited: make(chan struct{})}
		f.stdin, f.toIn = io.Pipe()
		f.stdout, f.out = io.Pipe()
		f.in = bufio.NewReader(f.stdin)
		go func() {
			plays[n](f)
			f.out.Close()
		}()
		return f, nil
	}
	s.h = h
	s.o = harness.Options{Session: fakeID, Role: "worker", Dir: t.TempDir(), System: "Role: worker",
		Authorize: func(context.Context, guards.Call) guards.Decision { return guards.Allow() }}
	return s
}

func (s *scene) start() harness.Session {
	s.t.Helper()
	session, err := s.h.Start(s.t.Context(), s.o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return session
}

// turn says something and returns how the turn ended.
func (s *scene) turn(session harness.Session, text string) (harness.Ended, []harness.Event) {
	s.t.Helper()
	if err := session.Send(s.t.Context(), harness.Message{Text: text}); err != nil {
		s.t.Fatal(err)
	}
	var events []harness.Event
	for {
		e, err := session.Next(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		if ended, ok := e.(harness.Ended); ok {
			return ended, events
		}
		events = append(events, e)
	}
}

var able = map[string]any{"hook_on_failure_supported": true}

type rawMessage = json.RawMessage

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
