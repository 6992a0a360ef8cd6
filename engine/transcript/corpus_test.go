package transcript

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// corpus reads what Claude Code 2.1.332 wrote, as its mirror frames bring it.
func corpus(t *testing.T, name string) []json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return lines(t, string(text))
}

// told is a history in short: what somebody says in words, calls as name(id),
// results as =id, and the number of other entries between.
func told(t *testing.T, entries []json.RawMessage) string {
	t.Helper()
	var all []string
	for _, raw := range entries {
		e, blocks, err := wire(raw)
		if err != nil {
			t.Fatal(err)
		}
		if len(blocks) == 0 {
			all = append(all, "+")
		}
		for _, b := range blocks {
			switch b.Type {
			case "text":
				all = append(all, e.Type[:1]+":"+strings.SplitN(*b.Text, "\n", 2)[0])
			case "tool_use":
				all = append(all, b.Name+"("+b.ID[len(b.ID)-1:]+")")
			case "tool_result":
				all = append(all, "="+b.For[len(b.For)-1:])
			}
		}
	}
	return strings.Join(all, " ")
}

func TestWhatClaudeCodeWrote(t *testing.T) {
	for _, c := range []struct {
		name string
		want string
		end  History
	}{
		{"tools", "u:go + + + + + a:looking Bash(1) =1 a:three Bash(2) Bash(3) Bash(4) =2 =3 =4 a:done one " +
			"u:again a:two a:more u:third a:end 5", History{Stop: "end_turn", Text: "end 5"}},
		// A failed request leaves nothing, nor does what carried the turn on.
		{"fault", "u:go + + + + + Bash(1) =1 a:carried u:third a:next", History{Stop: "end_turn", Text: "next"}},
		{"interrupt", "u:go + + + + + a:x Bash(1) Bash(2) =1 =2 u:[Request interrupted by user for tool use] u:and now a:after",
			History{Stop: "end_turn", Text: "after"}},
		{"killed-open", "u:go + + + + + a:x Bash(1) Bash(2)", History{Stop: "tool_use", Text: "x", Open: []Call{{ID: "toolu_1"}, {ID: "toolu_2"}}}},
		// Claude Code's own answers to open calls stay, its "No response requested." goes.
		{"killed", "u:go + + + + + a:x Bash(1) Bash(2) =1 =2 u:third a:after", History{Stop: "end_turn", Text: "after"}},
		{"branch", "u:go + + + + + a:one u:other second a:three", History{Stop: "end_turn", Text: "three"}},
		{"compact", "+ u:This session is being continued from a previous conversation that ran out of context. The summary below covers " +
			"the earlier portion of the conversation. a:two u:<local-command-caveat>The command below was run directly in Claude Code, not sent " +
			"to you as a request, and its output goes straight to the user. It's recorded here as context for later messages.</local-command-caveat> " +
			"u:<command-name>/compact</command-name> u:<local-command-stdout>Compacted </local-command-stdout> + + u:after it + + a:three",
			History{Stop: "end_turn", Text: "three"}},
		{"agent", "u:go + + + + + + Agent(9) =9 a:end", History{Stop: "end_turn", Text: "end"}},
		// The chain alone would lose the second call with its result.
		{"hook", "u:go + + + + + Bash(1) Bash(2) =2 =1 + u:and a:never", History{Stop: "end_turn", Text: "never"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			entries := corpus(t, c.name)
			h, err := Read(entries, Options{CarryOn: "Carry on."})
			if err != nil {
				t.Fatal(err)
			}
			if got := told(t, h.Entries); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if h.Stop != c.end.Stop || h.Text != c.end.Text || h.Stopped || len(h.Open) != len(c.end.Open) {
				t.Errorf("ends with %q, %q, stopped %v, open %v", h.Stop, h.Text, h.Stopped, h.Open)
			}
			for n := range entries {
				mustRead(t, entries[:n])
			}
		})
	}
}

// Whatever stays is what was stored, but for its parent.
func TestBytesStay(t *testing.T) {
	for _, name := range []string{"tools", "fault", "hook", "compact"} {
		stored := map[string]string{}
		for _, raw := range corpus(t, name) {
			e, _, _ := wire(raw)
			stored[e.UUID] = withoutParent(t, raw)
		}
		h := mustRead(t, corpus(t, name))
		for _, raw := range h.Entries {
			if e, _, _ := wire(raw); withoutParent(t, raw) != stored[e.UUID] {
				t.Errorf("%s: %s\nwas stored as %s", name, raw, stored[e.UUID])
			}
		}
	}
}

func withoutParent(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	_, behind, found := strings.Cut(string(raw), `"parentUuid":`)
	i := strings.IndexByte(behind, ',')
	if !found || i < 0 {
		return string(raw)
	}
	return behind[i:]
}

// A turn that a hook ended is an end, as is one that our own mark ended, until
// somebody says something.
func TestResultsThatEndTheTurn(t *testing.T) {
	entries := corpus(t, "hook")
	upTo := func(part string) []json.RawMessage {
		for i, e := range entries {
			if strings.Contains(string(e), part) {
				return entries[:i+1]
			}
		}
		t.Fatalf("no entry has %s", part)
		return nil
	}
	for _, c := range []struct {
		entries []json.RawMessage
		want    bool
	}{
		{upTo(`"hook_stopped_continuation"`), true},
		{upTo(`"role":"user","content":"and"`), false},
		{upTo(`"toolu_1","type":"tool_result"`), false},
		{lines(t, ours+oursStops), true},
		{lines(t, ours+oursStops+`{"type":"user","uuid":"4","parentUuid":"3","message":{"role":"user","content":"more"}}`), false},
	} {
		if h := mustRead(t, c.entries); h.Stopped != c.want {
			t.Errorf("Stopped is %v after\n%s", h.Stopped, c.entries[len(c.entries)-1])
		}
	}
}

// ours is how the messages harness writes: an answer an entry.
const (
	ours = `{"parentUuid":null,"isSidechain":false,"cwd":"/d","sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"text","text":"go"}]},"uuid":"1","timestamp":"2026-05-04T03:02:01.000Z"}
{"parentUuid":"1","isSidechain":false,"cwd":"/d","sessionId":"s","type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"toolu_1","name":"report","input":{"a":1}}],"stop_reason":"tool_use"},"uuid":"2","timestamp":"2026-05-04T03:02:02.000Z"}
`
	oursStops = `{"parentUuid":"2","isSidechain":false,"cwd":"/d","sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"noted"}]}]},"uuid":"3","timestamp":"2026-05-04T03:02:03.000Z","flowerStops":true}
`
)

func TestOpenCallOfOurs(t *testing.T) {
	h := mustRead(t, lines(t, ours))
	if len(h.Open) != 1 || h.Open[0].ID != "toolu_1" || h.Open[0].Tool != "report" || string(h.Open[0].Input) != `{"a":1}` {
		t.Errorf("open: %+v", h.Open)
	}
	if h.Began.Format("15:04:05") != "03:02:01" || h.Last != "2" || !h.Said["1"] {
		t.Errorf("began %v, last %s, said %v", h.Began, h.Last, h.Said)
	}
	// Words said before the call was answered stand behind its result.
	h = mustRead(t, lines(t, ours+`{"type":"user","uuid":"4","parentUuid":"2","message":{"role":"user","content":"more"}}`))
	stored, err := h.Answer("toolu_1", Result{UUID: "5", Text: "out", IsError: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := told(t, h.Entries); got != "u:go a:so report(1) =1 u:more" {
		t.Errorf("got %s", got)
	}
	if e, _, _ := wire(stored); e.Parent == nil || *e.Parent != "4" || !strings.Contains(string(stored), `"is_error":true`) {
		t.Errorf("to be stored: %s", stored)
	}
	for _, r := range []Result{{UUID: "6", Text: "x"}, {UUID: "4"}} {
		if _, err := h.Answer("toolu_1", r); err == nil {
			t.Error("a call was answered twice")
		}
	}
}

// A call that was open and is refused now is marked like one that was refused at
// once: by that later readings know it.
func TestAnOpenCallThatIsRefused(t *testing.T) {
	h := mustRead(t, lines(t, ours))
	stored, err := h.Answer("toolu_1", Result{UUID: "3", Text: "not that", IsError: true, Denied: true})
	if err != nil || !strings.Contains(string(stored), `"toolDenialKind":"permission-rule"`) {
		t.Errorf("%s, %v", stored, err)
	}
	if stored, err = mustRead(t, lines(t, ours)).Answer("toolu_1", Result{UUID: "3", Text: "no", IsError: true}); err != nil || strings.Contains(string(stored), "toolDenialKind") {
		t.Errorf("%s, %v", stored, err)
	}
}

// An older call without a result gets one; reading again finds the same.
func TestCallsThatNobodyAnswered(t *testing.T) {
	stored := lines(t, ours+`{"type":"user","uuid":"4","parentUuid":"2","message":{"role":"user","content":"more"}}
{"type":"assistant","uuid":"5","parentUuid":"4","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"yes"}]}}`)
	h := mustRead(t, stored)
	if got := told(t, h.Entries); got != "u:go a:so report(1) =1 u:more a:yes" {
		t.Errorf("got %s", got)
	}
	healed := string(h.Entries[2])
	for _, part := range []string{`"[interrupted] `, `"sessionId":"s"`, `"cwd":"/d"`, `"timestamp":"2026-05-04T03:02:02.000Z"`} {
		if !strings.Contains(healed, part) {
			t.Errorf("%s is not in %s", part, healed)
		}
	}
	if strings.Contains(healed, `"is_error":true`) {
		t.Errorf("it is told as an error: %s", healed)
	}
	if len(h.Said) != 4 {
		t.Errorf("said: %v", h.Said)
	}
}

// Words are known by the ids under which they were sent, also those that Claude
// Code merged into one message or took up within a turn.
func TestWordsAreKnown(t *testing.T) {
	h := mustRead(t, lines(t, ours+oursStops+`{"type":"user","uuid":"4","parentUuid":"3","mergedSendUuids":["w1",7,"w2"],"message":{"role":"user","content":"a\nb"}}
{"type":"attachment","uuid":"5","parentUuid":"4","attachment":{"type":"queued_command","prompt":"c","source_uuid":"w3"}}
{"type":"attachment","uuid":"6","parentUuid":"5","mergedSendUuids":"w4","attachment":{"type":"date","source_uuid":8}}`))
	for id, want := range map[string]bool{"w1": true, "w2": true, "w3": true, "4": true, "w4": false, "7": false, "": false} {
		if h.Said[id] != want {
			t.Errorf("'%s' is known: %v", id, h.Said[id])
		}
	}
}

// What is before a parent that the store lacks is not lost.
func TestLostParent(t *testing.T) {
	h := mustRead(t, lines(t, ours+strings.Replace(oursStops, `"parentUuid":"2"`, `"parentUuid":"lost"`, 1)))
	if got := told(t, h.Entries); got != "u:go a:so report(1) =1" {
		t.Errorf("got %s", got)
	}
}

// A result that hangs on nothing any more is told behind its call, but what comes
// next does not hang on it: the conversation would be lost with it.
func TestNothingHangsOnAResultFromElsewhere(t *testing.T) {
	stored := lines(t, `{"type":"user","uuid":"1","message":{"role":"user","content":"go"}}
{"type":"user","uuid":"3","parentUuid":"lost","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"out"}]}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}},{"type":"tool_use","id":"toolu_2","name":"Bash","input":{}}]}}`)
	h := mustRead(t, stored)
	answer, err := h.Answer("toolu_2", Result{UUID: "4", Text: "out"})
	if err != nil {
		t.Fatal(err)
	}
	later := mustRead(t, append(stored, answer))
	if got := told(t, later.Entries); got != "u:go Bash(1) Bash(2) =1 =2" && got != "u:go Bash(1) Bash(2) =2 =1" || len(later.Open) > 0 {
		t.Errorf("got %s, open %v", got, later.Open)
	}
}

func TestDamagedEntry(t *testing.T) {
	for _, bad := range []string{"", "3", "[]", `{"type":`, "\xff"} {
		if _, err := Read(append(lines(t, ours), json.RawMessage(bad)), Options{}); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// A ring of parents ends the chain, a second entry with a uuid does not count.
func TestRingsAndRepeatedUUIDs(t *testing.T) {
	ring := `{"type":"user","uuid":"1","parentUuid":"2","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"role":"assistant","content":"yes"}}`
	if got := told(t, mustRead(t, lines(t, ring)).Entries); got != "u:go a:yes" {
		t.Errorf("got %s", got)
	}
	again := `{"type":"user","uuid":"1","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"role":"assistant","content":"yes"}}
{"type":"user","uuid":"1","parentUuid":"2","message":{"role":"user","content":"other"}}`
	if got := told(t, mustRead(t, lines(t, again)).Entries); got != "u:go a:yes" {
		t.Errorf("got %s", got)
	}
}

// A hint that Claude Code wrote for itself is no branch of its own, but stays where
// it is the end of what was said.
func TestMetaEntries(t *testing.T) {
	said := `{"type":"user","uuid":"1","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"role":"assistant","content":"yes"}}
`
	for parent, want := range map[string]string{"1": "u:go a:yes", "2": "u:go a:yes u:hint"} {
		hint := `{"type":"user","uuid":"3","isMeta":true,"parentUuid":"` + parent + `","message":{"role":"user","content":"hint"}}`
		if got := told(t, mustRead(t, lines(t, said+hint)).Entries); got != want {
			t.Errorf("below %s: got %s", parent, got)
		}
	}
}
