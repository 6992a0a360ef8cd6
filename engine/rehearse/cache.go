package rehearse

import (
	"sync"
	"time"
)

// maxBreakpoints is the API's limit on cache_control in one request.
const maxBreakpoints = 4

// lookback is how many blocks before a breakpoint the API looks for an entry
// (prompt caching page).
const lookback = 20

// checkCache checks breakpoints: how many, and long-lived ones first.
func (r *request) checkCache(o object) *apiError {
	var err *apiError
	if r.automatic, err = o.cacheControl(r.header); err != nil {
		return err
	}
	count := 0
	if r.automatic != "" {
		count++
	}
	short := false
	for _, life := range r.lives() {
		if life == "" {
			continue
		}
		count++
		if life == "1h" && short {
			return invalid("cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")
		}
		short = short || life == "5m"
	}
	if count > maxBreakpoints {
		return invalid("A maximum of %d blocks with cache_control may be provided. Found %d.", maxBreakpoints, count)
	}
	return nil
}

// lives lists the breakpoints in the order of the prompt.
func (r *request) lives() []string {
	var out []string
	for _, t := range r.tools {
		out = append(out, t.cache)
	}
	for _, b := range r.system {
		out = append(out, b.cache)
	}
	for _, m := range r.messages {
		for _, b := range m.blocks {
			out = append(out, b.cache)
			for _, inner := range b.inner {
				out = append(out, inner.cache)
			}
		}
	}
	return out
}

// A usage counts tokens as the API reports them.
type usage struct{ input, output, read, write5m, write1h int64 }

// A cache remembers prefixes. The least cacheable length of the real one is
// not played: every breakpoint makes an entry.
type cache struct {
	mu      sync.Mutex
	entries map[cacheKey]time.Time // until when
}

type cacheKey struct {
	model string
	chain [32]byte
}

// maxEntries bounds the memory; beyond it everything is forgotten.
const maxEntries = 1 << 16

// use reads and writes the cache for one request.
func (c *cache) use(r *request, segments []segment, now time.Time) usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(segments); r.automatic != "" && n > 0 && segments[n-1].cache == "" {
		segments[n-1].cache = r.automatic
	}
	read := c.longest(r.model.id, segments, now)
	var u usage
	for i, s := range segments {
		switch life := lifeAt(segments, i); {
		case i < read:
			u.read += s.tokens
		case life == "5m":
			u.write5m += s.tokens
		case life == "1h":
			u.write1h += s.tokens
		default:
			u.input += s.tokens
		}
	}
	c.store(r.model.id, segments, now)
	return u
}

// longest is how many segments can be read from the cache.
func (c *cache) longest(model string, segments []segment, now time.Time) int {
	for at := len(segments) - 1; at >= 0; at-- {
		if segments[at].cache == "" {
			continue
		}
		for i := at; i >= 0 && i > at-lookback; i-- {
			if until, ok := c.entries[cacheKey{model, segments[i].chain}]; ok && now.Before(until) {
				return i + 1
			}
		}
	}
	return 0
}

// lifeAt is the life of the next breakpoint at or after a segment, "" when
// there is none and it is not cached.
func lifeAt(segments []segment, i int) string {
	for _, s := range segments[i:] {
		if s.cache != "" {
			return s.cache
		}
	}
	return ""
}

func (c *cache) store(model string, segments []segment, now time.Time) {
	if c.entries == nil || len(c.entries) > maxEntries {
		c.entries = map[cacheKey]time.Time{}
	}
	for _, s := range segments {
		if s.cache == "" {
			continue
		}
		life := 5 * time.Minute
		if s.cache == "1h" {
			life = time.Hour
		}
		c.entries[cacheKey{model, s.chain}] = now.Add(life)
	}
}
