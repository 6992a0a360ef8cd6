package economy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/gitstate"
	"git-flower/guards"
)

// account is a ledger row of a session.
func account(session, role, start string) gitstate.LedgerRow {
	return gitstate.LedgerRow{Session: session, Role: role, Label: "work", Start: start, Turns: 1, Attempts: 1}
}

func ledgerOf(rows ...gitstate.LedgerRow) map[string][]gitstate.LedgerRow {
	return map[string][]gitstate.LedgerRow{"w1": rows}
}

func answerRow(id string, context, output int, blocks ...string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"u-%s-%d","message":{"id":"%s","role":"assistant","content":[%s],"usage":{"input_tokens":%d,"output_tokens":%d}}}`,
		id, len(blocks), id, strings.Join(blocks, ","), context, output)
}

func callBlock(id, name, input string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"%s","input":%s}`, id, name, input)
}

func resultRow(id, text, extra string) string {
	words, _ := json.Marshal(text)
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":%s}]}%s}`, id, words, extra)
}

const denied = `,"toolDenialKind":"permission-rule"`

func measured(ledger map[string][]gitstate.LedgerRow, rows map[string][]string) Report {
	m := NewMeter("r", ledger, nil)
	for _, id := range m.Sessions() {
		for _, row := range rows[id] {
			m.Add(id, json.RawMessage(row))
		}
	}
	return m.Report()
}

// one is the report of a single session's rows.
func one(t *testing.T, role string, rows ...string) Session {
	t.Helper()
	r := measured(ledgerOf(account("s", role, "")), map[string][]string{"s": rows})
	if len(r.Sessions) != 1 || r.Sessions[0].Held == nil {
		t.Fatalf("sessions: %+v", r.Sessions)
	}
	return r.Sessions[0]
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// Fault 1: a reply that is stored as several rows was counted several times.
func TestRowsOfOneAnswerAreOneTurn(t *testing.T) {
	s := one(t, coordinator,
		answerRow("m1", 11, 1, `{"type":"text","text":"ab"}`),
		answerRow("m1", 11, 7, callBlock("c", "Read", `{"a":1}`), callBlock("d", "Read", `{}`)),
		answerRow("m2", 20, 1))
	if s.Held.Turns != 2 || s.Held.Rows != 3 || len(s.Curve) != 2 || s.Curve[0].Tokens != 11 || s.Curve[1].Tokens != 20 || s.Held.Calls != 2 {
		t.Errorf("%+v, curve %v", s.Held, s.Curve)
	}
}

// Claude Code marks a call that an interruption stopped as one that nobody approved: no
// rule refused it, and it was not made either.
func TestAStoppedCallIsNoDenial(t *testing.T) {
	s := one(t, coordinator,
		answerRow("m1", 1, 1, callBlock("c", "Bash", `{}`), callBlock("d", "Bash", `{}`), callBlock("e", "Bash", `{}`)),
		resultRow("c", "no", denied), resultRow("d", "stopped while running", `,"toolDenialKind":"user-rejected"`), resultRow("e", "ok", ""))
	if s.Held.Denials != 1 || s.Held.Glances != 1 {
		t.Errorf("%+v", s.Held)
	}
}

// Fault 2: sessions were joined in the order of their random ids.
func TestSessionsStandInTheOrderOfTime(t *testing.T) {
	r := measured(ledgerOf(account("4739", worker, "2026-01-01T03:00:00Z"), account("601c", "clarifier", "2026-01-01T01:00:00Z"),
		account("df81", "judge", "2026-01-01T04:00:00Z"), account("aa60", "judge", "2026-01-01T02:00:00Z")), nil)
	var order []string
	for _, s := range r.Sessions {
		order = append(order, s.ID)
	}
	if want := []string{"601c", "aa60", "4739", "df81"}; !slices.Equal(order, want) {
		t.Errorf("%v, not %v", order, want)
	}
}

// A transcript's first entry tells more of when a session began than its account.
func TestFirstEntryDatesASession(t *testing.T) {
	row := strings.Replace(answerRow("m", 1, 1), `{"type"`, `{"timestamp":"2026-01-01T00:00:00.5Z","type"`, 1)
	r := measured(ledgerOf(account("a", worker, "2026-01-01T01:00:00Z"), account("b", worker, "2026-01-01T02:00:00Z")),
		map[string][]string{"b": {row}})
	if r.Sessions[0].ID != "b" || r.Sessions[0].Began != "2026-01-01T00:00:00.5Z" {
		t.Errorf("%+v", r.Sessions[0])
	}
}

// Fault 3: the size of what was spilled was a sum of bytes of distinct files.
func TestSpillsAreEventsInCharacters(t *testing.T) {
	text := strings.Repeat("é", 5000)
	call := guards.Call{Tool: "Bash"}
	pointer := guards.Pointer(call, text, "/anywhere/bench/r/spill/0123456789abcdef.txt")
	s := one(t, worker,
		answerRow("m1", 1, 1, callBlock("a", "Bash", `{"command":"cat x"}`), callBlock("b", "Bash", `{"command":"cat x"}`), callBlock("c", "Bash", `{"command":"cat t"}`)),
		resultRow("a", pointer, ""), resultRow("b", pointer+"\n\n[new in the bench: x]", ""), resultRow("c", "it said: "+pointer, ""))
	if s.Held.Spills != 2 || s.Held.Spilled != 10000 {
		t.Errorf("%d spills of %d characters", s.Held.Spills, s.Held.Spilled)
	}
}

// Fault 4: a path with "subagent" in it made every session a helper's.
func TestRolesComeFromTheLedger(t *testing.T) {
	r := measured(ledgerOf(account("-home-a-subagent-lab/s1", coordinator, ""), account("s1/subagents/agent-1", worker, "")),
		map[string][]string{"-home-a-subagent-lab/s1": {answerRow("m", 1, 1)}, "s1/subagents/agent-1": {answerRow("m", 1, 1)}})
	if own, w := r.held(coordinator), r.held(worker); own.Turns != 1 || w.Turns != 1 {
		t.Errorf("%+v %+v", own, w)
	}
}

// Fault 5: denials were found by a phrase.
func TestDenialsAreFoundByTheirMark(t *testing.T) {
	s := one(t, coordinator,
		answerRow("m1", 1, 1, callBlock("a", "Bash", `{"command":"rm x"}`), callBlock("b", "Bash", `{"command":"git log"}`), callBlock("c", "Write", `{}`)),
		resultRow("a", "any words", denied), resultRow("b", "协调者不直接使用 toolDenialKind", ""), resultRow("c", "other words", denied))
	if s.Held.Denials != 2 || s.Held.Glances != 1 {
		t.Errorf("%d denials, %d glances", s.Held.Denials, s.Held.Glances)
	}
}

// Fault 6: neither the reuse of scripts nor the spread over helpers was measured.
func TestScriptsAndSpreadAreMeasured(t *testing.T) {
	rows := []gitstate.LedgerRow{}
	for i, output := range []int64{30, 10, 20, 70} {
		row := account(fmt.Sprint("s", i), worker, "")
		row.Output = output
		rows = append(rows, row)
	}
	script := func(id, command string) []string {
		input, _ := json.Marshal(map[string]string{"command": command})
		return []string{answerRow("m"+id, 1, 1, callBlock(id, "Bash", string(input))), resultRow(id, "ok", "")}
	}
	all := slices.Concat(
		[]string{answerRow("m", 1, 1, callBlock("w", "Write", `{"file_path":"/x/bench/r/scripts/a.sh","content":""}`), callBlock("v", "Write", `{"file_path":"/x/bench/other/scripts/b.sh"}`)),
			resultRow("w", "ok", ""), resultRow("v", "ok", "")},
		script("1", "sh /x/bench/r/scripts/a.sh"), script("2", "cd /x/bench/r && scripts/a.sh >/x/bench/r/scripts/made.sh"))
	r := measured(ledgerOf(rows...), map[string][]string{"s0": all, "s1": {"{}"}, "s2": {"{}"}, "s3": {"{}"}})
	if want := (Spread{Sessions: 4, Largest: 70, Median: 20, Smallest: 10}); r.Workers != want {
		t.Errorf("spread %+v, not %+v", r.Workers, want)
	}
	want := Scripts{Each: []Script{{"a.sh", 1, 2}, {"made.sh", 1, 0}}, Written: 2, Runs: 2, Again: 1, Idle: 1}
	if r.Scripts == nil || fmt.Sprint(*r.Scripts) != fmt.Sprint(want) {
		t.Errorf("scripts %+v, not %+v", r.Scripts, want)
	}
}

// Fault 7: the main thread held the clarifier's and the judge's calls as well.
func TestMainThreadIsTheCoordinatorAlone(t *testing.T) {
	bash := func(id string) []string {
		return []string{answerRow("m"+id, 100, 1, callBlock(id, "Bash", `{"command":"ls"}`)), resultRow(id, "x", "")}
	}
	r := measured(ledgerOf(account("c", coordinator, "1"), account("j", "judge", "2"), account("w", worker, "3")),
		map[string][]string{"c": bash("1"), "j": slices.Concat(bash("2"), bash("3")), "w": slices.Concat(bash("4"), bash("5"), bash("6"))})
	near(t, "turns kept out", r.Main.OutTurns, 0.75)
	if own := r.held(coordinator); own.Calls != 1 || own.Glances != 1 || r.held("judge").Glances != 0 {
		t.Errorf("%+v", own)
	}
}

// Fault 8: rows of metadata counted as entries.
func TestRowsWithoutAMessageCountNothing(t *testing.T) {
	s := one(t, worker, `{"type":"summary","summary":"long words"}`, `{"type":"system","content":"words"}`, `not JSON`, `[]`, `{"type":"user"}`,
		`{"type":"system","message":{"id":"s","content":"words","usage":{"input_tokens":1}}}`, `{"type":"agent_metadata","message":{"content":"words"}}`,
		`{"type":"assistant","isApiErrorMessage":true,"message":{"id":"f","content":[{"type":"text","text":"API Error"}],"usage":{"input_tokens":0}}}`,
		`{"type":"assistant","message":{"id":"g","model":"<synthetic>","content":[{"type":"text","text":"API Error"}],"usage":{"input_tokens":0}}}`,
		`{"type":"assistant","isApiErrorMessage":true,"message":{"id":"e","model":"<synthetic>","content":[{"type":"text","text":"API Error"}],"usage":{"input_tokens":0}}}`)
	if s.Held.Turns != 0 || s.Held.Characters != 0 || len(s.Curve) != 0 {
		t.Errorf("%+v", s.Held)
	}
}

func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		row  string
		want int
	}{
		{`{"type":"user","message":{"content":[{"type":"text","text":"abcd"},{"type":"tool_use","input":{"a": 1}},{"type":"tool_result","content":"xyz"}]}}`, 15},
		{`{"type":"user","message":{"content":"äö"}}`, 2},
		{`{"type":"user","message":{"content":[{"type":"tool_use","input":{"a":[1,2.5,true],"b":"\u00e9\n\u0001\"/"}}]}}`, len(`{"a": [1, 2.5, true], "b": "x\n`) + len(`\u0001\"/"}`)},
		{`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"x"}]}]}}`, len(`[{"type": "text", "text": "x"}]`)},
		{`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"long"}]}}`, 0},
	} {
		if got := one(t, worker, c.row).Held.Characters; got != c.want {
			t.Errorf("%s: %d, not %d", c.row, got, c.want)
		}
	}
}

func TestContextHasThreeParts(t *testing.T) {
	s := one(t, coordinator, `{"type":"assistant","message":{"id":"a","usage":{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":9}}}`)
	if s.Curve[0].Tokens != 123 {
		t.Error(s.Curve)
	}
}

func TestFalls(t *testing.T) {
	if got := Falls([]Point{{Tokens: 100}, {Tokens: 71}, {Tokens: 49}}); !slices.Equal(got, []int{3}) {
		t.Error(got)
	}
}

func TestHits(t *testing.T) {
	hits, ok := Billed{Input: 6200, Read: 287500000, Written: 11800000}.Hits()
	if got := fmt.Sprintf("%.1f%%", 100*hits); !ok || got != "96.1%" {
		t.Error(got)
	}
	if _, ok := (Billed{}).Hits(); ok {
		t.Error("hits without input")
	}
}

// What rests on a transcript that is missing is not told, and what the ledger
// knows is.
func TestMissingTranscripts(t *testing.T) {
	r := measured(ledgerOf(account("c", coordinator, "1"), account("w", worker, "2"), account("v", worker, "3")),
		map[string][]string{"c": {answerRow("m", 1, 1)}, "w": {answerRow("m", 1, 1)}})
	if !slices.Equal(r.Missing, []string{"v"}) || r.held(worker) != nil || r.Total.Held != nil || r.Scripts != nil ||
		r.Main.OutTurns != nil || r.Main.OutCharacters != nil || r.Main.Hidden != nil {
		t.Errorf("%+v", r)
	}
	near(t, "requests kept out", r.Main.OutRequests, 2.0/3)
	if r.held(coordinator) == nil || r.Sessions[2].Held == nil {
		t.Error("what is there is not told")
	}
}

// A side question keeps no transcript: there is none to be missed.
func TestSideQuestionsHaveNoTranscript(t *testing.T) {
	r := measured(ledgerOf(account("c", coordinator, "1"), account("o", "oracle", "2")), map[string][]string{"c": {answerRow("m", 1, 1)}})
	if len(r.Missing) != 0 || r.held("oracle") != nil || r.Total.Held == nil || r.Total.Held.Turns != 1 || r.Total.Billed.Requests != 2 {
		t.Errorf("missing %v, in all %+v", r.Missing, r.Total)
	}
}

// What no record holds yet counts, and is told apart.
func TestUnrecordedSpendingCounts(t *testing.T) {
	known, late := account("c", coordinator, "1"), account("c", coordinator, "1")
	known.Cost, late.Cost = 5, 7
	r := NewMeter("r", ledgerOf(known), []gitstate.LedgerRow{late, account("w", worker, "2")}).Report()
	if len(r.Sessions) != 2 || r.Total.Billed.Cost != 12 || r.Total.Billed.Requests != 3 || r.Unrecorded.Requests != 2 || r.Unrecorded.Cost != 7 {
		t.Errorf("%+v, unrecorded %+v", r.Total, r.Unrecorded)
	}
}

// A session works in several steps and wakes: its accounts add up.
func TestAccountsOfASessionAddUp(t *testing.T) {
	a, b := account("s", coordinator, "2026-01-01T02:00:00Z"), account("s", coordinator, "2026-01-01T01:00:00Z")
	a.Cost, a.Context, a.Attempts = 5, 10, 3
	b.Cost, b.Context, b.Label = 7, 30, "work#round2"
	r := measured(map[string][]gitstate.LedgerRow{"w1": {a}, "w2": {b}}, nil)
	s := r.Sessions[0]
	if len(r.Sessions) != 1 || s.Billed.Cost != 12 || s.Context != 30 || s.Billed.Failed != 2 || len(s.Labels) != 2 || s.Began != b.Start {
		t.Errorf("%+v", r.Sessions)
	}
}

func TestGrowthIsWithinSessions(t *testing.T) {
	r := measured(ledgerOf(account("a", coordinator, "2026-01-01T01:00:00Z"), account("b", coordinator, "2026-01-01T02:00:00Z")), map[string][]string{
		"a": {answerRow("1", 100, 1), answerRow("2", 200, 1), answerRow("3", 400, 1)},
		"b": {answerRow("1", 50, 1), answerRow("2", 150, 1)}})
	near(t, "growth", r.Main.Growth, (300.0+100)/3)
}

func TestDispatchedTasks(t *testing.T) {
	r := measured(ledgerOf(account("c", coordinator, "1"), account("w", worker, "2")), map[string][]string{
		"c": {answerRow("1", 1, 1, callBlock("d", "dispatch", `{"tasks":[{},{}]}`)), resultRow("d", "reports", ""), resultRow("d", "again", "")},
		"w": {answerRow("1", 1, 1, callBlock("x", "Read", `{}`), callBlock("y", "Read", `{}`), callBlock("z", "Edit", `{}`))}})
	near(t, "calls for each task", r.Main.Hidden, 1.5)
}

// In Claude Code the engine's own tools have longer names.
func TestOurToolsHaveOneName(t *testing.T) {
	s := one(t, coordinator, answerRow("1", 1, 1, callBlock("d", "mcp__flower__dispatch", `{"tasks":[{},{}]}`), callBlock("e", "mcp__other__dispatch", `{"tasks":[{}]}`)),
		resultRow("d", "reports", ""), resultRow("e", "reports", ""))
	if s.Held.Tasks != 2 || s.Held.Tools["dispatch"] != 1 || s.Held.Tools["mcp__other__dispatch"] != 1 {
		t.Errorf("%+v", s.Held)
	}
}

func TestProgram(t *testing.T) {
	const bench = "B=/s/bench/r; "
	for _, c := range []struct {
		command string
		runs    int
	}{
		{"/s/bench/r/scripts/a.sh -v", 1},
		{"bash -eu -o pipefail /s/bench/r/scripts/a.sh", 1},
		{"timeout -k 5 60 env X=1 python3 -u /s/bench/r/scripts/a.sh", 1},
		{"for i in 1 2 3; do sh /s/bench/r/scripts/a.sh; done", 1},
		{"sh /s/bench/r/scripts/a.sh && sh '/s/bench/r/scripts/a.sh'", 2},
		{bench + `sh "$B/scripts/a.sh"; out=$(sh ${B}/scripts/a.sh)`, 2},
		{"cd /s/bench/r/scripts; ./a.sh", 1},
		{"time . /s/bench/r/scripts/a.sh | tail", 1},
		{"awk -f /s/bench/r/scripts/a.sh x", 1},
		{"cat /s/bench/r/scripts/a.sh", 0},
		{"bash -c /s/bench/r/scripts/a.sh", 0},
		{"chmod +x /s/bench/r/scripts/a.sh", 0},
		{"sh /s/bench/r/../other/scripts/a.sh", 0},
		{"sh scripts/a.sh", 0},
		{"sh $UNKNOWN/bench/r/scripts/a.sh", 0},
		{"sh 'unfinished /s/bench/r/scripts/a.sh", 0},
	} {
		s := newScripts("r")
		input, _ := json.Marshal(map[string]string{"command": c.command})
		s.made(block{Name: "Bash", Input: input})
		if got := s.report().Runs; got != c.runs {
			t.Errorf("%q runs it %d times, not %d", c.command, got, c.runs)
		}
	}
}

// A refused command ran nothing.
func TestDeniedCommandsRunNothing(t *testing.T) {
	r := measured(ledgerOf(account("w", worker, "")), map[string][]string{"w": {
		answerRow("m", 1, 1, callBlock("a", "Bash", `{"command":"sh /s/bench/r/scripts/a.sh"}`), callBlock("b", "Bash", `{"command":"sh /s/bench/r/scripts/a.sh"}`)),
		resultRow("a", "no", denied)}})
	if len(r.Scripts.Each) != 0 {
		t.Errorf("%+v", r.Scripts)
	}
}

// What a resumed session was not shown again is told by its answers, once for
// each version of its past; the newest version tells of those before too.
func TestWhatLoadsLeftOut(t *testing.T) {
	after := func(row, mark, left string) string {
		return strings.Replace(row, `{"type"`, fmt.Sprintf(`{"flowerLoaded":"%s"%s,"type"`, mark, left), 1)
	}
	const first = `,"flowerLeft":{"expired":3,"cleared":1,"denied":2,"characters":4000}`
	const second = `,"flowerLeft":{"expired":5,"cleared":1,"denied":2,"characters":4500}`
	rows := []string{answerRow("1", 1, 1), after(answerRow("2", 1, 1), "a 1", first), after(answerRow("3", 1, 1), "a 1", first), after(answerRow("4", 1, 1), "b 2", second)}
	want := Left{Loads: 2, Expired: 5, Cleared: 1, Denied: 2, Characters: 4500}
	if s := one(t, worker, rows...); s.Held.Left == nil || *s.Held.Left != want {
		t.Errorf("%+v, not %+v", s.Held.Left, want)
	}
	if s := one(t, worker, rows[0]); s.Held.Left == nil || *s.Held.Left != (Left{}) {
		t.Errorf("nothing was left out, and %+v is told", s.Held.Left)
	}
	r := measured(ledgerOf(account("a", worker, "1"), account("b", worker, "2")), map[string][]string{"a": rows, "b": {rows[0]}})
	if *r.Total.Held.Left != want {
		t.Errorf("in all %+v", r.Total.Held.Left)
	}
	r = measured(ledgerOf(account("a", worker, "1"), account("b", worker, "2")), map[string][]string{"a": rows, "b": {after(rows[0], "x 1", "")}})
	if r.Sessions[1].Held.Left != nil || r.Total.Held.Left != nil || r.Sessions[0].Held.Left == nil {
		t.Errorf("one does not tell, and in all %+v", r.Total.Held.Left)
	}
}

// What the roles and the sessions were billed comes to the total, to the last
// token, and so does what no record holds.
func TestBilledAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<40)
		var want Billed
		rows := func(name string) (all []gitstate.LedgerRow) {
			for range rapid.IntRange(0, 6).Draw(t, name) {
				row := gitstate.LedgerRow{Session: rapid.StringMatching("[a-d]").Draw(t, "session"), Label: "work", Turns: rapid.IntRange(0, 9).Draw(t, "turns"),
					Input: n.Draw(t, "input"), Read: n.Draw(t, "read"), Written: n.Draw(t, "written"), Output: n.Draw(t, "output"),
					Cost: gitstate.MicroUSD(n.Draw(t, "cost")), Attempts: rapid.IntRange(0, 3).Draw(t, "attempts")}
				row.Role = map[string]string{"a": coordinator, "b": worker, "c": worker, "d": "judge"}[row.Session]
				want.add(billed(row))
				all = append(all, row)
			}
			return all
		}
		r := NewMeter("r", map[string][]gitstate.LedgerRow{"w1": rows("w1"), "w2": rows("w2")}, rows("unrecorded")).Report()
		var roles, sessions Billed
		for _, p := range r.Roles {
			roles.add(p.Billed)
		}
		for _, s := range r.Sessions {
			sessions.add(s.Billed)
		}
		if r.Total.Billed != want || roles != want || sessions != want {
			t.Fatalf("total %+v, roles %+v, sessions %+v, spent %+v", r.Total.Billed, roles, sessions, want)
		}
	})
}

// A text's length is told without decoding it.
func FuzzTextLength(f *testing.F) {
	for _, s := range []string{`""`, `"a\\é\n"`, `"\ud83d\ude00x"`, `"\ud83d\n\ude00"`, `"\ud83d\ud83d\ude00"`, `"\\u0041"`, "\"\xff\xfe\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want string
		if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &want) != nil {
			return
		}
		raw = bytes.TrimSpace(raw)
		if got := textLength(raw); got != len([]rune(want)) {
			t.Errorf("%s: %d, not %d", raw, got, len([]rune(want)))
		}
	})
}

func FuzzMeter(f *testing.F) {
	for _, row := range []string{answerRow("m", 1, 1, callBlock("a", "Bash", `{"command":"sh /s/bench/r/scripts/a.sh"}`)), resultRow("a", "x", denied), `{"type":"user","message":{"content":"\ud800"}}`} {
		f.Add(row)
	}
	f.Fuzz(func(t *testing.T, row string) {
		r := measured(ledgerOf(account("s", worker, "")), map[string][]string{"s": {row, row}})
		if s := r.Sessions[0]; s.Held == nil || s.Held.Turns > 1 || s.Held.Characters < 0 {
			t.Errorf("%+v", s)
		}
	})
}
