package process

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCaptureKeepsHeadAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		parts := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 60)).Draw(t, "parts")
		c := newCapture(limit)
		var all []byte
		for _, p := range parts {
			if n, err := c.Write(p); n != len(p) || err != nil {
				t.Fatalf("wrote %d, %v", n, err)
			}
			all = append(all, p...)
			if cap(c.head)+cap(c.tail) > 8*limit+64 {
				t.Fatalf("holds %d bytes", cap(c.head)+cap(c.tail))
			}
		}
		if c.total != int64(len(all)) || c.digest() != Digest(all) {
			t.Fatal("count or digest is wrong")
		}
		if text := c.text(); len(all) <= limit {
			if text != string(all) {
				t.Fatalf("got %q, want %q", text, all)
			}
		} else {
			checkCut(t, text, all, limit)
		}
	})
}

// checkCut: what stands before the cut begins the output, what stands after it
// ends it, and no more than a rune is missing on either side.
func checkCut(t *rapid.T, text string, all []byte, limit int) {
	i := strings.LastIndex(text, "\n[... ")
	for ; i >= 0; i = strings.LastIndex(text[:i], "\n[... ") {
		head, rest := text[:i], text[i:]
		_, tail, ok := strings.Cut(rest, " bytes cut ...]\n")
		if ok && strings.HasPrefix(string(all), head) && strings.HasSuffix(string(all), tail) &&
			len(head)+len(tail) <= limit && len(head)+len(tail) >= limit-2*(utf8.UTFMax-1) {
			return
		}
	}
	t.Fatalf("of %q, limit %d, remains %q", all, limit, text)
}

func TestCutLeavesRunesWhole(t *testing.T) {
	text := strings.Repeat("日本語🌸", 50)
	for limit := 1; limit < 60; limit++ {
		c := newCapture(limit)
		c.Write([]byte(text))
		if got := c.text(); !utf8.ValidString(got) {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}
