package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/engine/rawjson"
)

// severe leaves nothing that can go, whatever it costs.
func severe() (Options, policy) {
	return Options{CarryOn: carryOn, Expires: func(Call) bool { return true }, Point: folder{}.point}, policy{maxGlance: 2, requests: 1e6}
}

// Whatever is left out of whatever history, what remains is a conversation.
func TestNoShorteningIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := hostile(t)
		for i := range entries {
			if rapid.IntRange(0, 3).Draw(t, "marked") > 0 {
				continue
			}
			other, _, _ := wire(entries[rapid.IntRange(0, len(entries)-1).Draw(t, "by")])
			entries[i] = rawjson.With(entries[i], "flowerLoaded", rawjson.Quoted(other.UUID+" 00"))
		}
		for n := range len(entries) + 1 {
			o, p := severe()
			h, err := read(entries[:n], o, p)
			if err != nil {
				t.Fatal(err)
			}
			if why := refusal(h); why != "" {
				t.Fatalf("%s\nread %s\nfrom %s", why, joinLines(h.Entries), joinLines(entries[:n]))
			}
			if twice, _ := read(entries[:n], o, p); joinLines(twice.Entries) != joinLines(h.Entries) {
				t.Fatal("two readings differ")
			}
			again, err := read(h.Entries, o, p)
			if err != nil || refusal(again) != "" {
				t.Fatalf("reading again: %v, %s", err, refusal(again))
			}
		}
	})
}

// looks is a history of n looks, each with what it showed, and words at the end.
func looks(n, size int) []json.RawMessage {
	all := []json.RawMessage{json.RawMessage(`{"type":"user","uuid":"w","parentUuid":null,"message":{"role":"user","content":"go"}}`)}
	last := "w"
	for i := range n {
		all = append(all,
			fmt.Appendf(nil, `{"type":"assistant","uuid":"a%d","parentUuid":"%s","message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"git log -%d"}}],"stop_reason":"tool_use"}}`, i, last, i, i, i%500),
			fmt.Appendf(nil, `{"type":"user","uuid":"r%d","parentUuid":"a%d","toolUseResult":"copy","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":[{"type":"text","text":"%s"}]}]}}`, i, i, i, strings.Repeat("x", size)))
		last = fmt.Sprintf("r%d", i)
	}
	return all
}

// A reading changes something only where that costs less than it saves.
func TestChangesHaveToPay(t *testing.T) {
	o := Options{Expires: glances}
	few, _ := Read(looks(keepGlances+1, 200), o)
	many, _ := Read(looks(60, 1500), o)
	if few.Report.Expired != 0 || few.Mark != "" {
		t.Errorf("one small result was taken out from under six: %+v", few.Report)
	}
	if many.Report.Expired != 60-keepGlances || many.Mark == "" {
		t.Errorf("of 60 results %+v", many.Report)
	}
}

// What a reading leaves out is told to whoever stores what comes after, in
// characters, and later readings tell the same.
func TestWhatIsLeftOutIsTold(t *testing.T) {
	o := Options{Expires: glances}
	if few, _ := Read(looks(keepGlances+1, 200), o); few.Left != nil {
		t.Errorf("nothing is left out, and told is %s", few.Left)
	}
	entries := looks(60, 1500)
	h, _ := Read(entries, o)
	saved := 0
	for i := range 60 - keepGlances {
		saved += 1500 - len([]rune(expiredNotice(fmt.Sprintf("git log -%d", i), 60-i)))
	}
	want := fmt.Sprintf(`{"expired":%d,"cleared":0,"denied":0,"characters":%d}`, 60-keepGlances, saved)
	if string(h.Left) != want {
		t.Errorf("told is %s, not %s", h.Left, want)
	}
	after := fmt.Appendf(nil, `{"type":"assistant","uuid":"z","parentUuid":"%s","flowerLoaded":"%s","message":{"id":"mz","role":"assistant","content":[{"type":"text","text":"seen"}],"stop_reason":"end_turn"}}`, h.Last, h.Mark)
	if again, _ := Read(append(entries, after), o); string(again.Left) != want {
		t.Errorf("then %s, not %s", again.Left, want)
	}
}

// Second copies of what is left out go too; others stay.
func TestSecondCopiesGo(t *testing.T) {
	h, err := Read(looks(60, 1500), Options{Expires: glances})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(joinLines(h.Entries), `"toolUseResult":"copy"`); got != keepGlances {
		t.Errorf("%d copies are left", got)
	}
}

// A pointer that cannot be made leaves the text, and what a session must remember
// stays however long it is.
func TestLongResultsThatStay(t *testing.T) {
	for name, o := range map[string]Options{
		"nowhere to put them": {Point: func(Call, string) string { return "" }},
		"memory":              {Point: folder{}.point, Keep: func(c Call) bool { return c.Tool == "Bash" }},
	} {
		h, err := Read(looks(60, 3000), o)
		if err != nil || strings.Count(joinLines(h.Entries), strings.Repeat("x", 3000)) != 60 {
			t.Errorf("%s: %v, %+v", name, err, h.Report)
		}
	}
}

// BenchmarkRead reads a session of 20,000 entries, 10,000 looks of which nearly
// all have gone stale.
func BenchmarkRead(b *testing.B) {
	entries := looks(10_000, 400)
	for name, o := range map[string]Options{"relink": {}, "all": {Expires: glances, Point: folder{}.point}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(entries, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What a reading did is told of that reading, whatever was read before it or is
// read after it: a session's own transcript is not the last one to be read.
func TestReportsAreOfTheirOwnReading(t *testing.T) {
	o := Options{Expires: glances, Point: folder{}.point}
	main := mustReadAs(t, looks(60, 1500), o)
	agent := mustReadAs(t, looks(40, 3000), o)
	untouched := mustReadAs(t, looks(2, 10), o)
	for what, c := range map[string][2]Report{
		"of the session":   {main.Report, {Expired: 60 - keepGlances}},
		"of a sub-agent":   {agent.Report, {Cleared: 40 - keepLong, Kept: keepLong, Chars: (40 - keepLong) * 3000}},
		"of nothing to do": {untouched.Report, {}},
	} {
		if saves := c[1] != (Report{}); (c[0].Saved > 0) != saves {
			t.Errorf("%s: %d characters saved", what, c[0].Saved)
		}
		if c[0].Saved = 0; c[0] != c[1] {
			t.Errorf("%s: %+v, want %+v", what, c[0], c[1])
		}
	}
}
