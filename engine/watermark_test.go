package engine

import (
	"testing"

	"pgregory.net/rapid"
)

// The cases handoff_policy of the original.
func TestWatermarkOf(t *testing.T) {
	for _, c := range []struct {
		name             string
		window, headroom int64
		want             watermark
	}{
		{"window-200000-headroom-0", 200_000, 0, watermark{200_000, 150_000, 130_000}},
		{"window-1000000-headroom-0: 50,000 alone left 7 of 8 handoffs empty", 1_000_000, 0, watermark{1_000_000, 750_000, 730_000}},
		{"window-1000000-headroom-50000", 1_000_000, 50_000, watermark{1_000_000, 950_000, 930_000}},
		{"window-20000-headroom-0", 20_000, 0, watermark{20_000, 10_000, 1_000}},
		{"window-40000-headroom-25000", 40_000, 25_000, watermark{40_000, 15_000, 1_000}},
		{"a window that is not known", 0, 50_000, watermark{}},
		{"headroom that is none", 200_000, -1, watermark{200_000, 150_000, 130_000}},
	} {
		if got := watermarkOf(c.window, c.headroom); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestWatermarkIsBelowTheWindowAndAboveTheFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.Int64Range(leastAt+1, 2_000_000).Draw(t, "window")
		m := watermarkOf(window, rapid.Int64Range(-1, 2_000_000).Draw(t, "headroom"))
		if m.at > window || m.at < leastAt || m.near > m.at || m.near < leastNear {
			t.Fatalf("%+v", m)
		}
		if m.due(m.at-1) || !m.due(m.at) {
			t.Fatalf("%+v is not due exactly from its line on", m)
		}
	})
	if (watermark{}).due(1 << 40) {
		t.Error("a window that is not known is full")
	}
}

func TestOverflowed(t *testing.T) {
	for _, c := range []struct {
		name    string
		message string
		context int64
		want    int64
		learned bool
	}{
		{"the limit is named", "prompt is too long: 1049000 tokens > 1000000 maximum", 174_000, 1_000_000, true},
		{"a gateway that gives less than it says (174K of 1M)", "API Error: context_length_exceeded", 174_000, 174_000, true},
		{"another endpoint names it", "This model's maximum context length is 200,000 tokens", 0, 200_000, true},
		{"with the answer's room", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000", 0, 200_000, true},
		{"false overflows at 41K: window 41K, threshold 10K, floor 34K, every later run dies", "prompt is too long", 41_000, 41_000, false},
		{"nothing was seen", "prompt is too long", 0, 0, false},
		{"a limit nobody has", "prompt is too long: 2 tokens > 1 maximum", 90_000, 90_000, true},
		{"no number at all", "99999999999999999999 tokens > 99999999999999999999 maximum", 5, 5, false},
	} {
		if got, learned := overflowed(c.message, c.context); got != c.want || learned != c.learned {
			t.Errorf("%s: got %d, %v", c.name, got, learned)
		}
	}
}
