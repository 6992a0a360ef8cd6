package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate"
	"git-flower/guards"
	"git-flower/plugin"
)

// Whatever a pack says of a kind, a worker of it may do nothing that a coder may not.
func TestNoKindWidens(t *testing.T) {
	own, checkout, bench, pack := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	tools := []string{"*", "Agent", "Task", "MultiEdit", "NotebookEdit", "WebSearch", "mcp__github__push", "read", "Bash(*)", "Write(/**)"}
	for _, r := range []Role{Coordinator, Worker, Clarifier, Judge} {
		tools = append(append(tools, r.ownTools()...), r.builtin()...)
	}
	rapid.Check(t, func(t *rapid.T) {
		k := plugin.Agent{Name: "kind", Tools: rapid.SliceOf(rapid.SampledFrom(tools)).Draw(t, "tools"), Denied: rapid.SliceOf(rapid.SampledFrom(tools)).Draw(t, "denied")}
		if rapid.Bool().Draw(t, "all") {
			k.Tools = nil
		}
		e := &Engine{deps: Deps{Harness: &harnesstest.Fake{}}, c: Config{Dir: checkout, Bench: bench, Plugins: []string{pack}, Kinds: []plugin.Agent{k}}}
		policy := func(worker string) guards.Policy {
			j := job{role: Worker, worker: worker, dir: own, roots: []string{own, bench}}
			kind, err := e.kindFor(j)
			if err != nil {
				t.Fatal(err)
			}
			return e.wallsFor(j, e.builtinOf(j, kind)).policy
		}
		kind, coder := policy("kind-1"), policy("coder-1")
		for _, c := range everyCall(own, checkout, bench, pack) {
			call := guards.Call{Role: string(Worker), Agent: "kind-1", Tool: c.tool, Dir: own, Input: json.RawMessage(c.input)}
			may := kind.Decide(call).Allow
			if call.Agent = "coder-1"; may && !coder.Decide(call).Allow {
				t.Fatalf("%s: %+v may, a coder may not", c.name, k)
			}
		}
	})
}

func TestSettingsOfKinds(t *testing.T) {
	for _, c := range []struct {
		role, kind RoleConfig // the user's
		pack       RoleConfig
		want       RoleConfig
	}{
		{want: RoleConfig{Model: "run's"}},
		{pack: RoleConfig{"haiku", "low", 5}, want: RoleConfig{"haiku", "low", 5}},
		{role: RoleConfig{"opus", "high", 9}, want: RoleConfig{"opus", "high", 9}},
		{role: RoleConfig{"opus", "high", 9}, pack: RoleConfig{"haiku", "low", 5}, want: RoleConfig{"haiku", "low", 5}},
		{role: RoleConfig{"opus", "high", 9}, pack: RoleConfig{"haiku", "low", 50}, want: RoleConfig{"haiku", "low", 9}},
		{kind: RoleConfig{"sonnet", "max", 3}, pack: RoleConfig{"haiku", "low", 5}, want: RoleConfig{"sonnet", "max", 3}},
		{kind: RoleConfig{"sonnet", "max", 30}, pack: RoleConfig{"haiku", "low", 5}, want: RoleConfig{"sonnet", "max", 30}},
		{kind: RoleConfig{MaxTurns: 30}, role: RoleConfig{"opus", "high", 9}, pack: RoleConfig{"haiku", "low", 5}, want: RoleConfig{"haiku", "low", 30}},
	} {
		k := plugin.Agent{Name: "kind", Model: c.pack.Model, Effort: c.pack.Effort, MaxTurns: c.pack.MaxTurns}
		e := &Engine{c: Config{Model: "run's", Kinds: []plugin.Agent{k}, Roles: map[Role]RoleConfig{Worker: c.role, "kind": c.kind}}}
		if got := e.settings(Worker, k); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
		for _, r := range []Role{Coordinator, Judge} {
			if got := e.settings(r, plugin.Agent{}); got != (RoleConfig{Model: "run's"}) {
				t.Errorf("%s: %+v", r, got)
			}
		}
	}
}

// The names of roles and of the built-in kind are not a pack's to take.
func TestKindsThatAreNone(t *testing.T) {
	var kinds []plugin.Agent
	for _, name := range []string{"coder", "judge", "coordinator", "worker", "oracle", "clarifier", "tester"} {
		kinds = append(kinds, plugin.Agent{Name: name, Tools: []string{"Read"}, Description: "about " + name})
	}
	e := &Engine{deps: Deps{Harness: &harnesstest.Fake{}}, c: Config{Kinds: kinds}}
	if got := fmt.Sprint(e.kinds()); got != "[coder tester]" {
		t.Error(got)
	}
	if k, ok := e.kindOf("coder-3"); !ok || k.Tools != nil {
		t.Errorf("%+v %v", k, ok)
	}
	for _, worker := range []string{"judge-1", "tester", "other-1", "tester-x-1", "", "-1", "worker-1"} {
		if k, ok := e.kindOf(worker); ok && worker != "tester" {
			t.Errorf("'%s' is of the kind %+v", worker, k)
		}
	}
	schema := string(e.dispatchSchema())
	if !json.Valid([]byte(schema)) || !strings.Contains(schema, `"enum": ["coder","tester"]`) {
		t.Error(schema)
	}
	if words := e.kindWords(); !strings.Contains(words, "- tester: about tester (its only tools: Read)") || strings.Contains(words, "about judge") {
		t.Error(words)
	}
	for worker, right := range map[string]bool{"coder": true, "tester": true, "judge": false, "tester-1": false, "": false} {
		_, err := e.decodeTasks([]byte(fmt.Sprintf(`{"tasks":[{"worker":%q,"task":"x"}]}`, worker)))
		if (err == nil) != right {
			t.Errorf("'%s': %v", worker, err)
		}
	}
}

// withKind is a rig whose coordinator sends out a tester first.
func withKind(seen func(harness.Options)) *rig {
	r := newRig()
	r.config.Plugins = []string{"/packs/kit"}
	r.config.Kinds = []plugin.Agent{{Name: "tester", Description: "tests", Prompt: "Test it hard.", Tools: []string{"Read", "Bash"}, Model: "haiku"}}
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		seen(t.Options)
		if t.Options.Role == string(Coordinator) && t.N == 1 && len(t.Answered) == 0 {
			t.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "tester", "task": "test it"}}})
		}
		return r.play(t)
	}
	return r
}

func TestWorkerOfAKind(t *testing.T) {
	var tester, coder, judge harness.Options
	r := withKind(func(o harness.Options) {
		switch {
		case o.Agent == "tester-1":
			tester = o
		case o.Role == string(Worker):
			coder = o
		case o.Role == string(Judge):
			judge = o
		}
	})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(tester.System, "Test it hard.") || !strings.Contains(tester.System, "Role: worker") || tester.Model != "haiku" ||
		fmt.Sprint(tester.Tools) != "[Read Bash BashOutput KillShell]" || fmt.Sprint(tester.Plugins) != "[/packs/kit]" {
		t.Errorf("%+v", tester)
	}
	if strings.Contains(coder.System, "Your kind") || coder.Model != "claude-opus-5-5" || len(coder.Tools) != len((&harnesstest.Fake{}).Tools()) {
		t.Errorf("%+v", coder)
	}
	if judge.Plugins != nil {
		t.Errorf("the judge has packs: %+v", judge.Plugins)
	}
	begun, _ := r.state.History().Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindSession && d.Meta.Worker == "tester-1" })
	if begun.Meta.Model != "haiku" {
		t.Errorf("%+v", begun.Meta)
	}
}

// A worker whose kind is not known any more does not go on as another one.
func TestWorkerOfAKindThatIsGone(t *testing.T) {
	var played []string
	r := withKind(func(o harness.Options) { played = append(played, o.Agent) })
	killed := false
	r.state.die = func(moment string) bool {
		_, begun := r.state.h.Last(func(d gitstate.Doc) bool { return d.Meta.Worker == "tester-1" })
		killed = killed || begun
		return begun
	}
	if _, err := r.run(t); err == nil || !killed {
		t.Fatalf("not killed: %v", err)
	}
	r.state.die, r.config.Kinds = nil, nil
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	for _, agent := range played {
		if agent == "tester-1" {
			t.Error("it went on")
		}
	}
	report, ok := r.state.History().Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindReport && d.Meta.Worker == "tester-1" })
	if !ok || report.Meta.State != reportFailed || !strings.Contains(report.Body, "no kind of worker") {
		t.Errorf("%v %+v", ok, report)
	}
}
