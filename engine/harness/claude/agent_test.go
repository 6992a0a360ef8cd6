package claude

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/guards"
)

// What a sub-agent of the CLI's wants to do is asked about like anything else,
// under its own name, and what it said and did is kept.
func TestSubAgentsAreGuarded(t *testing.T) {
	stub := harnesstest.NewStub(t)
	stub.Answer = func(r harnesstest.Received) harnesstest.Reply {
		sub, done := strings.Contains(r.Conversation()[0].Content[0].Text, "look"), len(r.Results()) > 0
		switch {
		case sub && !done:
			return harnesstest.Reply{Blocks: []harnesstest.Block{
				harnesstest.CallBlock("toolu_s1", "Bash", map[string]string{"command": "echo allowed"}),
				harnesstest.CallBlock("toolu_s2", "Bash", map[string]string{"command": "echo forbidden"}),
			}}
		case sub:
			return harnesstest.Say("the sub-agent's report")
		case !done:
			return harnesstest.Use("toolu_1", "Agent", map[string]string{"subagent_type": "general-purpose", "description": "x", "prompt": "look"})
		}
		return harnesstest.Say("done")
	}
	var mu sync.Mutex
	asked := map[string]string{}
	h := newHarness(t, stub, &harnesstest.Transcript{})
	transcript := h.c.Transcript
	purse := &harnesstest.Purse{}
	o := harness.Options{Session: fakeID, Role: "worker", Agent: "coder-1", Dir: t.TempDir(), System: "Role: worker", Tools: []string{"Bash", "Agent"}, Gate: purse,
		Authorize: func(_ context.Context, c guards.Call) guards.Decision {
			mu.Lock()
			defer mu.Unlock()
			asked[string(c.Input)] = c.Agent
			if strings.Contains(string(c.Input), "forbidden") {
				return guards.Deny("not that")
			}
			return guards.Allow()
		}}
	s, err := withEnv{h}.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ended, _ := turnOf(t, s, "go")
	if ended.Stop != harness.StopDone || ended.Text != "done" {
		t.Fatalf("ended %+v", ended)
	}
	for input, agent := range asked {
		if want := strings.Contains(input, "echo"); want && agent != "general-purpose" || !want && agent != "coder-1" {
			t.Errorf("asked about %s of '%s'", input, agent)
		}
	}
	if len(asked) != 3 || purse.Admitted != 4 || purse.Open != 0 {
		t.Errorf("asked %v, %d requests admitted, %d open", asked, purse.Admitted, purse.Open)
	}
	for _, r := range stub.Requests() {
		if b, ok := r.ResultOf("toolu_s2"); ok && (!b.IsError || !strings.Contains(b.Result(), "not that")) {
			t.Errorf("the refused call gave %q", b.Result())
		}
	}
	main, _ := transcript.Load(t.Context(), fakeID)
	id := regexp.MustCompile(`"agentId":"(\w+)"`).FindSubmatch(join(main))
	if id == nil {
		t.Fatal("the session's transcript names no sub-agent")
	}
	kept, err := transcript.Load(t.Context(), fakeID+"/agent-"+string(id[1]))
	if text := string(join(kept)); err != nil || !strings.Contains(text, "the sub-agent's report") || !strings.Contains(text, "agent_metadata") {
		t.Errorf("kept of the sub-agent: %.300s, %v", text, err)
	}
}

// A session that is resumed has its sub-agents' transcripts beside its own.
func TestSubAgentsAreWrittenAnew(t *testing.T) {
	var files []string
	s := fakes(t, func(f *fakeCLI) {
		files, _ = filepath.Glob(filepath.Join(f.config(), "projects", "*", fakeID, "subagents", "*"))
		f.initialized(able)
		f.prompt()
		f.text("9", "went on")
		f.result(nil)
		f.prompt()
	})
	store := func(session string, entries ...string) {
		for _, e := range entries {
			if err := s.transcript.Append(t.Context(), session, rawMessage(e)); err != nil {
				t.Fatal(err)
			}
		}
	}
	store(fakeID, `{"uuid":"1","parentUuid":null,"type":"user","sessionId":"`+fakeID+`","message":{"role":"user","content":"go"}}`,
		`{"uuid":"2","parentUuid":"1","type":"assistant","message":{"role":"assistant","id":"m","content":[{"type":"tool_use","id":"toolu_1","name":"Agent","input":{}}]}}`,
		`{"uuid":"3","parentUuid":"2","type":"user","toolUseResult":{"agentId":"a1"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}}`)
	store(fakeID+"/agent-a1", `{"uuid":"4","parentUuid":null,"type":"user","isSidechain":true,"message":{"role":"user","content":"look"}}`, `{"type":"agent_metadata","agentType":"general-purpose"}`)
	s.o.Resume = true
	if ended, _ := s.turn(s.start(), "and?"); ended.Text != "went on" {
		t.Fatalf("ended %+v", ended)
	}
	if len(files) != 2 || filepath.Base(files[0]) != "agent-a1.jsonl" || filepath.Base(files[1]) != "agent-a1.meta.json" {
		t.Errorf("files %v", files)
	}
}

func join(entries []rawMessage) []byte {
	var all []byte
	for _, e := range entries {
		all = append(all, e...)
	}
	return all
}
