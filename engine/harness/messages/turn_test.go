package messages

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/harness/wire"
	"git-flower/guards"
)

func TestStopReasons(t *testing.T) {
	call := harnesstest.Use("toolu_1", "Bash", map[string]string{"command": "touch made"})
	for _, c := range []struct {
		name    string
		replies []harnesstest.Reply
		stop    harness.Stop
		class   harness.Class
		text    string
		made    bool // the call was made
	}{
		{"end_turn", []harnesstest.Reply{harnesstest.Say("a")}, harness.StopDone, 0, "a", false},
		{"stop_sequence", []harnesstest.Reply{harnesstest.Say("a").Stopping("stop_sequence")}, harness.StopDone, 0, "a", false},
		{"tool_use", []harnesstest.Reply{call, harnesstest.Say("a")}, harness.StopDone, 0, "a", true},
		{"end_turn with a call", []harnesstest.Reply{call.Stopping("end_turn"), harnesstest.Say("a")}, harness.StopDone, 0, "a", true},
		{"pause_turn", []harnesstest.Reply{harnesstest.Say("a").Stopping("pause_turn"), harnesstest.Say("b")}, harness.StopDone, 0, "b", false},
		{"refusal", []harnesstest.Reply{harnesstest.Say("a").Stopping("refusal")}, harness.StopFault, harness.Refused, "", false},
		{"refusal with a call", []harnesstest.Reply{call.Stopping("refusal")}, harness.StopFault, harness.Refused, "", false},
		{"full window", []harnesstest.Reply{harnesstest.Say("a").Stopping("model_context_window_exceeded")}, harness.StopFault, harness.PromptTooLong, "", false},
		{"unknown", []harnesstest.Reply{harnesstest.Say("a").Stopping("moonrise")}, harness.StopDone, 0, "a", false},
		{"unknown with a call", []harnesstest.Reply{call.Stopping("moonrise")}, harness.StopDone, 0, "", false},
		{"cut once", []harnesstest.Reply{harnesstest.Say("first ").Stopping("max_tokens"), harnesstest.Say("second")}, harness.StopDone, 0, "first second", false},
		{"cut twice", []harnesstest.Reply{harnesstest.Say("a").Stopping("max_tokens"), harnesstest.Say("b").Stopping("max_tokens")}, harness.StopMaxTokens, 0, "ab", false},
		{"cut call", []harnesstest.Reply{call.Stopping("max_tokens"), harnesstest.Say("a")}, harness.StopDone, 0, "a", false},
		{"cut call twice", []harnesstest.Reply{call.Stopping("max_tokens"), call.Stopping("max_tokens")}, harness.StopMaxTokens, 0, "", false},
		{"cut in thought", []harnesstest.Reply{{Blocks: []harnesstest.Block{harnesstest.ThinkingBlock("hm", "")}, Stop: "max_tokens"}, harnesstest.Say("a")}, harness.StopDone, 0, "a", false},
		{"empty once", []harnesstest.Reply{{}, harnesstest.Say("a")}, harness.StopDone, 0, "a", false},
		{"empty twice", []harnesstest.Reply{{}, {}}, harness.StopDone, 0, "", false},
		{"blank", []harnesstest.Reply{harnesstest.Say(" \n"), harnesstest.Say("a")}, harness.StopDone, 0, "a", false},
		{"only thoughts", []harnesstest.Reply{{Blocks: []harnesstest.Block{harnesstest.ThinkingBlock("hm", "s")}}, harnesstest.Say("a")}, harness.StopDone, 0, "a", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.stub.Push(c.replies...)
			ended, _ := b.turn("go")
			if ended.Stop != c.stop || ended.Text != c.text || ended.Fault != nil && ended.Fault.Class != c.class || (ended.Fault != nil) != (c.stop == harness.StopFault) {
				t.Errorf("ended %+v, fault %v", ended, ended.Fault)
			}
			if n := len(b.stub.Requests()); n != len(c.replies) {
				t.Errorf("%d requests for %d replies", n, len(c.replies))
			}
			if made := exists(b.options.Dir + "/made"); made != c.made {
				t.Errorf("call made: %v", made)
			}
			b.stub.Push(harnesstest.Say("alive")) // the stub refuses a history that is not whole
			b.done("still there?")
		})
	}
}

func TestWholeCallsOfACutAnswerAreRun(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Use("toolu_1", "Write", map[string]string{"file_path": "whole", "content": "x"}).
		And(harnesstest.RawCallBlock("toolu_2", "Write", `{"file_path":"cut","conte`)).Stopping("max_tokens"), harnesstest.Say("ok"))
	b.done("go")
	if !exists(b.options.Dir+"/whole") || exists(b.options.Dir+"/cut") {
		t.Error("wrong calls were run")
	}
	if m := b.lastMessage().Content; len(m) != 2 || m[0].IsError || !strings.HasPrefix(m[1].Result(), "[cut off]") {
		t.Errorf("sent back %+v", m)
	}
}

func TestCutOffsCountOneAfterTheOther(t *testing.T) {
	b := newBench(t)
	cut := harnesstest.Use("toolu_x", "Bash", map[string]string{"command": "true"}).Stopping("max_tokens")
	for range 3 {
		b.stub.Push(cut, harnesstest.Use("toolu_y", "Bash", map[string]string{"command": "true"}))
	}
	b.stub.Push(harnesstest.Say("ok"))
	b.done("go")
}

func TestPausingForEverEnds(t *testing.T) {
	b := newBench(t)
	b.stub.Answer = func(harnesstest.Received) harnesstest.Reply { return harnesstest.Say("wait").Stopping("pause_turn") }
	if ended, _ := b.turn("go"); ended.Stop != harness.StopFault {
		t.Errorf("ended %+v", ended)
	}
}

func TestCallIDsAreMadeUnique(t *testing.T) {
	b := newBench(t)
	echo := func(id, text string) harnesstest.Block {
		return harnesstest.CallBlock(id, "Bash", map[string]string{"command": "echo " + text})
	}
	b.stub.Push(
		harnesstest.Reply{Blocks: []harnesstest.Block{echo("toolu_1", "one"), echo("toolu_1", "two"), echo("", "three"), echo("no good!", "four")}},
		harnesstest.Reply{Blocks: []harnesstest.Block{echo("toolu_1", "five")}},
		harnesstest.Say("ok"))
	b.done("go")
	var got []string
	ids := map[string]bool{}
	for _, m := range b.stub.Last().Messages {
		for _, block := range m.Content {
			if block.Type == "tool_result" {
				got = append(got, block.Result())
				ids[block.ToolUseID] = true
			}
		}
	}
	if strings.Join(got, " ") != "one two three four five" || len(ids) != 5 {
		t.Errorf("results %v, ids %v", got, ids)
	}
}

func TestInputsThatAreNoObject(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Reply{Blocks: []harnesstest.Block{
		harnesstest.RawCallBlock("toolu_1", "Bash", `{"command": "tr`), harnesstest.RawCallBlock("toolu_2", "Bash", `["true"]`),
		harnesstest.RawCallBlock("toolu_3", "Bash", `{"command": 7}`), harnesstest.RawCallBlock("toolu_4", "Bash", ``),
	}}, harnesstest.Say("ok"))
	b.done("go")
	m := b.lastMessage().Content
	if len(m) != 4 {
		t.Fatalf("sent back %+v", m)
	}
	for _, r := range m {
		if !r.IsError {
			t.Errorf("no error: %+v", r)
		}
	}
}

func TestUnknownToolNamesTheTools(t *testing.T) {
	b := newBench(t)
	b.options.Tools = []string{"Read", "Glob"}
	b.stub.Push(harnesstest.Use("toolu_1", "Bash", map[string]string{"command": "touch made"}), harnesstest.Say("ok"))
	b.done("go")
	if r := b.lastMessage().Content[0]; !r.IsError || !strings.Contains(r.Result(), "Read, Glob") {
		t.Errorf("result %+v", r)
	}
	if exists(b.options.Dir + "/made") {
		t.Error("a tool that was not offered was run")
	}
}

func TestReadersRunTogetherAndWritersAlone(t *testing.T) {
	s := &toolset{offered: []*tool{{name: "r", parallel: true}, {name: "w"}}}
	for calls, want := range map[string]int{"w": 1, "r": 1, "rr": 2, "rrw": 2, "wr": 1, "r?r": 3, "rwr": 1} {
		var ks []call
		for _, c := range calls {
			ks = append(ks, call{name: string(c)})
		}
		if got := s.group(ks); got != want {
			t.Errorf("group(%s) = %d, want %d", calls, got, want)
		}
	}
}

func TestCallsAfterAStopAreNotRun(t *testing.T) {
	b := newBench(t)
	b.options.Custom = []harness.Tool{{Name: "verdict", Schema: json.RawMessage(`{"type":"object"}`),
		Call: func(context.Context, string, json.RawMessage) (harness.Result, error) {
			return harness.Result{Text: "taken"}, harness.ErrStop
		}}}
	b.stub.Push(harnesstest.Use("toolu_1", "verdict", struct{}{}).
		And(harnesstest.CallBlock("toolu_2", "Bash", map[string]string{"command": "touch made"})))
	ended, events := b.turn("go")
	if ended.Stop != harness.StopTool || exists(b.options.Dir+"/made") {
		t.Errorf("ended %+v", ended)
	}
	if n := len(slices.DeleteFunc(events, func(e harness.Event) bool { _, ok := e.(harness.ToolResult); return !ok })); n != 2 {
		t.Errorf("%d results", n)
	}

	// The end is remembered: carrying on asks the model nothing.
	_ = b.session.Close()
	b.options.Resume, b.session = true, nil
	if ended, _ := b.turn(""); ended.Stop != harness.StopTool {
		t.Errorf("resumed: %+v", ended)
	}

	// Words said after it want an answer, also when a crash came in between.
	b.stub.Push(harnesstest.Fail(500, "api_error", "down"), harnesstest.Say("ok"))
	if ended, _ := b.turn("but then"); ended.Fault == nil {
		t.Errorf("ended %+v", ended)
	}
	_ = b.session.Close()
	b.session = nil
	b.done("")
}

func TestInterruptedTurnTellsTheModelOnce(t *testing.T) {
	b := newBench(t)
	entered := make(chan struct{})
	b.options.Custom = []harness.Tool{{Name: "wait", Schema: json.RawMessage(`{"type":"object"}`),
		Call: func(ctx context.Context, _ string, _ json.RawMessage) (harness.Result, error) {
			close(entered)
			<-ctx.Done()
			return harness.Result{}, ctx.Err()
		}}}
	b.stub.Push(harnesstest.Use("toolu_1", "wait", struct{}{}).And(harnesstest.CallBlock("toolu_2", "Bash", map[string]string{"command": "touch made"})), harnesstest.Say("ok"))
	b.start()
	go func() { <-entered; _ = b.session.Interrupt(t.Context()) }()
	ended, events := b.turn("go")
	if ended.Stop != harness.StopInterrupted || exists(b.options.Dir+"/made") {
		t.Fatalf("ended %+v", ended)
	}
	calls := map[string]int{}
	for _, e := range events {
		switch e := e.(type) {
		case harness.ToolCall:
			calls["call "+e.ID]++
		case harness.ToolResult:
			calls["result "+e.ID]++
		}
	}
	for _, k := range []string{"call toolu_1", "call toolu_2", "result toolu_1", "result toolu_2"} {
		if calls[k] != 1 {
			t.Errorf("%s: %d times", k, calls[k])
		}
	}
	_ = b.session.Close()
	b.options.Resume, b.session = true, nil
	b.done("go on")
}

func TestStalledStreamIsANetworkFault(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Stall = 30 * time.Millisecond })
	held := harnesstest.Say("never done")
	held.Hold = make(chan struct{})
	b.stub.Push(held)
	if ended, _ := b.turn("go"); ended.Fault == nil || ended.Fault.Class != harness.Network || !strings.Contains(ended.Fault.Message, wire.ErrStalled.Error()) {
		t.Errorf("ended %+v", ended.Fault)
	}
}

func TestReasoningWithoutSignatureIsNotSentBack(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Reply{Blocks: []harnesstest.Block{harnesstest.ThinkingBlock("unsigned", ""), harnesstest.ThinkingBlock("weighed", "sig"),
		harnesstest.TextBlock("a")}}, harnesstest.Say("b"))
	b.done("go")
	b.done("on")
	body := string(b.stub.Last().Body)
	if strings.Contains(body, "unsigned") || !strings.Contains(body, `"thinking":"weighed","type":"thinking"`) && !strings.Contains(body, `"thinking":"weighed","signature":"sig"`) {
		t.Error(body[strings.Index(body, `"messages"`):])
	}
}

func TestBlockThatIsWholeFromTheStart(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Reply{Blocks: []harnesstest.Block{{Raw: json.RawMessage(`{"type":"text","text":"all at once"}`)},
		{Raw: json.RawMessage(`{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"echo whole"}}`)}}}, harnesstest.Say("ok"))
	_, events := b.turn("go")
	if !slices.Contains(events, harness.Event(harness.Text{Text: "all at once"})) || b.lastMessage().Content[0].Result() != "whole" {
		t.Errorf("events %+v", events)
	}
}

func TestPanickingGuardDenies(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Use("toolu_1", "Bash", map[string]string{"command": "touch made"}), harnesstest.Say("ok"))
	b.options.Authorize = func(context.Context, guards.Call) guards.Decision { panic("guard") }
	_, events := b.turn("go")
	for _, e := range events {
		if r, ok := e.(harness.ToolResult); ok && !r.Denied {
			t.Errorf("result %+v", r)
		}
	}
	if exists(b.options.Dir + "/made") {
		t.Error("run without a guard")
	}
}

// TestChaosDoesNotChangeTheWork runs a small job through broken turns: the file
// has every line once, in order, whatever broke off between them.
func TestChaosDoesNotChangeTheWork(t *testing.T) { harnesstest.RunChaos(t, maker, 12) }

// TestEveryCrashPointResumes cuts the transcript after each entry, as a crash
// would, and resumes: the model's view is whole and the turn comes to its end.
func TestEveryCrashPointResumes(t *testing.T) {
	harnesstest.RunCrashes(t, maker, func(int, int) bool { return true }, func(c *harnesstest.Case) {
		var last string
		entries, _ := c.Transcript.Load(c.Ctx, c.Options.Session)
		for i, raw := range entries {
			var e struct {
				UUID       string
				ParentUUID string
			}
			_ = json.Unmarshal(raw, &e)
			if e.ParentUUID != last {
				c.Errorf("entry %d does not follow the one before", i)
			}
			last = e.UUID
		}
	})
}
