package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// A file that somebody, or something, has spoiled neither shortens a run nor keeps
// what else it holds from counting; the next lesson puts it right.
func TestPoisonedWindows(t *testing.T) {
	now := time.Unix(1_700_000_000, 0).UTC()
	today, tomorrow := now.Format(time.RFC3339), now.Add(48*time.Hour).Format(time.RFC3339)
	good := fmt.Sprintf(`"e|good":{"window":120000,"at":%q}`, today)
	for name, entry := range map[string]string{
		"negative": fmt.Sprintf(`{"window":-200000,"at":%q}`, today), "zero": fmt.Sprintf(`{"window":0,"at":%q}`, today),
		"tiny": fmt.Sprintf(`{"window":12,"at":%q}`, today), "huge": fmt.Sprintf(`{"window":9000000000000,"at":%q}`, today),
		"too large for an integer": fmt.Sprintf(`{"window":1e40,"at":%q}`, today), "a fraction": fmt.Sprintf(`{"window":90000.5,"at":%q}`, today),
		"a string": fmt.Sprintf(`{"window":"90000","at":%q}`, today), "a list": "[90000]", "a number": "90000", "null": "null",
		"no date": `{"window":90000}`, "a wrong date": `{"window":90000,"at":"yesterday"}`, "a date to come": fmt.Sprintf(`{"window":90000,"at":%q}`, tomorrow),
	} {
		file := filepath.Join(t.TempDir(), "windows.json")
		if err := os.WriteFile(file, []byte(`{"e|bad":`+entry+`,`+good+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		open := func() *windows {
			return &windows{file: file, endpoint: "e", now: func() time.Time { return now }, table: func(string) int64 { return 200_000 }}
		}
		if bad, good := open().Window("bad"), open().Window("good"); bad != 200_000 || good != 120_000 || open().words("bad") != "" {
			t.Errorf("%s: %d, and %d beside it; told %q", name, bad, good, open().words("bad"))
		}
		if err := open().Overflowed("bad", 150_000); err != nil || open().Window("bad") != 150_000 || open().Window("good") != 120_000 {
			t.Errorf("%s, then a lesson: %v, %d, %d", name, err, open().Window("bad"), open().Window("good"))
		}
	}
}

// A link is not followed, neither to read nor to write.
func TestWindowsBehindALink(t *testing.T) {
	dir := t.TempDir()
	target, file := filepath.Join(dir, "theirs"), filepath.Join(dir, "windows.json")
	text := `{"e|m":{"window":90000,"at":"2023-11-14T22:13:20Z"}}`
	if err := os.WriteFile(target, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, file); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	w := &windows{file: file, endpoint: "e", now: func() time.Time { return time.Unix(1_700_000_000, 0) }, table: func(string) int64 { return 200_000 }}
	if got := w.Window("m"); got != 200_000 {
		t.Errorf("it was read: %d", got)
	}
	if err := w.Overflowed("m", 150_000); err != nil || w.Window("m") != 150_000 {
		t.Errorf("a lesson: %v, %d", err, w.Window("m"))
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != text {
		t.Errorf("%v, behind the link is %s", err, data)
	}
}

// What counts is what was learned: the user's word is not, and a larger overflow
// does not make an old lesson a new one.
func TestLessonsAge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "windows.json")
	at := time.Unix(1_700_000_000, 0)
	open := func(given int64) *windows {
		return &windows{given: given, file: file, endpoint: "e", now: func() time.Time { return at }, table: func(string) int64 { return 1_000_000 }}
	}
	learn := func(given, window int64) {
		t.Helper()
		if err := open(given).Overflowed("m", window); err != nil {
			t.Fatal(err)
		}
	}
	learn(60_000, 174_000)
	if got := open(0).Window("m"); got != 174_000 {
		t.Errorf("learned under --window 60000: %d", got)
	}
	at = at.Add(learnedFor / 2)
	learn(0, 500_000)
	if got := open(0).Window("m"); got != 174_000 {
		t.Errorf("a larger overflow: %d", got)
	}
	at = at.Add(learnedFor/2 + time.Second)
	if got := open(0).Window("m"); got != 1_000_000 {
		t.Errorf("two weeks after the lesson: %d", got)
	}
	learn(0, -1)
	learn(0, 1)
	if got := open(0).Window("m"); got != 1_000_000 {
		t.Errorf("no window: %d", got)
	}
}

// Two endpoints of one host are two, and no secret of an address is in the file.
func TestWindowsAreOfAnEndpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "windows.json")
	of := func(url string) *windows {
		return endpoint{credentials: Credentials{BaseURL: url}, now: time.Now, learned: file}.windows()
	}
	a := "https://me:geheim1@gw.example/one?key=geheim2"
	if err := of(a).Overflowed("claude-opus-5-5", 190_000); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]int64{a: 190_000, "https://gw.example/two": 1_000_000, "": 1_000_000} {
		if got := of(url).Window("claude-opus-5-5"); got != want {
			t.Errorf("%s: %d, want %d", url, got, want)
		}
	}
	if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "geheim") {
		t.Errorf("%v, %s", err, data)
	}
}
