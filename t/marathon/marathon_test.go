package main

import (
	"fmt"
	"strings"
	"testing"

	"git-flower/engine/rehearse"
)

func TestPlansAreScriptsAndTheSameForASeed(t *testing.T) {
	for _, s := range []shape{harnesses["messages"].slice, harnesses["claude"].slice, whole} {
		for seed := range uint64(3) {
			p := newPlan(seed, s, nil)
			if _, err := rehearse.Parse([]byte(p.script)); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if newPlan(seed, s, nil).script != p.script {
				t.Errorf("seed %d makes two runs", seed)
			}
			if len(p.kills) != s.kills || p.kills[0].latest >= s.calls+s.coordinator {
				t.Errorf("seed %d: kills %+v", seed, p.kills)
			}
			if n := len(coordinate(newSeeded(seed), s)); n != s.coordinator {
				t.Errorf("seed %d: the coordinator has %d turns, not %d", seed, n, s.coordinator)
			}
			calls := 0
			for _, n := range split(newSeeded(seed), s.calls, s.workers) {
				calls += n
			}
			if calls > s.calls || calls < s.calls-s.workers {
				t.Errorf("seed %d: workers have %d calls, not %d", seed, calls, s.calls)
			}
		}
	}
}

// request is a body with these words said, the last one with a breakpoint.
func request(system string, said ...string) []byte {
	var blocks []string
	for _, w := range said {
		blocks = append(blocks, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%s"}]}`, w))
	}
	body := fmt.Sprintf(`{"tools":[{"name":"Read"}],"system":[{"type":"text","text":"%s\n","cache_control":{"type":"ephemeral"}}],"messages":[%s]}`, system, strings.Join(blocks, ","))
	i := strings.LastIndex(body, `"}]}`)
	return []byte(body[:i] + `","cache_control":{"type":"ephemeral"}}]}` + body[i+len(`"}]}`):])
}

const (
	theCoordinator = `Role: coordinator\n`
	theWorker      = `Role: worker\nWorker: coder-1\n`
)

// recorded is a recorder that has seen requests; of one that is nil the driver was
// started again.
func recorded(t *testing.T, bodies ...[]byte) *recorder {
	t.Helper()
	r, err := newRecorder("http://127.0.0.1:1", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range bodies {
		if body == nil {
			r.restarted()
			continue
		}
		r.note(body)
	}
	return r
}

func TestRequestsBeginWithTheOneBefore(t *testing.T) {
	a, ab := request(theCoordinator, "a"), request(theCoordinator, "a", "b")
	other := request(theCoordinator, "a", "x", "c")
	rewrote := report{marks: map[string]map[string]bool{"": {"m": true}}}
	for _, test := range []struct {
		name   string
		bodies [][]byte
		report report
		holds  bool
	}{
		{"they grow", [][]byte{a, request(theWorker, "a"), ab, request(theCoordinator, "a", "b", "c")}, report{}, true},
		{"one has other words", [][]byte{a, ab, other}, report{}, false},
		{"even though history was rewritten", [][]byte{a, ab, other}, rewrote, false},
		{"a load rewrote history", [][]byte{a, ab, nil, other, request(theCoordinator, "a", "x", "c", "d")}, rewrote, true},
		{"a load that rewrote nothing", [][]byte{a, ab, nil, other}, report{}, false},
		{"once for a load", [][]byte{a, ab, nil, other, ab}, rewrote, false},
		{"two loads, one rewrote", [][]byte{a, ab, nil, other, nil, ab}, rewrote, false},
		{"a load and no change", [][]byte{a, ab, nil, ab}, report{}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := prefixes(recorded(t, test.bodies...), test.report); (err == nil) != test.holds {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTheOrderOfMembersIsNoChange(t *testing.T) {
	again := strings.Replace(string(request(theCoordinator, "a", "b")), `{"type":"text","text":"a"}`, `{"text":"a","type":"text"}`, 1)
	if err := prefixes(recorded(t, request(theCoordinator, "a"), []byte(again)), report{}); err != nil {
		t.Error(err)
	}
}

// Where a kill may cost an answer more, a beginning may lack that and what came behind,
// but nothing before.
func TestWhatAKillMayCost(t *testing.T) {
	said := func(parts ...string) []byte {
		body := `{"system":"Role: coordinator\n","messages":[`
		for i, p := range parts {
			body += fmt.Sprintf(`{"role":"%s","content":"%s"},`, [...]string{"user", "assistant"}[i%2], p)
		}
		return []byte(strings.TrimSuffix(body, ",") + "]}")
	}
	before := said("a", "1", "b", "2", "c", "3", "d")
	for _, test := range []struct {
		lag   int
		after []byte
		holds bool
	}{
		{1, said("a", "1", "b", "2", "c"), false},
		{2, said("a", "1", "b", "2", "c"), true},
		{2, said("a", "1", "b", "2", "cut off"), true},
		{2, said("a", "1", "b"), false},
		{2, said("a", "1", "x", "2", "c", "3", "d"), false},
	} {
		r := recorded(t)
		r.lag = test.lag
		r.note(before)
		r.restarted()
		r.note(test.after)
		if err := prefixes(r, report{}); (err == nil) != test.holds {
			t.Errorf("lag %d, %s: %v", test.lag, test.after, err)
		}
	}
}

// stream is an answer with a call, as far as n lines of it.
func stream(id string, n int) string {
	lines := []string{
		`data: {"type":"message_start","message":{"id":"` + id + `","usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}}`,
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c-` + id + `","name":"Write","input":{}}}`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"file_path\":\"/t/work/a.txt\","}}`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"content\":\"x\\n\"}"}}`,
		`data: {"type":"message_delta","usage":{"output_tokens":7}}`, `data: {"type":"message_stop"}`,
	}
	return strings.Join(lines[:n], "\n\n") + "\n\n"
}

func TestAnswersAreReadAsFarAsTheyCame(t *testing.T) {
	a := answerOf([]byte(stream("m1", 6)))
	if !a.whole || a.id != "m1" || a.usage != (usage{Input: 10, Read: 5, Output: 7}) || a.calls() != 1 {
		t.Errorf("%+v", a)
	}
	if name, line := change(a.blocks[0]); name != "a.txt" || line != "x" {
		t.Errorf("the change is %q of %q", line, name)
	}
	if a := answerOf([]byte(stream("m1", 3))); a.whole || a.usage.Output != 1 {
		t.Errorf("half of it: %+v", a)
	}
}

// What the driver was killed at may be missing or not; anything else is lost.
func TestLostTurnsAndBills(t *testing.T) {
	r := recorded(t, request(theWorker, "a"))
	s := r.order[0]
	s.take(answerOf([]byte(stream("m1", 6))), false)
	s.take(answerOf([]byte(stream("m2", 6))), false)
	r.restarted()
	s.take(answerOf([]byte(stream("m3", 6))), true)
	told := report{stored: map[string]bool{"m1": true}}
	if lost, again := told.lost(r); lost != 0 || again != 2 {
		t.Errorf("%d lost, %d asked for again", lost, again)
	}
	told.stored = nil
	if lost, _ := told.lost(r); lost != 1 {
		t.Errorf("%d lost, not the first", lost)
	}
	told.stored = map[string]bool{"m1": true, "m2": true}
	told.Roles = []roleFigures{{"worker", 1, &held{Turns: 2, Calls: 2}}}
	for input, holds := range map[int64]bool{9: false, 10: true, 20: true, 30: true, 31: false} {
		told.Total.Billed.Requests = 2
		told.Total.Billed.billed = billed{Input: input, Read: 10, Output: 14}
		if err := agree(r, told, false); (err == nil) != holds {
			t.Errorf("billed %d: %v", input, err)
		}
	}
	told.Roles[0].Held.Turns = 3
	told.Total.Billed.Input = 20
	if agree(r, told, false) == nil {
		t.Error("a turn that nobody saw is no error")
	}
	told.Roles[0].Held.Turns, told.Roles[0].Sessions = 2, 2
	if agree(r, told, false) == nil {
		t.Error("a session that nobody saw is no error")
	}
}

// No handover excuses a lost answer.
func TestAHandoverLosesNothing(t *testing.T) {
	for _, lag := range []int{1, 2} {
		for _, next := range []string{"Write exactly these five sections.", "b"} {
			r := recorded(t)
			r.lag = lag
			r.note(request(theWorker, "a"))
			r.order[0].take(answerOf([]byte(stream("m1", 6))), false)
			r.note(request(theWorker, "a", next))
			told := report{stored: map[string]bool{}}
			if lost, _ := told.lost(r); lost != 1 {
				t.Errorf("lag %d, then '%s': %d lost", lag, next, lost)
			}
		}
	}
}

func TestBrokenPromisesAreErrors(t *testing.T) {
	good := func() (*driver, report, effects) {
		s := report{}
		s.handoffs.main, s.handoffs.workers = 1, 1
		return &driver{r: recorded(t)}, s, effects{changes: 1}
	}
	for name, spoil := range map[string]func(*driver, *report, *effects){
		"":                                 func(*driver, *report, *effects) {},
		"a kill that did not come":         func(d *driver, _ *report, _ *effects) { d.kills = []kill{{}} },
		"no handoff of the coordinator":    func(_ *driver, s *report, _ *effects) { s.handoffs.main = 0 },
		"no handoff of a worker":           func(_ *driver, s *report, _ *effects) { s.handoffs.workers = 0 },
		"an empty handoff":                 func(_ *driver, s *report, _ *effects) { s.handoffs.empty = 1 },
		"a handoff that was not written":   func(_ *driver, s *report, _ *effects) { s.handoffs.degraded = 1 },
		"a change that is not there":       func(_ *driver, _ *report, w *effects) { w.missing = []string{"a"} },
		"no change":                        func(_ *driver, _ *report, w *effects) { w.changes = 0 },
		"memory that grows with the store": func(d *driver, _ *report, _ *effects) { d.memory.sizes = growing(2) },
	} {
		d, s, w := good()
		spoil(d, &s, &w)
		if err := checks(harnesses["messages"], d, s, w); (err == nil) != (name == "") {
			t.Errorf("'%s': %v", name, err)
		}
	}
}

// growing are sizes of a process that keeps so many bytes for each one it stores.
func growing(factor int64) []size {
	var all []size
	for i := range int64(100) {
		all = append(all, size{request: int(i), resident: 50e6 + factor*i*1e6, transcripts: i * 1e6})
	}
	return all
}

func TestReadingsAtThePublishedSize(t *testing.T) {
	growth := 100.0
	if more := grownBy(&growth, 8_000, 10); more == nil || *more != 300 {
		t.Errorf("growth %v", more)
	}
	if grownBy(nil, 1, 1) != nil || grownBy(&growth, 1, 0) != nil {
		t.Error("a growth of nothing")
	}
	var s report
	s.Roles = []roleFigures{{"coordinator", 1, &held{Turns: 4, Characters: 100, Tasks: 2, Tools: map[string]int{"dispatch": 1}}}, {"worker", 2, &held{Turns: 95, Characters: 900}}}
	want := map[string]string{"  were each task a dispatch of its own": "95.0 %", "  characters of the coordinator a task": "50"}
	for _, r := range kept(s) {
		if w, ok := want[r.what]; ok && r.here != w {
			t.Errorf("%s: %s, not %s", r.what, r.here, w)
		}
	}
}

func TestCutOffCalls(t *testing.T) {
	for result, want := range map[string]bool{
		`"[interrupted] This call"`: true, `[{"type":"text","text":"The user doesn't want to proceed with this tool use. It was"}]`: true,
		`"done"`: false, `"it printed [interrupted]"`: false, ``: false,
	} {
		if isCutOff([]byte(result)) != want {
			t.Errorf("%s: not %v", result, want)
		}
	}
}

func TestCharactersCountAsTheirJSONWithBlanks(t *testing.T) {
	for raw, want := range map[string]int{`"añ"`: 2, `{"a":1,"b":["x","<"]}`: len(`{"a": 1, "b": ["x", "<"]}`), `null`: 0, ``: 0, `{}`: 2, `[1.5,true]`: len(`[1.5, true]`)} {
		if got := characters([]byte(raw)); got != want {
			t.Errorf("%s: %d, not %d", raw, got, want)
		}
	}
}
