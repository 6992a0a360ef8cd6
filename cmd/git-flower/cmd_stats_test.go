package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"git-flower/engine/economy"
	"git-flower/engine/harness"
	"git-flower/engine/session"
	"git-flower/gitstate"
)

// statsStory is a run of a coordinator and two workers, in the records alone.
func statsStory(d *desk) *story {
	s := d.begin("add-json", "Add --json to list", false)
	row := `{"step":"work","label":"work","session":"%s","role":"%s","worker":"%s","model":"m","turns":%d,"input_tokens":10,"output_tokens":5,"cache_read_tokens":90,"cache_write_tokens":0,"cost_micro_usd":20000,"attempts":1,"context":100,"start":"2026-11-30T11:0%d:00Z","end":"2026-11-30T11:10:00Z"}`
	ledger := "[" + fmt.Sprintf(row, "5e55-c", "coordinator", "", 2, 1) + "," + fmt.Sprintf(row, "5e55-1", "worker", "coder-1", 6, 2) + "," + fmt.Sprintf(row, "5e55-2", "worker", "coder-2", 2, 3) + "]\n"
	s.tell(gitstate.Record{Kind: gitstate.KindNotice, Subject: "spent", Files: map[string][]byte{"ledger/wake.json": []byte(ledger)}})
	return s
}

// transcribe stores the transcript of a session.
func (s *story) transcribe(id string, rows ...string) {
	s.t.Helper()
	store, err := session.Open(s.t.Context(), filepath.Join(s.d.git("rev-parse", "--path-format=absolute", "--git-common-dir"), "flower", "session.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, row := range rows {
		err = errors.Join(err, store.Append(s.t.Context(), id, json.RawMessage(row)))
	}
	if err := errors.Join(err, store.Close()); err != nil {
		s.t.Fatal(err)
	}
}

func statsRow(id string, context int) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"%s","content":[{"type":"text","text":"words"}],"usage":{"input_tokens":%d}}}`, id, context)
}

func TestStatsFromTheRecordsAlone(t *testing.T) {
	d := newDesk(t)
	d.repository()
	statsStory(d)
	d.expect(0, "stats", "--json")
	var r economy.Report
	if err := json.Unmarshal(d.out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Total.Billed.Requests != 10 || r.Total.Billed.Cost != 60000 || r.Total.Held != nil || len(r.Missing) != 3 {
		t.Errorf("%+v, missing %v", r.Total, r.Missing)
	}
	d.expect(0, "stats")
	has(t, d.out.String(), "coder-1", "90.0%", "80.0% of the requests", "5e55-c\n")
	d.expect(1, "stats", "--svg", "curve.svg")
	if _, err := os.Stat(filepath.Join(d.env.Dir, "curve.svg")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a picture of nothing was written")
	}
	if _, err := os.Stat(filepath.Join(d.env.Dir, ".git", "flower", "session.db")); !errors.Is(err, os.ErrNotExist) {
		t.Error("looking made a store")
	}
}

func TestStatsWithTranscripts(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := statsStory(d)
	s.transcribe("5e55-c", statsRow("m1", 100), statsRow("m1", 100), statsRow("m2", 220))
	s.transcribe("5e55-1", statsRow("m1", 50), statsRow("m2", 60), statsRow("m3", 60), statsRow("m4", 60), statsRow("m5", 60))
	s.transcribe("5e55-2", statsRow("m1", 50))
	d.expect(0, "stats", "--json", "--svg", "curve.svg", "add-json")
	one := d.jsonOut()[0]
	main := one["main"].(map[string]any)
	if main["kept_out_turns"] != 0.75 || main["growth_per_turn"] != 120.0 || one["id"] != s.run.ID() {
		t.Errorf("%v", one)
	}
	data, err := os.ReadFile(filepath.Join(d.env.Dir, "curve.svg"))
	if err != nil || strings.Count(string(data), "<polyline") != 1 {
		t.Errorf("%v: %s", err, data)
	}
	d.expect(0, "stats")
	has(t, d.out.String(), "75.0% of the turns", "over 2 turns", "#", "220 |")
	if strings.Contains(d.out.String(), "Not on this machine") {
		t.Errorf("something is missing: %s", d.out.String())
	}
}

// What another round costs is told as long as there may be one.
func TestStatsForecast(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("add-json", "Add --json to list", false)
	row := `{"label":"%s","session":"%s","role":"%s","model":"claude-opus-5-5","turns":1,"input_tokens":10,"cost_micro_usd":500000,"attempts":1,"start":"2026-11-30T11:0%d:00Z"}`
	ledger := "[" + fmt.Sprintf(row, "work", "5e55-c", "coordinator", 1) + "," + fmt.Sprintf(row, "work#judge1", "5e55-j", "judge", 2) + "]\n"
	s.tell(gitstate.Record{Kind: gitstate.KindNotice, Subject: "spent", Files: map[string][]byte{"ledger/wake.json": []byte(ledger)}})
	timed := strings.Replace(statsRow("m1", 100000), `{"type"`, `{"timestamp":"2026-01-01T00:00:00.000Z","type"`, 1)
	s.transcribe("5e55-c", timed)
	s.transcribe("5e55-j", statsRow("m1", 100))
	d.expect(0, "stats")
	m, _ := harness.Lookup("claude-opus-5-5")
	again := gitstate.MicroUSD((m.Write5m - m.Read) / 10)
	has(t, d.out.String(), "another round costs about "+dollars(1_000_000+again)+", going by 1 round so far", dollars(again)+" for each wait", "one now")
	s.tell(gitstate.Record{Kind: gitstate.KindEnd, Subject: "reached", Meta: gitstate.Meta{State: "reached"}})
	d.expect(0, "stats", "--json")
	if one := d.jsonOut()[0]; one["forecast"] != nil {
		t.Errorf("told of a run that has ended: %v", one["forecast"])
	}
}

func TestStatsWithoutAnything(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.expect(1, "stats")
	d.begin("x", "do it", false)
	d.expect(0, "stats")
	has(t, d.out.String(), "Nothing has been asked")
	d.expect(129, "stats", "x", "y")
	d.expect(128, "stats", "no-such-run")
}

func TestHumanNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0K", 185900: "185.9K", 299400000: "299.4M", 3e9: "3.0B"} {
		if got := human(n); got != want {
			t.Errorf("%d: %s, not %s", n, got, want)
		}
	}
}

// anyReport is a report with names as nobody would give them.
func anyReport(t *rapid.T) economy.Report {
	ledger := map[string][]gitstate.LedgerRow{}
	for i := range rapid.IntRange(0, 5).Draw(t, "sessions") {
		ledger["w"] = append(ledger["w"], gitstate.LedgerRow{Session: fmt.Sprint(i), Label: rapid.String().Draw(t, "label"), Worker: rapid.StringN(0, 20, 80).Draw(t, "worker"),
			Role: rapid.SampledFrom([]string{"coordinator", "worker", "j\x1b[2Judge"}).Draw(t, "role"), Turns: 1 << 20, Input: rapid.Int64Range(0, 1<<40).Draw(t, "input"), Cost: 1 << 40})
	}
	m := economy.NewMeter("r", ledger, nil)
	for _, id := range m.Sessions() {
		for n := range rapid.IntRange(0, 300).Draw(t, "turns") {
			m.Add(id, json.RawMessage(statsRow(fmt.Sprint(n), rapid.IntRange(0, 1<<30).Draw(t, "context"))))
		}
	}
	return m.Report()
}

// No line but a sentence is wider than the terminal, and nothing in it is a control character.
func TestStatsFitTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := look{columns: rapid.IntRange(40, 200).Draw(t, "columns")}
		for line := range strings.SplitSeq(strings.TrimSuffix(statsText(l, runFigures{Report: anyReport(t), Rehearsed: true}), "\n"), "\n") {
			if w := displaywidth.String(line); w > l.columns || strings.ContainsAny(line, "\x1b\r\t") {
				if !strings.HasPrefix(line, "Not on this machine") {
					t.Fatalf("%d of %d columns: %q", w, l.columns, line)
				}
			}
		}
	})
}

func TestPlot(t *testing.T) {
	points := []economy.Point{{Tokens: 1000}, {Tokens: 8000}, {Tokens: 4000}}
	_, got, _ := strings.Cut(plot(look{columns: 13}, [][]economy.Point{points}), "\n\n")
	want := `8.0K |   ##
     |   ##
     |   ##
     |   ##
     |   ####
     |   ####
     |   ####
     | ######
   0 +-------
`
	if got != want {
		t.Errorf("drawn\n%snot\n%s", got, want)
	}
	for room, want := range map[int]string{2: "[1000 8000]", 4: "[1000 8000 4000]", 7: "[1000 1000 8000 8000 4000 4000]"} {
		if bars := fmt.Sprint(columnsOf([][]economy.Point{points}, room)); bars != want {
			t.Errorf("%d columns: %s, not %s", room, bars, want)
		}
	}
}

// Sessions that took over from each other are separate pieces, in whatever room.
func TestPlotParts(t *testing.T) {
	curves := [][]economy.Point{{{Tokens: 100}, {Tokens: 8000}}, {{Tokens: 2000}, {Tokens: 4000}}}
	for columns, want := range map[int]string{30: "   0 +--------- --------", 13: "   0 +--- --", 10: "   0 +-- -", 9: "   0 +---", 8: "   0 +--"} {
		lines := strings.Split(strings.TrimSpace(plot(look{columns: columns}, curves)), "\n")
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("%d columns: %q, not %q", columns, got, want)
		}
	}
	if got := plot(look{}, curves); !strings.Contains(got, "over 4 turns in 2 sessions") {
		t.Error(got)
	}
	if got := picture("x", curves); strings.Count(got, "<polyline") != 2 || strings.Count(got, "stroke-dasharray") != 1 {
		t.Error(got)
	}
}

// However narrow a terminal is, no fact is cut.
func TestStatsFactsAreWhole(t *testing.T) {
	r := runFigures{Report: economy.Report{Total: economy.Part{Held: &economy.Held{Left: &economy.Left{Loads: 2, Expired: 3}}}}, Rehearsed: true}
	words := func(columns int) string {
		return strings.Join(strings.Fields(factLines(look{columns: columns}, statsFacts(r))), " ")
	}
	if narrow, wide := words(40), words(0); narrow != wide || !strings.Contains(wide, "3 results expired") {
		t.Errorf("%s\nnot\n%s", narrow, wide)
	}
}

// A cost that is not known is no zero.
func TestUnknownCost(t *testing.T) {
	free := gitstate.LedgerRow{Session: "1", Label: "work", Role: "worker", Model: "llama\x1b[2J", Turns: 3, Input: 5}
	paid := gitstate.LedgerRow{Session: "2", Label: "work", Role: "judge", Model: "m", Turns: 1, Input: 5, Cost: 90000}
	m := economy.NewMeter("r", map[string][]gitstate.LedgerRow{"w": {free, paid}}, nil)
	got := statsText(look{columns: 80}, runFigures{Report: m.Report()})
	has(t, got, "not known of 3 requests: no price for 'llama", "0.09+")
	for line := range strings.SplitSeq(got, "\n") {
		if strings.HasPrefix(line, "worker") && !strings.HasSuffix(line, " -") || strings.Contains(line, "\x1b") {
			t.Errorf("%q", line)
		}
	}
}

// The page names every key of the JSON, and no other.
func TestStatsKeysAreDocumented(t *testing.T) {
	keys := map[string]bool{}
	jsonKeys(reflect.TypeFor[runFigures](), keys)
	_, section, _ := strings.Cut(manual, "\\fBstats \\-\\-json\\fR\n")
	section, _, _ = strings.Cut(section, "\n.TP\n")
	named := map[string]bool{}
	for _, italic := range regexp.MustCompile(`(?s)\\fI(.*?)\\fR`).FindAllStringSubmatch(section, -1) {
		for _, key := range regexp.MustCompile(`[a-z_]+`).FindAllString(italic[1], -1) {
			named[key] = true
		}
	}
	if missing := slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), func(k string) bool { return named[k] }); len(missing) > 0 {
		t.Errorf("the page does not name %v", missing)
	}
	if more := slices.DeleteFunc(slices.Sorted(maps.Keys(named)), func(k string) bool { return keys[k] }); len(more) > 0 {
		t.Errorf("the page names %v, which are no keys", more)
	}
}

// jsonKeys collects the keys that a type has as JSON.
func jsonKeys(of reflect.Type, keys map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		jsonKeys(of.Elem(), keys)
	case reflect.Struct:
		for f := range of.Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				keys[name] = true
			}
			jsonKeys(f.Type, keys)
		}
	}
}

// The picture is XML without anything that runs or is fetched, whatever the run
// is called.
func TestPictureIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.Just(`</title><script>alert(1)</script>'"&\x00`)).Draw(t, "name")
		var curve []economy.Point
		for _, n := range rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 1, 40).Draw(t, "curve") {
			curve = append(curve, economy.Point{Tokens: n})
		}
		in := xml.NewDecoder(strings.NewReader(picture(name, [][]economy.Point{curve})))
		for {
			token, err := in.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok {
				if !strings.Contains(" svg title rect text line polyline ", " "+e.Name.Local+" ") {
					t.Fatalf("an element '%s'", e.Name.Local)
				}
				for _, a := range e.Attr {
					if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
						t.Fatalf("an attribute '%s'", a.Name.Local)
					}
				}
			}
		}
	})
}

// What tells least goes where there is no room; what a session cost never does.
func TestStatsColumnsFit(t *testing.T) {
	r := economy.Report{Run: "x", Roles: []economy.Part{{Role: "coordinator", Sessions: 1, Held: &economy.Held{Characters: 123456}}}}
	for room, want := range map[int][2]string{200: {"denied", ""}, 80: {"USD", "denied"}, 50: {"USD", "requests"}, 0: {"requests", "denied"}} {
		head, _, _ := strings.Cut(statsTable(look{columns: room}, r), "\n")
		if !strings.Contains(head, want[0]) || !strings.Contains(head, "USD") || want[1] != "" && strings.Contains(head, want[1]) {
			t.Errorf("%d columns: %q", room, head)
		}
	}
}

// What a session cost is there whole on the narrowest terminal, beside the longest name.
func TestStatsCostIsWhole(t *testing.T) {
	r := economy.Report{Roles: []economy.Part{{Role: strings.Repeat("long", 9), Sessions: 1, Billed: economy.Billed{Input: 188_900, Output: 188_900, Read: 188_900, Cost: 171_620_000}}}}
	lines := strings.Split(strings.TrimSpace(statsTable(look{columns: 40}, r)), "\n")
	if !strings.HasSuffix(lines[0], "USD") || !strings.HasSuffix(lines[1], " 171.62") {
		t.Errorf("%q", lines)
	}
}
