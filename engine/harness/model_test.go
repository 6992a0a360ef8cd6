package harness

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestLookupNormalisesNames(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"claude-opus-5-5", "claude-opus-5-5"},
		{"CLAUDE-Opus-5-5", "claude-opus-5-5"},
		{"claude-opus-5-5-20261015", "claude-opus-5-5"},
		{"claude-opus-5-5@20261015", "claude-opus-5-5"},
		{"claude-opus-5-5-latest", "claude-opus-5-5"},
		{"anthropic/claude-sonnet-5-5", "claude-sonnet-5-5"},
		{"claude-sonnet-5-5[1m]", "claude-sonnet-5-5"},
		{"claude-sonnet-5-5-20261015[1m]", "claude-sonnet-5-5"},
		{"opus", "claude-opus-5-5"},
		{"opus[1m]", "claude-opus-5-5"},
		{" haiku ", "claude-haiku-5-5"},
		{"fable", "claude-fable-5-2"},
	} {
		m, ok := Lookup(c.in)
		if !ok || m.ID != c.want {
			t.Errorf("Lookup(%q) = %q, %v; want %q", c.in, m.ID, ok, c.want)
		}
	}
	for _, id := range []string{"", "gpt-5", "claude", "claude-opus-5-50", "claude-opus-5-5-2026", "[1m]", "20261015", "-20261015"} {
		if m, ok := Lookup(id); ok {
			t.Errorf("Lookup(%q) found %q", id, m.ID)
		}
	}
}

func TestWireNameKeepsWhatTheServerKnows(t *testing.T) {
	for in, want := range map[string]string{
		"opus":                       "claude-opus-5-5",
		"Opus[1m]":                   "claude-opus-5-5",
		"claude-opus-5-5-20261015":   "claude-opus-5-5-20261015",
		"claude-opus-5-5[1m]":        "claude-opus-5-5",
		"My-Local/Model:7b":          "My-Local/Model:7b",
		"us.anthropic.claude-x-v1:0": "us.anthropic.claude-x-v1:0",
	} {
		if got := WireName(in); got != want {
			t.Errorf("WireName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		asked, served string
		same          bool
	}{
		{"claude-opus-5-5", "claude-opus-5-5", true},
		{"claude-opus-5-5[1m]", "claude-opus-5-5", true},
		{"claude-x-y", "claude-x-y-20260101", true},
		{"claude-x-y-20251101[1m]", "claude-x-y-20260101", true},
		{"opus", "claude-opus-5-5-20261015", true},
		{"anthropic/claude-x-y", "Claude-X-Y", true},
		{"claude-x-y", "us.anthropic.claude-x-y-20260101-v1:0", true},
		{"anthropic.claude-x-y-v2", "claude-x-y", true},
		{"claude-x-y@20260101", "claude-x-y", true},
		{"", "claude-x-y", true},
		{"claude-x-y", "", true},
		{"claude-x-y", "<synthetic>", true},
		{"claude-opus-5-5", "claude-opus-5", false},
		{"claude-opus-5", "claude-opus-5-5", false},
		{"claude-opus-5-5[1m]", "claude-haiku-5-5", false},
		{"sonnet", "claude-sonnet-4-6", false},
		{"claude-opus-5-5", "qwen3-coder:30b", false},
		{"claude-x-y", "claude-x-y-2026", false},
		{"claude-x-y", "claude-x-y-v2", false},
	} {
		for _, got := range []bool{SameModel(c.asked, c.served), SameModel(c.served, c.asked)} {
			if got != c.same {
				t.Errorf("%q and %q: %v", c.asked, c.served, got)
			}
		}
	}
}

func TestDefaultModelIsKnownAndPriced(t *testing.T) {
	m, ok := Lookup(DefaultModel)
	if !ok || !m.Priced() || m.Window == 0 || m.MaxOutput == 0 {
		t.Fatalf("default model: %+v, %v", m, ok)
	}
}

func TestFindPrefersOverrides(t *testing.T) {
	own := []Model{{ID: "claude-opus-5-5", Input: 1}, {ID: "local-model", Window: 8000}}
	if m, _ := Find("claude-opus-5-5-20261015", own); m.Input != 1 {
		t.Errorf("override not used: %+v", m)
	}
	if m, ok := Find("local-model", own); !ok || m.Window != 8000 || m.Priced() {
		t.Errorf("local model: %+v, %v", m, ok)
	}
}

func TestCostIsRoundedUp(t *testing.T) {
	m, _ := Lookup("claude-opus-5-5")
	for _, c := range []struct {
		u    Usage
		want int64
	}{
		{Usage{}, 0},
		{Usage{Input: 1}, 4},
		{Usage{Read: 1}, 1}, // 0.4 millionths
		{Usage{Input: 1_000_000, Output: 1_000_000}, 24_000_000},
		{Usage{Write5m: 1_000_000}, 5_000_000},
		{Usage{Write1h: 1_000_000}, 8_000_000},
		{Usage{Read: 1_000_000}, 400_000},
		{Usage{Input: -5, Output: 1}, 20},
		{Usage{Input: math.MaxInt64, Output: math.MaxInt64}, math.MaxInt64},
	} {
		if got := m.Cost(c.u); got != c.want {
			t.Errorf("Cost(%+v) = %d, want %d", c.u, got, c.want)
		}
	}
}

func TestCostAgreesWithBigArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-10, 1<<45)
		u := Usage{n.Draw(t, "in"), n.Draw(t, "out"), n.Draw(t, "read"), n.Draw(t, "5m"), n.Draw(t, "1h")}
		m := Model{Input: n.Draw(t, "pin"), Output: n.Draw(t, "pout"), Read: n.Draw(t, "pread"), Write5m: n.Draw(t, "p5m"), Write1h: n.Draw(t, "p1h")}
		sum := new(big.Int)
		for _, p := range [][2]int64{{u.Input, m.Input}, {u.Output, m.Output}, {u.Read, m.Read}, {u.Write5m, m.Write5m}, {u.Write1h, m.Write1h}} {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(max(0, p[0])), big.NewInt(max(0, p[1]))))
		}
		sum.Add(sum, big.NewInt(999_999)).Div(sum, big.NewInt(1_000_000))
		want := int64(math.MaxInt64)
		if sum.IsInt64() {
			want = sum.Int64()
		}
		if got := m.Cost(u); got != want {
			t.Fatalf("Cost = %d, want %d", got, want)
		}
	})
}
