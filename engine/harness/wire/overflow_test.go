package wire

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
)

// elsewhere names the rows that are about more than one answer's words.
var elsewhere = map[string]string{
	"only-errors-new-in-this-attempt-count": "TestOverflowCountsForItsOwnAttemptOnly of package engine: a fault is judged alone, and none is kept",
}

// The words by which the API and gateways refuse a prompt that is too long, as
// the original has gathered them.
func TestOverflowsOfTheOriginal(t *testing.T) {
	text, err := os.ReadFile("testdata/original.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for line := range strings.Lines(string(text)) {
		var r struct {
			Name          string
			Input, Expect json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if elsewhere[r.Name] != "" {
			continue
		}
		played++
		var said string
		var want bool
		if json.Unmarshal(r.Input, &said) != nil || json.Unmarshal(r.Expect, &want) != nil {
			t.Fatal(line)
		}
		for _, kind := range []string{"invalid_request_error", ""} {
			body, _ := json.Marshal(map[string]any{"error": map[string]string{"type": kind, "message": said}})
			f := Faults{Now: time.Now}.Of(&Error{Status: 400, Body: body}, "")
			if got := f.Class == harness.PromptTooLong; got != want {
				t.Errorf("%s, type '%s': %v (%v), want %v", r.Name, kind, got, f.Class, want)
			}
		}
	}
	if played+len(elsewhere) != 14 {
		t.Errorf("%d rows were played, %d are elsewhere, of 14", played, len(elsewhere))
	}
}
