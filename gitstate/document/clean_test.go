package document_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	. "git-flower/gitstate/document"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\n\tb\n\n\nc", "a\n\tb\n\n\nc"},
		{"line ends", "a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"},
		{"blanks at the ends", "\n \n  a \t\nb\u3000\n\n", "  a\nb"},
		{"controls", "a\x00b\x07c\x7fd\u0080e", "abcde"},
		{"colour", "a\x1b[1;31mb\x1b[0mc", "abc"},
		{"clear and move", "a\x1b[2Jb\x1b[10;10Hc\x1b[?25ld", "abcd"},
		{"title", "a\x1b]0;title\x07b\x1b]0;title\x1b\\c", "abc"},
		{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"picture", "a\x1bPq#0;2\x1b\\b", "ab"},
		{"charset and reset", "a\x1b(Bb\x1bcc", "abc"},
		{"8 bit", "a\u009b2Jb\u009d0;t\u009cc", "abc"},
		{"never ended", "a\x1b]0;title\nb\x1b[12\nc\x1b", "a0;title\nb12\nc"},
		{"direction", "safe\u202egnp.exe\u2066x\u2069", "safegnp.exex"},
		{"marks that scripts need", "\u200fשלום\u200e é a\u200db", "\u200fשלום\u200e é a\u200db"},
		{"tags and byte order mark", "\ufeffa\U000e0041\U000e007fb", "ab"},
		{"bad UTF-8", "a\xffb\xe4\xb8", "a\ufffdb\ufffd\ufffd"},
		{"empty", "\x1b[0m \r\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			equal(t, "cleaned", Clean(test.in), test.want)
			equal(t, "twice", Clean(Clean(test.in)), test.want)
		})
	}
}

func TestOneLine(t *testing.T) {
	equal(t, "one line", OneLine(" a \r\n\n\tb\x1b[0m  c\n"), "a b c")
}

// Whatever a terminal is told between the words, the words stay.
func TestCleanKeepsTheWords(t *testing.T) {
	told := []string{
		"\x1b[31m", "\x1b[0;1;38;5;12m", "\x1b[2K", "\x1b[?1049h", "\x1b]0;title\x07", "\x1b]8;;u\x1b\\", "\x1bP1$r\x1b\\", "\x1b_x\x1b\\",
		"\u009b31m", "\u009d0;t\u009c", "\x1b7", "\x1b(0", "\x00", "\x08", "\u202e", "\u2069", "\ufeff", "\U000e0041", "",
	}
	rapid.Check(t, func(t *rapid.T) {
		var dirty, words strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "parts") {
			word := rapid.SampledFrom([]string{"éa", "目标", "\n", " x", "\tü", "😀"}).Draw(t, "word")
			dirty.WriteString(rapid.SampledFrom(told).Draw(t, "told") + word)
			words.WriteString(word)
		}
		if got, want := Clean(dirty.String()), Clean(words.String()); got != want {
			t.Fatalf("%q cleaned is %q, want %q", dirty.String(), got, want)
		}
	})
}
