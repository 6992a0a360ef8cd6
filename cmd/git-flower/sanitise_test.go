package main

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSanitise(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":                  "plain\n\ttext",
		"\x1b[31mred\x1b[m":              "red",
		"\x1b]0;title\x07after":          "after",
		"\x1b]0;titre é\x07after":        "after",
		"\x1bPdéjà\x1b\\after":           "after",
		"\x1b[3émal formed":              "émal formed",
		"a\rb\bc\x07d\x7fe\x00f":         "abcdef",
		"\u009b31mx":                     "31mx",
		"user\u202egpj.exe":              "usergpj.exe",
		"zero\u200bwidth\ufeff\u2060":    "zerowidth",
		"line\u2028separator":            "lineseparator",
		"\xe2\x1b]0;evil\x07x":           "\uFFFDx",
		"日本語 and 👩\u200d💻":               "日本語 and 👩\u200d💻",
		"\u2066hidden\u2069 \U000E0041t": "hidden t",
	} {
		if got := sanitise(in); got != want {
			t.Errorf("sanitise(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := oneLine(" a\n\n b\t\x1b[1mc "); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func FuzzSanitise(f *testing.F) {
	for _, seed := range []string{"\x1b[", "\xe2\x1b]0;evil\x07", "\x1bP\x1b\\", "\u009d\u202e", "a\x1b\u200b[31m", "\xc2\x9b1m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := sanitise(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q: not UTF-8: %q", in, out)
		}
		if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) || hidden(r) }); i >= 0 {
			t.Fatalf("%q: keeps %q", in, out[i:])
		}
		if sanitise(out) != out {
			t.Fatalf("%q: cleaning %q again changes it", in, out)
		}
	})
}

func BenchmarkOneLine(b *testing.B) {
	for b.Loop() {
		oneLine("verdict: round 2: two of three checks pass")
	}
}
