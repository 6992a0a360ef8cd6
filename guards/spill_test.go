package guards_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"git-flower/guards"
)

func TestSpills(t *testing.T) {
	for _, c := range []struct {
		tool, text string
		want       bool
	}{
		{"Bash", strings.Repeat("x", 4000), true},
		{"Bash", strings.Repeat("x", 3999), false},
		{"Read", strings.Repeat("ü", 3999), false}, // characters, not bytes
		{"Grep", strings.Repeat("ü", 4000), true},
		{"WebFetch", strings.Repeat("\xff", 4000), true},
		{"dispatch", strings.Repeat("x", 9000), false},
		{"ask", strings.Repeat("x", 9000), false},
		{"verdict", strings.Repeat("x", 9000), false},
		{"", strings.Repeat("x", 9000), false},
	} {
		if got := guards.Spills(call("worker", c.tool, `{}`), c.text); got != c.want {
			t.Errorf("%s, %d bytes: %v", c.tool, len(c.text), got)
		}
	}
	for input, want := range map[string]bool{
		`{"file_path":"a","limit":200}`: false, `{"file_path":"a","limit":0}`: true, `{"file_path":"a","limit":"200"}`: true, `{"file_path":"a","offset":9}`: true, `{"file_path":"a","limit":null}`: true,
	} {
		if got := guards.Spills(call("worker", "Read", input), strings.Repeat("x", 4000)); got != want {
			t.Errorf("%s: %v", input, got)
		}
	}
}

func TestPointer(t *testing.T) {
	text := strings.Repeat("a\n", 100) + strings.Repeat("ü", 5000)
	got := guards.Pointer(bash("make"), text, "/bench/spill/0123456789abcdef.txt")
	for _, want := range []string{"5200 characters", "'/bench/spill/0123456789abcdef.txt'", "Read", "Grep", strings.Repeat("a ", 100) + strings.Repeat("ü", 200)} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if strings.Contains(got, "\n") || strings.Contains(got, strings.Repeat("ü", 201)) || len([]rune(got)) > 600 {
		t.Errorf("%q", got)
	}
}

// A pointer is valid UTF-8 in one line whatever the text is, and never spills itself.
func TestPointerIsText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Repeat(string(rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(rt, "bytes")), 200)
		got := guards.Pointer(bash("make"), text, "/b/spill/0123456789abcdef.txt")
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n") || guards.Spills(bash("make"), got) {
			rt.Errorf("%q", got)
		}
	})
}

// The shape of a result stays: only string fields change, lists never do.
func TestEachTextKeepsTheShape(t *testing.T) {
	long, more := strings.Repeat("x", 5000), strings.Repeat("y", 5000)
	in := fmt.Sprintf(`{"stdout":%q,"code":0,"n":12345678901234567890,"nested":{"log":%q,"deep":{"s":"short"}},"list":[{"type":"image","data":%q}],"none":null,"yes":true}`, long, more, long)
	out := guards.EachText(json.RawMessage(in), func(s string) string {
		if len(s) >= 4000 {
			return "<" + s[:1] + ">"
		}
		return s
	})
	want := fmt.Sprintf(`{"code":0,"list":[{"type":"image","data":%q}],"n":12345678901234567890,"nested":{"deep":{"s":"short"},"log":"\u003cy\u003e"},"none":null,"stdout":"\u003cx\u003e","yes":true}`, long)
	if string(out) != want {
		t.Errorf("%s", out)
	}
	for _, raw := range []string{`"short"`, `{"a":"b"}`, ` [1,"x"] `, `7`, `null`, ``, `{"broken`, `"broken`, `{"b":1,"a":2}`} {
		if got := guards.EachText(json.RawMessage(raw), func(s string) string { return s }); string(got) != raw {
			t.Errorf("%s became %s", raw, got)
		}
	}
	if got := guards.EachText(json.RawMessage(`"x"`), strings.ToUpper); string(got) != `"X"` {
		t.Errorf("%s", got)
	}
}

// A spilled file is recognised by any form of its path.
func TestReads(t *testing.T) {
	spill := guards.Spill{Dir: "/bench/spill", Known: func(name string) bool { return name == "0123456789abcdef" },
		Places: disk{"/tree/1/link": {Path: "/bench/spill/0123456789abcdef.txt", Kind: guards.File}, "/tree/1/folder": {Path: "/bench/spill", Kind: guards.Folder}}}
	for _, c := range []struct {
		tool, input string
		want        bool
	}{
		{"Read", `{"file_path":"/bench/spill/0123456789abcdef.txt"}`, true},
		{"Read", `{"file_path":"../../bench/spill/0123456789abcdef.txt"}`, true},
		{"Read", `{"file_path":"../../bench/spill/other.txt"}`, true},
		{"Read", `{"file_path":"link"}`, true},
		{"Read", `{"file_path":"folder/0123456789abcdef.txt"}`, true},
		{"Read", `{"file_path":"/bench/artifacts/../spill/x"}`, true},
		{"Grep", `{"pattern":"x","path":"/bench/spill"}`, true},
		{"Grep", `{"pattern":"x","path":"/bench/spill/0123456789abcdef.txt"}`, true},
		{"Bash", `{"command":"cat /bench/spill/0123456789abcdef.txt | head"}`, true},
		{"Bash", `{"command":"cd ../../bench/spill && cat *"}`, true},
		{"Bash", `{"command":"cat 0123456789abcdef.txt"}`, true},
		{"Bash", `{"command":"sed -n '1,9p' \"link\""}`, true},
		{"Bash", `{"command":"<link wc -c"}`, true},
		{"Bash", `{"command":"cat 0123456789abcdee.txt"}`, false},
		{"Bash", `{"command":"make"}`, false},
		{"Read", `{"file_path":"spill/x.txt"}`, false},
		{"Read", `{"file_path":"/bench/spillage/x.txt"}`, true}, // by its text: passing once too often harms little
		{"Read", `{"file_path":"/bench/artifacts/x"}`, false},
		{"Grep", `{"pattern":"x","path":"/bench"}`, false},
		{"Read", `{`, false},
		{"Bash", fmt.Sprintf(`{"command":%q}`, strings.Repeat("x ", 500_000)+" link"), false},
	} {
		if got := spill.Reads(call("worker", c.tool, c.input)); got != c.want {
			t.Errorf("%s %.100s: %v", c.tool, c.input, got)
		}
	}
}

// What Pointer makes is read back; what quotes it is not taken for one.
func TestReadPointer(t *testing.T) {
	text := strings.Repeat("wört ", 1000)
	for _, tool := range []string{"Bash", "Read", "Grep"} {
		for _, file := range []string{"/b/spill/0123456789abcdef.txt", "/o'brien/spill/0123456789abcdef.txt", `C:\b\spill\0123456789abcdef.txt`} {
			p := guards.Pointer(guards.Call{Tool: tool}, text, file)
			if n, at, ok := guards.ReadPointer(p); !ok || n != 5000 || at != file {
				t.Errorf("%.80s: %d %q %v", p, n, at, ok)
			}
			if _, _, ok := guards.ReadPointer("> " + p); ok {
				t.Errorf("a quotation of it is one: %.80s", p)
			}
		}
	}
	for _, text := range []string{"", "[12 characters, kept in", strings.Replace(guards.Pointer(guards.Call{}, text, "/b/spill/0123456789abcdef.txt"), "5000", "3999", 1), guards.Pointer(guards.Call{}, text, "/etc/passwd")} {
		if _, _, ok := guards.ReadPointer(text); ok {
			t.Errorf("%.80q is one", text)
		}
	}
}
