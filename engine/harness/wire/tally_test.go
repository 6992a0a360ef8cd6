package wire

import (
	"encoding/json"
	"testing"

	"git-flower/engine/harness"
)

func TestEstimateIsHighAndCountsPicturesApart(t *testing.T) {
	first := Known{}.Estimate(Size{Bytes: 1000})
	if first != 500 {
		t.Errorf("first %d", first)
	}
	k := Known{Size{Bytes: 1000}, 200}
	if got := k.Estimate(Size{Bytes: 1100, Pictures: 2}); got != 200+50+2*imageTokens {
		t.Errorf("grown %d", got)
	}
	if got := k.Estimate(Size{Bytes: 900}); got != 450 {
		t.Errorf("shrunk %d", got)
	}
}

func TestUsageThatIsMissingIsEstimated(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		name string
		r    Tally
		want harness.Usage
	}{
		{"nothing came", Tally{}, harness.Usage{}},
		{"no usage at all", Tally{Started: true, Finished: true, Text: 100}, harness.Usage{Input: 700, Output: 50}},
		{"broke off", Tally{Started: true, Text: 100, Usage: Usage{Input: n(10), Output: n(1)}}, harness.Usage{Input: 10, Output: 50}},
		{"whole", Tally{Started: true, Finished: true, Text: 100, Usage: Usage{Input: n(10), Output: n(9), Read: n(5), Write: n(3)}}, harness.Usage{Input: 10, Output: 9, Read: 5, Write5m: 3}},
		{"negative", Tally{Started: true, Finished: true, Usage: Usage{Input: n(-10), Output: n(-9), Read: n(5)}}, harness.Usage{Read: 5}},
	} {
		if got := c.r.Counted(700); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	var u Usage
	_ = json.Unmarshal([]byte(`{"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20}}`), &u)
	if got := u.Tokens(); got != (harness.Usage{Write5m: 10, Write1h: 20}) {
		t.Errorf("breakdown %+v", got)
	}
}
