package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
)

// A windowRow is a row of the original's cases for the size of a model's window.
type windowRow struct {
	Name  string
	Input struct {
		Model     *string `json:"ANTHROPIC_MODEL"`
		Opus      string  `json:"ANTHROPIC_DEFAULT_OPUS_MODEL"`
		Variable  string  `json:"FLOWER_WINDOW"`
		Option    int64   `json:"window_flag"`
		Overflows []int64 `json:"overflows_at"`
		Learned   json.RawMessage
		Use       string
	}
	Expect int64
}

// otherwise names the rows whose answer of ours is another one, and says why.
var otherwise = map[string]string{
	"1m-tag":                "no window is guessed from a name that the table lacks: --window says it",
	"1m-dash":               "no window is guessed from a name that the table lacks: --window says it",
	"plain-opus":            "no window is guessed from a name that the table lacks: --window says it",
	"haiku":                 "no window is guessed from a name that the table lacks: --window says it",
	"falls-to-opus-default": "the names behind the tiers count where a tier is asked for; no window is guessed from a name that the table lacks",
	"bad-env-window":        "a wrong value is refused and its origin named, not passed over",
	"zero-env-window":       "a wrong value is refused and its origin named, not passed over",
	"negative-env-window":   "a wrong value is refused and its origin named, not passed over",
}

func TestWindowsOfTheOriginal(t *testing.T) {
	text, err := os.ReadFile("testdata/original.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows, met := 0, 0
	for line := range strings.Lines(string(text)) {
		var r windowRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows++
		if otherwise[r.Name] != "" {
			met++
		}
		t.Run(r.Name, func(t *testing.T) { r.play(t) })
	}
	if rows != 14 || met != len(otherwise) {
		t.Errorf("%d rows, of 14; %d of %d that are answered otherwise", rows, met, len(otherwise))
	}
}

func (r windowRow) play(t *testing.T) {
	in := r.Input
	env, options := map[string]string{}, map[string]string{}
	if in.Variable != "" {
		env["GIT_FLOWER_WINDOW"] = in.Variable
	}
	if in.Option > 0 {
		options["window"] = "333000"
	}
	c, err := configOf(nil, env, options)
	if strings.HasSuffix(r.Name, "-env-window") {
		if err == nil || !strings.Contains(err.Error(), "GIT_FLOWER_WINDOW") {
			t.Errorf("'%s' was taken for %d: %v", in.Variable, c.Window, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "windows.json")
	at := func(endpoint string) *windows {
		return &windows{given: c.Window, file: file, endpoint: endpoint, now: time.Now,
			table: func(name string) int64 { m, _ := harness.Lookup(name); return m.Window }}
	}
	model, where := harness.DefaultModel, "https://gw"
	if in.Model != nil && in.Variable == "" {
		model = cmp.Or(*in.Model, in.Opus)
	}
	in.Overflows = append(in.Overflows, learned(in.Learned)...)
	for _, n := range in.Overflows {
		if err := at(where).Overflowed(model, n); err != nil {
			t.Fatal(err)
		}
	}
	if in.Use != "" {
		where = "https://other"
	}
	want := r.Expect
	if otherwise[r.Name] != "" {
		want = 0
	}
	if got := at(where).Window(model); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

// learned are the windows that a row says were learned before.
func learned(raw json.RawMessage) (all []int64) {
	var one int64
	if json.Unmarshal(raw, &one) == nil && one > 0 {
		return []int64{one}
	}
	var by map[string]int64
	_ = json.Unmarshal(raw, &by) // nothing was
	for _, n := range by {
		all = append(all, n)
	}
	return all
}
