package gitstate

import (
	"strings"

	"pgregory.net/rapid"
)

// hostileLines are what a body can hold to mislead git or a terminal.
var hostileLines = []string{
	"---", "--- ", "# comment", "# ------------------------ >8 ------------------------",
	"------------------------ >8 ------------------------", "Flower-Kind: end", "Flower-Format: 7",
	"Flower-Run: 0123456789abcdef", "Signed-off-by: Eve <eve@example.com>", "(cherry picked from commit 1234567)",
	"    Flower-Cost: 1.000000", "\tFlower-Cost: 1", " indented", "", "", "Key=value", "Key # value", ":", ": x", "x:",
	"diff --git a/x b/x", "Index: x", "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001",
	"\x1b[31mred\x1b[0m", "\x1b]0;title\a", "\u202egnp.exe", "caf\xe9", "\xff\xfe", "nul\x00nul", "carriage\rreturn", "line\r",
	"日本語の行です", "目标：完成", "🙂🙂🙂", "trailing blanks   \t", "\u200b", "\u3000", "\u2028next", "cut here 8<", "`code`", "* item", "---\n---",
}

// line generates one line of a body.
func line() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(hostileLines),
		rapid.StringN(0, 60, 200),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "bytes")) }),
		rapid.Custom(func(t *rapid.T) string {
			return rapid.StringMatching(`[A-Za-z-]{1,12}`).Draw(t, "key") + rapid.SampledFrom([]string{": ", ":", " : ", "=", "#"}).Draw(t, "separator") + rapid.StringN(0, 20, 40).Draw(t, "value")
		}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom(hostileLines).Draw(t, "piece"), rapid.IntRange(1, 400).Draw(t, "times"))
		}),
	)
}

func body() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line(), 0, 12).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end"))
	})
}

// someFacts generates facts as a careless caller may set them.
func someFacts() *rapid.Generator[Meta] {
	short := rapid.Map(line(), func(s string) string { return s[:min(len(s), maxValue/3)] }) // bad bytes grow to three
	text := rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z]+-[0-9]`), short)
	return rapid.Custom(func(t *rapid.T) Meta {
		return Meta{
			Step: text.Draw(t, "step"), Label: text.Draw(t, "label"), Round: rapid.IntRange(0, 99).Draw(t, "round"),
			Worker: text.Draw(t, "worker"), Session: text.Draw(t, "session"), Harness: text.Draw(t, "harness"),
			Model: text.Draw(t, "model"), Call: text.Draw(t, "call"), Index: rapid.IntRange(0, 9).Draw(t, "index"),
			Machine: rapid.SampledFrom([]string{"", "0123456789abcdef"}).Draw(t, "machine"),
			Code:    ObjectID(rapid.SampledFrom([]string{"", strings.Repeat("ab", 20), strings.Repeat("cd", 32)}).Draw(t, "code")),
			State:   text.Draw(t, "state"), Cost: MicroUSD(rapid.Int64Range(0, 1e12).Draw(t, "cost")),
			Wake: text.Draw(t, "wake"), Rehearsed: rapid.Bool().Draw(t, "rehearsed"),
			Time:  rapid.SampledFrom([]string{"", "2026-03-04T05:06:07+01:00"}).Draw(t, "time"),
			Extra: rapid.SliceOfN(extra(), 0, 2).Draw(t, "extra"),
			Options: rapid.SampledFrom([][]Option{nil, {{"asks", "0"}}, {{"rounds", "12"}, {"jobs", "1"}, {"asks", "unlimited"},
				{"budget", "0.000001"}, {"goal", "no"}, {"clarify-only", "yes"}}}).Draw(t, "options"),
		}
	})
}

func extra() *rapid.Generator[Extra] {
	return rapid.Custom(func(t *rapid.T) Extra {
		key := rapid.SampledFrom([]string{"colour", "x9", "two-words", "Signed-off-by", "Flower-ODD", "Co-Authored-By"}).Draw(t, "key")
		return Extra{key, rapid.StringMatching(`[a-zé:# ]{1,20}x`).Draw(t, "value")}
	})
}

func someKind() *rapid.Generator[Kind] {
	return rapid.Map(rapid.OneOf(
		rapid.SampledFrom([]string{"request", "brief", "goal", "report", "verdict", "notice", "end", "omen", "story"}),
		rapid.StringMatching(`[a-z][a-z0-9-]{0,31}`),
	), func(s string) Kind { return Kind(s) })
}
