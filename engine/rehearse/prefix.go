package rehearse

import (
	"crypto/sha256"
	"encoding/json"
	"sort"
	"strconv"
)

// A segment is one block of the prompt in the order in which the API reads it:
// tools, system, messages.
type segment struct {
	tokens int64
	chain  [32]byte // of everything up to here, for the cache
	cache  string   // life of the breakpoint after it
	block  *block   // of a message
	words  [32]byte // of everything up to here without thinking
}

// A chainer sums segments up.
type chainer struct {
	chain, words [32]byte
	all          []segment
}

func link(before [32]byte, label string, body []byte) [32]byte {
	h := sha256.New()
	h.Write(before[:])
	h.Write([]byte(label))
	h.Write(body)
	return [32]byte(h.Sum(nil))
}

func (c *chainer) add(label string, body []byte, cache string, b *block) {
	c.chain = link(c.chain, label, body)
	if b == nil || !b.isThinking() {
		c.words = link(c.words, label, body)
	}
	c.all = append(c.all, segment{tokens: tokensOf(b, len(body)), chain: c.chain, cache: cache, block: b, words: c.words})
}

// chained sums a request up.
func (r *request) chained() *chainer {
	c := &chainer{}
	for _, t := range r.tools {
		c.add("tool", normalBlock(t.raw), t.cache, nil)
	}
	for i := range r.system {
		c.add("system", normalBlock(r.system[i].raw), r.system[i].cache, nil)
	}
	for i := range r.messages {
		m := &r.messages[i]
		for j := range m.blocks {
			b := &m.blocks[j]
			c.add(m.role, normalBlock(b.raw), breakpoint(b), b)
		}
	}
	return c
}

// breakpoint is the block's own or that of a block inside of it.
func breakpoint(b *block) string {
	life := b.cache
	for _, inner := range b.inner {
		if inner.cache != "" {
			life = inner.cache
		}
	}
	return life
}

func (b *block) isThinking() bool { return b.kind == "thinking" || b.kind == "redacted_thinking" }

// imageTokens is what a picture costs; the real figure depends on its size.
const imageTokens = 1600

// tokensOf estimates a block: four bytes are a token, and a block is at least one.
func tokensOf(b *block, size int) int64 {
	if b != nil && b.kind == "image" {
		return imageTokens
	}
	return max(1, int64(size+3)/4)
}

func (c *chainer) tokens() int64 {
	var sum int64
	for _, s := range c.all {
		sum += s.tokens
	}
	return sum
}

// normalBlock writes a block so that what means the same is the same: fields
// sorted, no cache_control, no white space, escapes resolved. The order of keys
// inside of an input stays: it counts for the real cache too.
func normalBlock(raw map[string]json.RawMessage) []byte {
	names := make([]string, 0, len(raw))
	for name := range raw {
		if name != "cache_control" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var out []byte
	for _, name := range names {
		out = append(out, name...)
		out = append(out, ':')
		if name == "content" && first(raw[name]) == '[' {
			out = normalContent(out, raw[name])
			continue
		}
		out = normalJSON(out, raw[name])
	}
	return out
}

func normalContent(out []byte, raw json.RawMessage) []byte {
	for _, inner := range listed(raw) {
		if first(inner) == '{' {
			out = append(out, normalBlock(members(inner))...)
		} else {
			out = normalJSON(out, inner)
		}
		out = append(out, ';')
	}
	return out
}

// normalJSON appends valid JSON without white space, each string as its length
// and its letters.
func normalJSON(out []byte, raw []byte) []byte {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := closing(raw, i)
			letters := unquote(raw[i : end+1])
			out = strconv.AppendInt(out, int64(len(letters)), 10)
			out = append(out, '"')
			out = append(out, letters...)
			i = end
		default:
			out = append(out, c)
		}
	}
	return out
}
