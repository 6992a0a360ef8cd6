package messages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/guards"
)

const sessionID = "11111111-2222-4333-8444-555555555555"

// A bench is one session against a stub.
type bench struct {
	testing.TB
	stub       *harnesstest.Stub
	transcript *harnesstest.Transcript
	harness    *Harness
	options    harness.Options
	session    harness.Session
}

func newBench(t testing.TB, changes ...func(*Config)) *bench {
	b := &bench{TB: t, stub: harnesstest.NewStub(t), transcript: &harnesstest.Transcript{}}
	b.harness = newHarness(t, b.stub, b.transcript, changes...)
	b.options = harness.Options{
		Session: sessionID, Role: "worker", Dir: t.TempDir(), System: "Role: worker\nBe quick.",
		Tools:     []string{"Read", "Write", "Edit", "Bash", "Glob", "Grep", "TodoWrite", "NotebookEdit"},
		Env:       os.Environ(),
		Authorize: func(context.Context, guards.Call) guards.Decision { return guards.Allow() },
	}
	return b
}

func (b *bench) start() {
	b.Helper()
	s, err := b.harness.Start(b.Context(), b.options)
	if err != nil {
		b.Fatal(err)
	}
	b.session = s
	b.Cleanup(func() { _ = s.Close() })
}

// turn says something, starting the session if need be, and returns how the turn went.
func (b *bench) turn(words string) (harness.Ended, []harness.Event) {
	b.Helper()
	if b.session == nil {
		b.start()
	}
	if err := b.session.Send(b.Context(), harness.Message{Text: words}); err != nil {
		b.Fatal(err)
	}
	var events []harness.Event
	for {
		e, err := b.session.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if ended, ok := e.(harness.Ended); ok {
			return ended, events
		}
		events = append(events, e)
	}
}

// done is turn where the model must end it.
func (b *bench) done(words string) harness.Ended {
	b.Helper()
	ended, _ := b.turn(words)
	if ended.Stop != harness.StopDone {
		b.Fatalf("ended %+v, %v", ended, ended.Fault)
	}
	return ended
}

func (b *bench) lastMessage() harnesstest.WireMessage {
	b.Helper()
	m := b.stub.Last().Messages
	return m[len(m)-1]
}

func unmarked(body []byte) []byte { return bytes.ReplaceAll(body, []byte(cacheMark), nil) }

func TestEachRequestBeginsWithTheOneBefore(t *testing.T) {
	b := newBench(t)
	for i := range 6 {
		b.stub.Push(harnesstest.Use(fmt.Sprintf("toolu_%d", i), "Bash", map[string]string{"command": "echo '<&>' é"}).
			And(harnesstest.ThinkingBlock("weigh <this> & that", "sig+/=")))
	}
	b.stub.Push(harnesstest.Say("half").Stopping("max_tokens"), harnesstest.Say("done"), harnesstest.Say("again"))
	b.done("go <go> & go\u2028")
	b.done("more")
	seen := b.stub.Requests()
	for i := 1; i < len(seen); i++ {
		before, now := unmarked(seen[i-1].Body), unmarked(seen[i].Body)
		if !bytes.HasPrefix(now, bytes.TrimSuffix(before, []byte("]}"))) {
			t.Fatalf("request %d does not begin with the one before:\n%s\n%s", i+1, before, now)
		}
	}
	for i, r := range seen {
		want := min(4, 3+i)
		if n := bytes.Count(r.Body, []byte(cacheMark)); n != want {
			t.Errorf("request %d has %d cache marks, want %d", i+1, n, want)
		}
	}
}

func TestResumedSessionSendsTheBytesItWouldHaveSent(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	now := noon
	b := newBench(t, func(c *Config) { c.Now = func() time.Time { return now } })
	b.stub.Push(
		harnesstest.Reply{Blocks: []harnesstest.Block{
			harnesstest.ThinkingBlock("hm <b>", "s1"), harnesstest.TextBlock("both & each"),
			harnesstest.CallBlock("toolu_1", "Bash", map[string]string{"command": "echo one"}),
			harnesstest.CallBlock("toolu_2", "Read", map[string]string{"file_path": "none"}),
		}},
		harnesstest.Say("first"), harnesstest.Say("second"), harnesstest.Say("second"))
	b.done("go")
	b.done("next")
	lived := b.stub.Last().Body

	_ = b.session.Close()
	entries, _ := b.transcript.Load(t.Context(), sessionID)
	b.transcript.Cut(sessionID, len(entries)-1)
	now = noon.Add(48 * time.Hour)
	b.options.Resume, b.session = true, nil
	b.done("")
	if got := b.stub.Last().Body; !bytes.Equal(got, lived) {
		t.Errorf("resumed:\n%s\nlived:\n%s", got, lived)
	}
}

func TestBlocksGoBackWithTheirBytes(t *testing.T) {
	odd := json.RawMessage(`{"type":"server_tool_use", "id":"srv_1","future":{"z":1.0, "a":2e3},"name":"web_search","input":{"q":"<&>"}}`)
	redacted := json.RawMessage(`{"type":"redacted_thinking","data":"abc\u003d"}`)
	b := newBench(t)
	b.stub.Push(harnesstest.Reply{Blocks: []harnesstest.Block{{Raw: redacted}, {Raw: odd}}}.
		And(harnesstest.RawCallBlock("toolu_1", "Bash", `{ "command" : "true","n":1.0 }`)), harnesstest.Say("ok"))
	b.done("go")
	for _, want := range []string{string(odd), string(redacted), `"input":{ "command" : "true","n":1.0 }`} {
		if !bytes.Contains(b.stub.Last().Body, []byte(want)) {
			t.Errorf("not sent back: %s", want)
		}
	}
}

func TestRequestHasWhatTheModelTakes(t *testing.T) {
	b := newBench(t, func(c *Config) { c.GitState = func(context.Context, string) string { return "Branch: main" } })
	b.options.Model, b.options.Effort = "opus[1m]", "high"
	b.stub.Push(harnesstest.Say("ok"))
	b.done("hi")
	r := b.stub.Last()
	if r.Model != "claude-opus-5-5" || r.MaxTokens != defaultMaxOutput || !r.Stream ||
		string(r.Thinking) != `{"type":"adaptive"}` || string(r.Output) != `{"effort":"high"}` {
		t.Errorf("request %s", r.Body)
	}
	if len(r.System) != 3 || !strings.Contains(r.System[1].Text, "Branch: main") || !strings.HasPrefix(r.System[2].Text, "Role: worker") {
		t.Errorf("system %+v", r.System)
	}
	if len(r.Tools) != 7 {
		t.Errorf("%d tools", len(r.Tools))
	}
	if v := r.Header.Get("User-Agent"); v != "git-flower" {
		t.Errorf("user agent %q", v)
	}
	if r.Header.Get("X-Api-Key") == "" || r.Header.Get("Authorization") != "" || r.Header.Get("Anthropic-Version") == "" {
		t.Errorf("header %v", r.Header)
	}
}

func TestModelsAndEffortsWeDoNotKnow(t *testing.T) {
	b := newBench(t)
	b.options.Model = "local/model"
	b.stub.Push(harnesstest.Say("ok"))
	b.done("hi")
	if r := b.stub.Last(); r.Model != "local/model" || r.MaxTokens != unknownMaxOutput || r.Thinking != nil {
		t.Errorf("request %s", r.Body)
	}
	b = newBench(t, func(c *Config) {
		c.Models = []harness.Model{{ID: "old", MaxOutput: 4000, Thinking: harness.ThinkingBudget}}
	})
	b.options.Model = "old"
	b.stub.Push(harnesstest.Say("ok"))
	b.done("hi")
	if r := b.stub.Last(); r.MaxTokens != 4000 || string(r.Thinking) != `{"type":"enabled","budget_tokens":2000}` {
		t.Errorf("request %s", r.Body)
	}
	b.options.Model, b.options.Effort = "opus", "heroic"
	if _, err := b.harness.Start(t.Context(), b.options); err == nil || !strings.Contains(err.Error(), "heroic") {
		t.Errorf("effort: %v", err)
	}
}

func TestTokenGoesIntoAuthorization(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Leak: yes")
	b := newBench(t, func(c *Config) { c.AuthToken, c.APIKey = c.APIKey, "" })
	b.stub.Push(harnesstest.Say("ok"))
	b.done("hi")
	h := b.stub.Last().Header
	if h.Get("Authorization") != "Bearer "+b.stub.Key || h.Get("X-Api-Key") != "" || h.Get("X-Leak") != "" {
		t.Errorf("header %v", h)
	}
}

func TestConfigurationsThatCannotWork(t *testing.T) {
	store := &harnesstest.Transcript{}
	for name, c := range map[string]Config{
		"no transcript":     {APIKey: "k"},
		"two credentials":   {APIKey: "k", AuthToken: "t", Transcript: store},
		"no scheme":         {BaseURL: "localhost:80", Transcript: store},
		"not http":          {BaseURL: "ftp://x", Transcript: store},
		"broken address":    {BaseURL: "http://[", Transcript: store},
		"password in error": {BaseURL: "ftp://u:hunter2@x", Transcript: store},
	} {
		if _, err := New(c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	h, err := New(Config{Transcript: store})
	if err != nil {
		t.Fatal(err)
	}
	tool := harness.Tool{Name: "x", Schema: json.RawMessage(`{}`), Call: func(context.Context, string, json.RawMessage) (harness.Result, error) {
		return harness.Result{}, nil
	}}
	bad := tool
	bad.Schema = json.RawMessage(`[`)
	read := tool
	read.Name = "Read"
	for name, o := range map[string]harness.Options{
		"no id":         {Dir: "/"},
		"relative":      {Session: "s", Dir: "x"},
		"bad schema":    {Session: "s", Dir: "/", Custom: []harness.Tool{bad}},
		"twice":         {Session: "s", Dir: "/", Custom: []harness.Tool{tool, tool}},
		"built-in name": {Session: "s", Dir: "/", Tools: []string{"Read"}, Custom: []harness.Tool{read}},
		"no call":       {Session: "s", Dir: "/", Custom: []harness.Tool{{Name: "x", Schema: json.RawMessage(`{}`)}}},
	} {
		if _, err := h.Start(t.Context(), o); err == nil {
			t.Errorf("%s: started", name)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Reply{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {b.stub.URL + "/elsewhere"}}, Body: " "})
	if ended, _ := b.turn("hi"); ended.Fault == nil || ended.Fault.Class != harness.Invalid {
		t.Errorf("ended %+v", ended.Fault)
	}
	if n := len(b.stub.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestNothingRunsWhenTheTranscriptFails(t *testing.T) {
	b := newBench(t)
	full := errors.New("no space left on device")
	b.stub.Push(harnesstest.Use("toolu_1", "Write", map[string]string{"file_path": "made", "content": "x"}), harnesstest.Say("ok"))
	n := 0
	b.transcript.OnAppend = func(string, []json.RawMessage) error {
		if n++; n == 2 { // the answer
			return full
		}
		return nil
	}
	ended, _ := b.turn("go")
	if ended.Fault == nil || ended.Fault.Class != harness.Broken || !strings.Contains(ended.Fault.Message, full.Error()) {
		t.Fatalf("ended %+v", ended)
	}
	if exists(b.options.Dir + "/made") {
		t.Error("the call was made though its answer is not kept")
	}
	b.done("")
	if n := len(b.stub.Last().Messages); n != 1 {
		t.Errorf("%d messages in the next request", n)
	}
}

func TestResultThatCouldNotBeKeptIsHealed(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Use("toolu_1", "Bash", map[string]string{"command": "true"}), harnesstest.Say("ok"))
	n := 0
	b.transcript.OnAppend = func(string, []json.RawMessage) error {
		if n++; n == 3 { // the result
			return errors.New("no space left on device")
		}
		return nil
	}
	if ended, _ := b.turn("go"); ended.Fault == nil || ended.Fault.Class != harness.Broken {
		t.Fatalf("ended %+v", ended)
	}
	b.done("")
	if m := b.lastMessage().Content; !m[0].IsError || !strings.HasPrefix(m[0].Result(), "[interrupted]") {
		t.Errorf("sent back %+v", m)
	}
}

func TestSayingNothingToANewSession(t *testing.T) {
	b := newBench(t)
	if ended, _ := b.turn(""); ended.Fault == nil || ended.Fault.Class != harness.Invalid {
		t.Errorf("ended %+v", ended)
	}
}

func TestDamagedTranscriptIsNamed(t *testing.T) {
	b := newBench(t)
	_ = b.transcript.Append(t.Context(), sessionID, json.RawMessage(`{"type":"user","uuid":"u1","message":{"content":"hi"}}`), json.RawMessage("\x00\x00"))
	b.options.Resume = true
	if _, err := b.harness.Start(t.Context(), b.options); err == nil || !strings.Contains(err.Error(), "entry 2") {
		t.Errorf("start: %v", err)
	}
}
