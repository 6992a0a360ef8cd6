package document_test

import (
	"strings"
	"testing"
	"time"

	. "git-flower/gitstate/document"
)

// hostile are texts that are cheap to send and dear to read for a parser that
// goes back; each is repeated to the size wanted.
var hostile = map[string]string{
	"headings":        "## Goal\nx\n",
	"empty headings":  "## Goal\n",
	"bold":            "**",
	"hashes":          "#",
	"one line":        "a",
	"blanks":          " ",
	"newlines":        "\n",
	"digits":          "1.",
	"bullets":         "- ",
	"items":           "- a\n",
	"wrapped":         "a\n ",
	"nested":          "- Verdict: [",
	"fences":          "```\n~~~\n",
	"backticks":       "`",
	"uneven spans":    "` `` ",
	"brackets":        "[unverifiable here: [",
	"closed brackets": "[unverifiable here]",
	"escapes":         "\x1b]",
	"strings":         "\x1b]\u009d",
	"parameters":      "\x1b[;",
	"colons":          "Goal: ",
	"rules":           "- - - ",
	"boxes":           "[ ] ",
	"bad bytes":       "\xff",
	"none":            "(none) ",
}

// prefixes put the text below into each place that is read differently.
var prefixes = []string{"", "## Goal\nG\n## Checks\n- ", "## Checks\n- a\n  Run: `", "## Verdict\nreached\n## Failed\n- ", "## Check results\n1. passed: "}

// readAll reads and prints as the two documents that use all of the grammar.
func readAll(text string) {
	_ = ParseGoal(text).String()
	_ = ParseVerdict(text).String()
	MatchOption(text, []string{text, "b"})
	WithAmendments("x", []string{text, text})
}

// Eight times the text may not take much more than eight times as long; a
// quadratic step would take sixty-four times. Another program that took the
// processor meanwhile is excused by trying again.
func TestHostileSizesAreReadInLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	const small = 16 << 10
	for name, unit := range hostile {
		for _, prefix := range prefixes {
			text := func(size int) string { return prefix + strings.Repeat(unit, size/len(unit)) }
			var short, long time.Duration
			for range 5 {
				short, long = took(text(small)), took(text(8*small))
				if long <= 24*max(short, time.Millisecond) {
					break
				}
			}
			if long > 24*max(short, time.Millisecond) {
				t.Fatalf("%s after %q: %v for 16 KiB, %v for 128 KiB", name, prefix, short, long)
			}
		}
	}
}

func took(text string) time.Duration {
	start := time.Now()
	readAll(text)
	return time.Since(start)
}

func BenchmarkParseGoal(b *testing.B) {
	text := "## Goal\nG\n## Checks\n" + strings.Repeat("- run this and see that\n  Run: `go test ./...`\n", 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ParseGoal(text)
	}
}
