package harnesstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/guards"
)

// A Maker makes the harness under test, so that it talks to the stub and keeps
// its sessions in the transcript.
type Maker func(t *testing.T, s *Stub, transcript harness.Transcript) harness.Harness

// patience bounds each case; nothing in the suite waits for time to pass.
const patience = time.Minute

// Run checks that a harness keeps the contract of package harness.
func Run(t *testing.T, make Maker) {
	for name, test := range map[string]func(*Case){
		"an answer ends the turn":                        answerEnds,
		"a call is made and its result goes back":        callRoundTrip,
		"calls of ours side by side":                     parallelCalls,
		"a refused call is not made":                     refusedCall,
		"no guard, no call":                              noGuard,
		"the guard may change the input":                 changedInput,
		"a result may be replaced":                       observedResult,
		"an unknown tool is an error result":             unknownTool,
		"an error and a panic of a tool are results":     failingTools,
		"a tool may abort the turn and is made again":    abortingTool,
		"a tool may end the turn":                        stoppingTool,
		"words during a turn go along":                   queuedWords,
		"words are kept under their id, once":            wordsOnce,
		"words that wait together are said together":     wordsTogether,
		"the purse is settled for each admission":        purse,
		"who waits long has the prompt kept longer":      hourCache,
		"a full purse is a fault":                        fullPurse,
		"a fault ends the turn and it can be carried on": faultAndOn,
		"a broken stream leaves no trace":                brokenStream,
		"turns are limited":                              maxTurns,
		"interrupt cuts a request":                       interruptRequest,
		"interrupt cuts a tool":                          interruptTool,
		"leaving cuts a tool, resuming calls it again":   leaveAndResume,
		"leaving cuts the guard, resuming asks it again": leaveWhileAsked,
		"resume tells what was cut off":                  resumeCutOff,
		"resume leaves out what has gone stale":          resumeShort,
		"an ended turn is told from its stored reply":    resumeEnded,
		"a session that never was":                       noSession,
		"a fork goes its own way":                        forked,
		"close is final":                                 closeIsFinal,
		"an answer is kept before its tools run":         keptFirst,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			test(newCase(ctx, t, make))
		})
	}
}

func newCase(ctx context.Context, t *testing.T, make Maker) *Case {
	c := &Case{T: t, Ctx: ctx, Stub: NewStub(t), Transcript: &Transcript{}}
	c.Harness = make(t, c.Stub, c.Transcript)
	c.Options = harness.Options{
		Session: "11111111-2222-4333-8444-555555555555", Role: "worker", Agent: "coder-1",
		Dir: t.TempDir(), System: "Role: worker", Tools: []string{"Read", "Write", "Bash"},
		Authorize: func(context.Context, guards.Call) guards.Decision { return guards.Allow() },
	}
	return c
}

// A Case is what one case of the suite works with.
type Case struct {
	*testing.T
	Ctx        context.Context
	Stub       *Stub
	Transcript *Transcript
	Harness    harness.Harness
	Options    harness.Options
}

// start opens the case's session and closes it with the test.
func (c *Case) start() harness.Session {
	c.Helper()
	s, err := c.Harness.Start(c.Ctx, c.Options)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = s.Close() })
	return s
}

func (c *Case) send(s harness.Session, text string) {
	c.Helper()
	if err := s.Send(c.Ctx, harness.Message{Text: text}); err != nil {
		c.Fatal(err)
	}
}

// finish pulls until the turn has ended.
func (c *Case) finish(s harness.Session) (harness.Ended, []harness.Event) {
	c.Helper()
	var events []harness.Event
	for {
		e, err := s.Next(c.Ctx)
		if err != nil {
			c.Fatal(err)
		}
		if ended, ok := e.(harness.Ended); ok {
			return ended, events
		}
		events = append(events, e)
	}
}

// turn says something and pulls until the turn has ended as it should.
func (c *Case) turn(s harness.Session, text string, want harness.Stop) (harness.Ended, []harness.Event) {
	c.Helper()
	c.send(s, text)
	ended, events := c.finish(s)
	if ended.Stop != want {
		c.Fatalf("turn ended with %v (%v), want %v", ended.Stop, ended.Fault, want)
	}
	if (ended.Fault != nil) != (want == harness.StopFault) {
		c.Fatalf("fault %v with stop %v", ended.Fault, want)
	}
	return ended, events
}

// pull pulls until an event of type E has come.
func pull[E harness.Event](c *Case, s harness.Session) E {
	c.Helper()
	for {
		e, err := s.Next(c.Ctx)
		if err != nil {
			c.Fatal(err)
		}
		if want, ok := e.(E); ok {
			return want
		}
	}
}

func results(events []harness.Event) []harness.ToolResult {
	var rs []harness.ToolResult
	for _, e := range events {
		if r, ok := e.(harness.ToolResult); ok {
			rs = append(rs, r)
		}
	}
	return rs
}

// custom is a tool of ours.
func custom(name string, call func(ctx context.Context, id string) (harness.Result, error)) harness.Tool {
	return harness.Tool{Name: name, Description: "for the test", Schema: json.RawMessage(`{"type":"object"}`),
		Call: func(ctx context.Context, id string, _ json.RawMessage) (harness.Result, error) { return call(ctx, id) }}
}

func answerEnds(c *Case) {
	c.Stub.Push(Reply{Blocks: []Block{ThinkingBlock("hm", "sig"), TextBlock("hello")}, Model: "claude-other-1-20260101"}, Say("again"))
	s := c.start()
	ended, events := c.turn(s, "hi", harness.StopDone)
	if ended.Text != "hello" || !slices.Contains(events, harness.Event(harness.Text{Text: "hello"})) {
		c.Errorf("ended %+v, events %v", ended, events)
	}
	if i := slices.IndexFunc(events, func(e harness.Event) bool { _, ok := e.(harness.Responded); return ok }); i < 0 {
		c.Error("no Responded event")
	} else if r := events[i].(harness.Responded); r.Usage.Input == 0 || r.Usage.Output == 0 || r.Model != "claude-other-1-20260101" {
		c.Errorf("served by '%s', usage %+v", r.Model, r.Usage)
	}
	if ended, _ := c.turn(s, "and?", harness.StopDone); ended.Text != "again" {
		c.Errorf("second turn: %+v", ended)
	}
	if !strings.Contains(string(c.Stub.Last().Body), "hello") {
		c.Error("the second request lacks the first answer")
	}
}

func callRoundTrip(c *Case) {
	c.Stub.Push(Use("toolu_1", "Write", map[string]string{"file_path": c.Options.Dir + "/a.txt", "content": "one\n"}),
		Use("toolu_2", "Read", map[string]string{"file_path": c.Options.Dir + "/a.txt"}), Say("done"))
	var asked []guards.Call
	c.Options.Authorize = func(_ context.Context, k guards.Call) guards.Decision {
		asked = append(asked, k)
		return guards.Allow()
	}
	_, events := c.turn(c.start(), "go", harness.StopDone)
	rs := results(events)
	if len(rs) != 2 || rs[0].ID != "toolu_1" || rs[1].Result.IsError || !strings.Contains(rs[1].Result.Text, "one") {
		c.Fatalf("results %+v", rs)
	}
	if got := c.Stub.Last().Results(); len(got) != 1 || !strings.Contains(got[0].Result(), "one") {
		c.Errorf("sent back %+v", got)
	}
	if len(asked) != 2 || asked[0].Tool != "Write" || asked[0].Role != "worker" || asked[0].Agent != "coder-1" || asked[0].Dir != c.Options.Dir {
		c.Errorf("guards saw %+v", asked)
	}
}

func parallelCalls(c *Case) {
	c.Stub.Push(Reply{Blocks: []Block{CallBlock("toolu_a", "meet", struct{}{}), CallBlock("toolu_b", "meet", struct{}{})}}, Say("met"))
	var both sync.WaitGroup
	both.Add(2)
	meet := custom("meet", func(_ context.Context, id string) (harness.Result, error) {
		both.Done()
		both.Wait() // hangs unless the other runs too
		return harness.Result{Text: "met " + id}, nil
	})
	meet.Parallel = true
	c.Options.Custom = []harness.Tool{meet}
	c.turn(c.start(), "go", harness.StopDone)
	last := c.Stub.Last()
	for _, id := range []string{"toolu_a", "toolu_b"} {
		if got, ok := last.ResultOf(id); !ok || got.Result() != "met "+id || len(last.Results()) != 2 {
			c.Errorf("sent back %+v", last.Results())
		}
	}
}

func refusedCall(c *Case) {
	c.Stub.Push(Use("toolu_1", "Bash", map[string]string{"command": "touch made"}), Say("ok"))
	c.Options.Authorize = func(context.Context, guards.Call) guards.Decision { return guards.Deny("use Read for that") }
	_, events := c.turn(c.start(), "go", harness.StopDone)
	rs := results(events)
	if len(rs) != 1 || !rs[0].Denied || !rs[0].Result.IsError {
		c.Fatalf("results %+v", rs)
	}
	if got := c.Stub.Last().Results(); !got[0].IsError || !strings.Contains(got[0].Result(), "use Read for that") {
		c.Errorf("sent back %+v", got)
	}
	// By that mark later readings know what they may leave out, and reports count.
	stored, _ := c.Transcript.Load(c.Ctx, c.Options.Session)
	if n := strings.Count(fmt.Sprintf("%s", stored), `"toolDenialKind":"permission-rule"`); n != 1 {
		c.Errorf("%d stored entries are marked as refused: %s", n, stored)
	}
}

func noGuard(c *Case) {
	c.Stub.Push(Use("toolu_1", "ours", struct{}{}), Say("ok"))
	c.Options.Authorize = nil
	c.Options.Custom = []harness.Tool{custom("ours", func(context.Context, string) (harness.Result, error) {
		c.Error("called without a guard")
		return harness.Result{}, nil
	})}
	c.turn(c.start(), "go", harness.StopDone)
}

func changedInput(c *Case) {
	c.Stub.Push(Use("toolu_1", "ours", map[string]int{"n": 1}), Say("ok"))
	c.Options.Authorize = func(context.Context, guards.Call) guards.Decision {
		return guards.Decision{Allow: true, Input: json.RawMessage(`{"n":2}`)}
	}
	var got string
	tool := custom("ours", nil)
	tool.Call = func(_ context.Context, _ string, in json.RawMessage) (harness.Result, error) {
		got = string(in)
		return harness.Result{Text: "x"}, nil
	}
	c.Options.Custom = []harness.Tool{tool}
	c.turn(c.start(), "go", harness.StopDone)
	if got != `{"n":2}` {
		c.Errorf("called with %s", got)
	}
}

func observedResult(c *Case) {
	c.Stub.Push(Use("toolu_1", "ours", struct{}{}), Say("ok"))
	c.Options.Custom = []harness.Tool{custom("ours", func(context.Context, string) (harness.Result, error) {
		return harness.Result{Text: "long"}, nil
	})}
	c.Options.Observe = func(_ context.Context, k guards.Call, r harness.Result) harness.Result {
		return harness.Result{Text: k.Tool + " short for " + r.Text}
	}
	_, events := c.turn(c.start(), "go", harness.StopDone)
	if rs := results(events); rs[0].Result.Text != "ours short for long" || c.Stub.Last().Results()[0].Result() != rs[0].Result.Text {
		c.Errorf("result %+v", rs[0])
	}
}

func unknownTool(c *Case) {
	c.Stub.Push(Use("toolu_1", "Fly", struct{}{}), Say("ok"))
	_, events := c.turn(c.start(), "go", harness.StopDone)
	if rs := results(events); len(rs) != 1 || !rs[0].Result.IsError {
		c.Errorf("results %+v", rs)
	}
}

func failingTools(c *Case) {
	c.Stub.Push(Use("toolu_1", "fails", struct{}{}), Use("toolu_2", "panics", struct{}{}), Say("ok"))
	c.Options.Custom = []harness.Tool{
		custom("fails", func(context.Context, string) (harness.Result, error) {
			return harness.Result{}, errors.New("no such thing")
		}),
		custom("panics", func(context.Context, string) (harness.Result, error) { panic("oops") }),
	}
	_, events := c.turn(c.start(), "go", harness.StopDone)
	for _, r := range results(events) {
		if !r.Result.IsError || r.Denied {
			c.Errorf("result %+v", r)
		}
	}
	if !strings.Contains(results(events)[0].Result.Text, "no such thing") {
		c.Error("the error's words are lost")
	}
}

func stoppingTool(c *Case) {
	c.Stub.Push(Use("toolu_1", "verdict", struct{}{}), Say("thanks"))
	c.Options.Custom = []harness.Tool{custom("verdict", func(context.Context, string) (harness.Result, error) {
		return harness.Result{Text: "taken"}, errors.Join(harness.ErrStop)
	})}
	s := c.start()
	_, events := c.turn(s, "judge", harness.StopTool)
	if rs := results(events); len(rs) != 1 || rs[0].Result.IsError || rs[0].Result.Text != "taken" {
		c.Errorf("results %+v", rs)
	}
	c.turn(s, "one more thing", harness.StopDone)
}

func abortingTool(c *Case) {
	c.Stub.Push(Use("toolu_1", "dispatch", struct{}{}), Say("ok"))
	var ids []string
	c.Options.Custom = []harness.Tool{custom("dispatch", func(_ context.Context, id string) (harness.Result, error) {
		if ids = append(ids, id); len(ids) == 1 {
			return harness.Result{}, errors.Join(harness.ErrAbort)
		}
		return harness.Result{Text: "report"}, nil
	})}
	s := c.start()
	if _, events := c.turn(s, "go", harness.StopTool); len(results(events)) != 0 {
		c.Errorf("results %+v", results(events))
	}
	_ = s.Close()
	c.Options.Resume = true
	c.turn(c.start(), "", harness.StopDone)
	if len(ids) != 2 || ids[0] != ids[1] || c.Stub.Last().Results()[0].Result() != "report" {
		c.Errorf("called under %v", ids)
	}
}

func queuedWords(c *Case) {
	c.Stub.Push(Use("toolu_1", "wait", struct{}{}), Say("ok"))
	var s harness.Session
	c.Options.Custom = []harness.Tool{custom("wait", func(ctx context.Context, _ string) (harness.Result, error) {
		return harness.Result{Text: "waited"}, s.Send(ctx, harness.Message{Text: "by the way"})
	})}
	s = c.start()
	c.turn(s, "go", harness.StopDone)
	if n := len(c.Stub.Requests()); n != 2 {
		c.Fatalf("%d requests", n)
	}
	last := c.Stub.Last()
	got := last.Results()
	if len(got) != 1 || got[0].ToolUseID != "toolu_1" || strings.Count(last.LatestText(), "by the way") != 1 {
		c.Errorf("last message %+v", last.Messages)
	}
}

func wordsOnce(c *Case) {
	m := harness.Message{ID: "99999999-2222-4333-8444-555555555555", Text: "only once"}
	c.Stub.Push(Fail(529, "overloaded_error", "busy"), Say("ok"))
	s := c.start()
	for _, want := range []harness.Stop{harness.StopFault, harness.StopDone, harness.StopDone} {
		if err := s.Send(c.Ctx, m); err != nil {
			c.Fatal(err)
		}
		if ended, _ := c.finish(s); ended.Stop != want {
			c.Fatalf("ended %+v, want %v", ended, want)
		}
	}
	if n := strings.Count(string(c.Stub.Last().Body), m.Text); n != 1 {
		c.Errorf("said %d times", n)
	}
	if said := c.spoken(); said[0].UUID != m.ID || !strings.Contains(string(said[0].Message), m.Text) {
		c.Errorf("the entry has another id: %+v", said[0])
	}
}

// wordsTogether says several things between two turns, and within one, to a
// session that goes on and to one that is resumed, which knows them all.
func wordsTogether(c *Case) {
	message := func(n int) harness.Message {
		return harness.Message{ID: fmt.Sprintf("99999999-2222-4333-8444-55555555555%d", n), Text: fmt.Sprintf("word number %d", n)}
	}
	var s harness.Session
	say := func(numbers ...int) {
		for _, n := range numbers {
			if err := s.Send(c.Ctx, message(n)); err != nil {
				c.Fatal(err)
			}
		}
	}
	c.Options.Custom = []harness.Tool{custom("wait", func(context.Context, string) (harness.Result, error) {
		say(4, 5)
		return harness.Result{Text: "waited"}, nil
	})}
	c.Stub.Push(Say("begun"), Use("toolu_1", "wait", struct{}{}), Say("ok"), Say("again"))
	s = c.start()
	say(0, 1)
	c.finish(s)
	say(2, 3)
	c.finish(s)
	if err := s.Close(); err != nil {
		c.Fatal(err)
	}
	c.Options.Resume = true
	s = c.start()
	say(0, 1, 2, 3, 4, 5, 6, 7)
	c.finish(s)
	for i, want := range [][]int{{0, 1}, {0, 1, 2, 3}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 6, 7}} {
		if i >= len(c.Stub.Requests()) {
			c.Fatalf("only %d requests", i)
		}
		body := string(c.Stub.Requests()[i].Body)
		for n := range 8 {
			if got, want := strings.Count(body, message(n).Text), len(want) > n; got > 1 || (got == 1) != want {
				c.Errorf("request %d has '%s' %d times", i, message(n).Text, got)
			}
		}
	}
	if n := len(c.Stub.Requests()); n != 4 {
		c.Errorf("%d requests", n)
	}
}
