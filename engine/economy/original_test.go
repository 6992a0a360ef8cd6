package economy

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"git-flower/guards"
)

// A row is one expectation gathered of the original's analyser; "original" and "why"
// say where it does otherwise.
type row struct {
	Name          string
	Input, Expect json.RawMessage
}

// elsewhere names the rows that other tests play, or that have no counterpart.
var elsewhere = map[string]string{
	"human-999":          "TestHumanNumbers of cmd/git-flower",
	"human-1000":         "TestHumanNumbers of cmd/git-flower",
	"human-185900":       "TestHumanNumbers of cmd/git-flower",
	"human-299400000":    "TestHumanNumbers of cmd/git-flower",
	"steps-group-by-run": "a report is of one run, whose ledger names it: no row can lack it",
}

func TestOriginal(t *testing.T) {
	play := map[string]func(*testing.T, row){
		"context-size-adds-all-three":                  playContext,
		"main-and-sub-split-by-key":                    playSplit,
		"project-path-containing-subagent":             playSplit,
		"body-characters-count-text-input-and-content": playCharacters,
		"drop-is-below-70-percent-of-the-previous":     playFalls,
		"cache-hit-is-reads-over-all-input":            playHits,
		"one-response-written-as-several-rows":         playRows,
		"curve-order-across-sessions":                  playOrder,
		"spill-volume":                                 playSpill,
	}
	text, err := os.ReadFile("testdata/original.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		var r row
		read(t, []byte(line), &r)
		rows++
		if elsewhere[r.Name] != "" {
			continue
		}
		t.Run(r.Name, func(t *testing.T) { play[r.Name](t, r) })
	}
	if rows != 14 || len(play)+len(elsewhere) != rows {
		t.Errorf("%d rows, %d are played and %d are not, of 14", rows, len(play), len(elsewhere))
	}
}

func read(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// stored is a row of the corpus as a harness stores it.
func stored(kind string, raw json.RawMessage) string {
	return strings.Replace(string(raw), "{", `{"type":"`+kind+`","uuid":"u",`, 1)
}

func playContext(t *testing.T, r row) {
	var want int64
	read(t, r.Expect, &want)
	if got := one(t, coordinator, stored("assistant", r.Input)).Curve[0].Tokens; got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

// playSplit: whose a session is stands in the ledger, whatever its name holds.
func playSplit(t *testing.T, r row) {
	var ids []string
	var want struct{ Main, Sub int }
	read(t, r.Input, &ids)
	read(t, r.Expect, &want)
	roles := []string{coordinator, worker}
	rows := map[string][]string{}
	var accounts = ledgerOf()
	for i, id := range ids {
		accounts["w1"] = append(accounts["w1"], account(id, roles[i], ""))
		rows[id] = []string{answerRow("m", 1, 1)}
	}
	got := map[string]int{}
	for _, p := range measured(accounts, rows).Roles {
		got[p.Role] = p.Held.Turns
	}
	if got[coordinator] != want.Main || got[worker] != want.Sub {
		t.Errorf("%v, want %+v", got, want)
	}
}

func playCharacters(t *testing.T, r row) {
	var want int
	read(t, r.Expect, &want)
	if got := one(t, worker, stored("user", r.Input)).Held.Characters; got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func playFalls(t *testing.T, r row) {
	var curve []int64
	var want struct {
		At []int `json:"drops_at"`
	}
	read(t, r.Input, &curve)
	read(t, r.Expect, &want)
	var points []Point
	for _, n := range curve {
		points = append(points, Point{Tokens: n})
	}
	if got := Falls(points); !slices.Equal(got, want.At) {
		t.Errorf("%v, want %v", got, want.At)
	}
}

func playHits(t *testing.T, r row) {
	var in struct{ In, Read, New int64 }
	var want string
	read(t, r.Input, &in)
	read(t, r.Expect, &want)
	hits, ok := Billed{Input: in.In, Read: in.Read, Written: in.New}.Hits()
	if got := fmt.Sprintf("%.1f%%", 100*hits); !ok || got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// playRows: tokens that were billed come from the ledger alone; the rows of one
// answer are one turn with one context.
func playRows(t *testing.T, r row) {
	var in []json.RawMessage
	var want struct{ Turns, Input int }
	read(t, r.Input, &in)
	read(t, r.Expect, &want)
	s := one(t, coordinator, stored("assistant", in[0]), stored("assistant", in[1]))
	if s.Held.Turns != want.Turns || len(s.Curve) != 1 || s.Curve[0].Tokens != int64(want.Input) || s.Billed.Input != 0 {
		t.Errorf("%d turns, curve %v, billed %+v, want %+v", s.Held.Turns, s.Curve, s.Billed, want)
	}
}

func playOrder(t *testing.T, r row) {
	var in struct {
		Sessions []string `json:"sessions_by_time"`
	}
	var want struct{ Order []string }
	read(t, r.Input, &in)
	read(t, r.Expect, &want)
	accounts := ledgerOf()
	for i, id := range in.Sessions {
		accounts["w1"] = append(accounts["w1"], account(id, worker, fmt.Sprintf("2026-01-01T0%d:00:00Z", i)))
	}
	slices.Reverse(accounts["w1"])
	var got []string
	for _, s := range measured(accounts, nil).Sessions {
		got = append(got, s.ID)
	}
	if !slices.Equal(got, want.Order) {
		t.Errorf("%v, want %v", got, want.Order)
	}
}

// playSpill: nothing shorter than 4,000 characters is spilled, so that the text of
// the row is taken four times.
func playSpill(t *testing.T, r row) {
	var in struct {
		Bytes int `json:"file_bytes"`
		Chars int `json:"file_chars"`
	}
	var want struct{ Chars int }
	read(t, r.Input, &in)
	read(t, r.Expect, &want)
	text := strings.Repeat("中", 4*in.Chars)
	if len(text) != 4*in.Bytes {
		t.Fatalf("%d bytes", len(text))
	}
	pointer := guards.Pointer(guards.Call{Tool: "Bash"}, text, "/anywhere/bench/r/spill/0123456789abcdef.txt")
	s := one(t, worker, answerRow("m", 1, 1, callBlock("a", "Bash", `{"command":"x"}`)), resultRow("a", pointer, ""))
	if s.Held.Spilled != 4*want.Chars {
		t.Errorf("%d characters, want %d", s.Held.Spilled, 4*want.Chars)
	}
}

// Counts that are null are none; they are no reason to pass over what was said.
func TestUsageThatIsNull(t *testing.T) {
	s := one(t, coordinator,
		`{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"abc"}],"usage":{"input_tokens":null,"cache_read_input_tokens":7,"cache_creation_input_tokens":null,"output_tokens":null}}}`,
		`{"type":"assistant","message":{"id":"b","content":[{"type":"text","text":"de"}],"usage":null}}`)
	if s.Held.Characters != 5 || s.Held.Turns != 1 || s.Curve[0].Tokens != 7 {
		t.Errorf("%+v, curve %v", s.Held, s.Curve)
	}
}

// What was billed, what was said and how often a step was tried are three counts:
// none is made of another.
func TestRequestsTurnsAndAttemptsAreThreeCounts(t *testing.T) {
	a := account("s", coordinator, "")
	a.Turns, a.Attempts = 5, 3
	r := measured(ledgerOf(a), map[string][]string{"s": {answerRow("1", 10, 1), answerRow("2", 20, 1)}})
	s := r.Sessions[0]
	if s.Billed.Requests != 5 || s.Billed.Failed != 2 || s.Held.Turns != 2 || len(s.Curve) != 2 || r.Total.Billed.Requests != 5 || r.Total.Held.Turns != 2 {
		t.Errorf("billed %+v, held %+v, %d points", s.Billed, s.Held, len(s.Curve))
	}
}
