package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The cases of the original: the least that was learned counts, by endpoint and
// model; the user's word beats it.
func TestWindows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "windows.json")
	at := time.Unix(1_700_000_000, 0)
	at0 := at
	open := func(endpoint string, given int64) *windows {
		return &windows{
			given: given, file: file, endpoint: endpoint, now: func() time.Time { return at },
			table: func(model string) int64 { return map[string]int64{"opus": 1_000_000}[model] },
		}
	}
	window := func(name string, w *windows, model string, want int64) {
		t.Helper()
		if got := w.Window(model); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	window("nothing learned", open("gw", 0), "opus", 1_000_000)
	for _, n := range []int64{174_000, 160_000, 999_000} {
		if err := open("gw", 0).Overflowed("opus", n); err != nil {
			t.Fatal(err)
		}
	}
	window("calibration-takes-the-minimum", open("gw", 0), "opus", 160_000)
	window("calibration-is-per-gateway-and-model", open("other", 0), "opus", 1_000_000)
	window("another model", open("gw", 0), "local", 0)
	window("explicit-window-beats-all", open("gw", 333_000), "opus", 333_000)
	if err := open("gw", 0).Overflowed("local", 32_768); err != nil {
		t.Fatal(err)
	}
	window("a model that the table lacks", open("gw", 0), "local", 32_768)
	at = at0.Add(learnedFor + time.Second)
	window("what was learned long ago", open("gw", 0), "opus", 1_000_000)
	if err := open("gw", 0).Overflowed("opus", 500_000); err != nil {
		t.Fatal(err)
	}
	window("a gateway that was put right", open("gw", 0), "opus", 500_000)
}

func TestWindowsFileThatIsNone(t *testing.T) {
	table := func(string) int64 { return 200_000 }
	for name, content := range map[string]string{"no JSON": "{", "null": "null", "a list": "[1]", "a negative window": `{"e|m":{"window":-5,"at":"2030-01-01T00:00:00Z"}}`} {
		file := filepath.Join(t.TempDir(), "windows.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		w := &windows{file: file, endpoint: "e", table: table, now: time.Now}
		if got := w.Window("m"); got != 200_000 {
			t.Errorf("%s: %d", name, got)
		}
		if err := w.Overflowed("m", 100_000); err != nil || w.Window("m") != 100_000 {
			t.Errorf("%s: %v, %d", name, err, w.Window("m"))
		}
	}
	w := &windows{file: t.TempDir(), table: table, now: time.Now}
	if err := w.Overflowed("m", 100_000); err == nil || w.Window("m") != 100_000 {
		t.Errorf("a file that cannot be written: %v, %d", err, w.Window("m"))
	}
}
