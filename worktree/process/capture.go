package process

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"unicode/utf8"
)

// Digest returns the sha256 of b in hex, as Result.Digest has it.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// A capture keeps the first and the last bytes of a stream, half of the limit
// each, and counts and hashes all of it. It never holds more than the limit.
type capture struct {
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring's oldest byte is
	half  int
	limit int
	total int64
	sum   hash.Hash
}

func newCapture(limit int) *capture {
	return &capture{limit: limit, half: limit / 2, sum: sha256.New()}
}

// Write never fails.
func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	c.sum.Write(p)
	if room := c.half - len(c.head); room > 0 {
		room = min(room, len(p))
		c.head = append(c.head, p[:room]...)
		p = p[room:]
	}
	c.keep(p)
	return n, nil
}

// keep puts p at the end of the ring.
func (c *capture) keep(p []byte) {
	size := c.limit - c.half
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if room := size - len(c.tail); room > 0 {
		room = min(room, len(p))
		c.tail = append(c.tail, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		n := copy(c.tail[c.next:], p)
		c.next = (c.next + n) % size
		p = p[n:]
	}
}

func (c *capture) digest() string { return hex.EncodeToString(c.sum.Sum(nil)) }

func (c *capture) truncated() bool { return c.total > int64(c.limit) }

// text returns what was kept, with a line that says how much was cut where it
// was cut. A rune that the cut goes through is left out.
func (c *capture) text() string {
	tail := append(c.tail[c.next:len(c.tail):len(c.tail)], c.tail[:c.next]...)
	if !c.truncated() {
		return string(c.head) + string(tail)
	}
	head := wholeEnd(c.head)
	tail = wholeStart(tail)
	cut := c.total - int64(len(head)) - int64(len(tail))
	return fmt.Sprintf("%s\n[... %d bytes cut ...]\n%s", head, cut, tail)
}

// wholeEnd drops an unfinished rune from the end of b.
func wholeEnd(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		last := b[len(b)-i:]
		if !utf8.RuneStart(last[0]) {
			continue
		}
		if !utf8.FullRune(last) {
			return b[:len(b)-i]
		}
		break
	}
	return b
}

// wholeStart drops the rest of a rune from the start of b.
func wholeStart(b []byte) []byte {
	i := 0
	for i < len(b) && !utf8.RuneStart(b[i]) {
		i++
	}
	if i >= utf8.UTFMax {
		return b // no text to begin with
	}
	return b[i:]
}
