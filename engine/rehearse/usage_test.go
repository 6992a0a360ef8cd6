package rehearse

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A watch is a clock that a test turns.
type watch struct {
	mu  sync.Mutex
	now time.Time
}

func (w *watch) Now() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }

func (w *watch) turn(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(d) }

type counted struct{ input, read, w5m, w1h, output int }

func used(m dict) counted {
	u := m["usage"].(dict)
	n := func(v any) int { return int(v.(float64)) }
	c := u["cache_creation"].(dict)
	return counted{n(u["input_tokens"]), n(u["cache_read_input_tokens"]), n(c["ephemeral_5m_input_tokens"]), n(c["ephemeral_1h_input_tokens"]), n(u["output_tokens"])}
}

func (c counted) total() int { return c.input + c.read + c.w5m + c.w1h }

const okScript = "fallback: {repeat: true, turns: [{say: a few words}]}"

func TestUsageWithoutCache(t *testing.T) {
	c := newChat(t, start(t, okScript), strings.Repeat("word ", 80))
	u := used(c.next())
	if u.read != 0 || u.w5m != 0 || u.input < 100 || u.input > 180 || u.output != 3 {
		t.Errorf("%+v", u)
	}
	c = newChat(t, c.s, strings.Repeat("word ", 160))
	if more := used(c.next()); more.input-u.input != 100 {
		t.Errorf("400 bytes more are %d tokens", more.input-u.input)
	}
}

func TestCache(t *testing.T) {
	w := &watch{now: time.Unix(1e9, 0)}
	s := startWith(t, okScript, Config{Now: w.Now})
	c := newChat(t, s, "hello there, how are you?")
	c.body["system"] = list{cached(words(strings.Repeat("rule ", 100)), "")}
	one := used(c.next())
	if one.read != 0 || one.w5m == 0 || one.input == 0 {
		t.Fatalf("first: %+v", one)
	}
	c.say(user("fine"))
	two := used(c.next())
	if two.read != one.w5m || two.w5m != 0 || two.total() <= one.total() {
		t.Errorf("second: %+v", two)
	}
	c.say(user(list{cached(words("and now?"), "")}))
	three := used(c.next())
	if three.read != one.w5m || three.w5m == 0 || three.input != 0 {
		t.Errorf("mark on the last message: %+v", three)
	}
	w.turn(4 * time.Minute)
	if again := used(c.nextAgain()); again.read != three.total() {
		t.Errorf("within five minutes: %+v", again)
	}
	w.turn(5 * time.Minute)
	if late := used(c.nextAgain()); late.read != 0 || late.w5m != three.total() {
		t.Errorf("after five minutes: %+v", late)
	}
	c.body["model"] = "claude-haiku-5-5"
	if other := used(c.nextAgain()); other.read != 0 {
		t.Errorf("another model: %+v", other)
	}
}

// nextAgain asks for the last answer once more.
func (c *chat) nextAgain() dict {
	c.body["messages"] = c.messages()[:len(c.messages())-1]
	return c.next()
}

func TestCacheLives(t *testing.T) {
	w := &watch{now: time.Unix(1e9, 0)}
	s := startWith(t, okScript, Config{Now: w.Now})
	c := newChat(t, s, "x")
	c.body["tools"] = list{cached(bash(nil), "1h")}
	c.body["system"] = list{cached(words("rules"), "5m")}
	one := used(c.next())
	if one.w1h == 0 || one.w5m == 0 {
		t.Fatalf("%+v", one)
	}
	w.turn(30 * time.Minute)
	if two := used(c.nextAgain()); two.read != one.w1h || two.w5m != one.w5m {
		t.Errorf("after half an hour: %+v", two)
	}
}

func TestCacheAutomatic(t *testing.T) {
	c := newChat(t, start(t, okScript), "x")
	c.body["cache_control"] = dict{"type": "ephemeral"}
	one := used(c.next())
	c.say(user("y"))
	if two := used(c.next()); one.w5m == 0 || one.input != 0 || two.read != one.w5m {
		t.Errorf("%+v, then %+v", one, two)
	}
}

// A mark looks at 20 blocks, its own included.
func TestCacheLookback(t *testing.T) {
	for more, hit := range map[int]bool{10: true, 17: true, 18: false} {
		c := newChat(t, start(t, okScript), "x")
		delete(c.body, "system")
		c.body["messages"] = list{user(list{cached(words("first"), "")})}
		c.next()
		var many list
		for range more {
			many = append(many, words("block"))
		}
		c.say(user(append(many, cached(words("last"), ""))))
		delete(c.block(0, 0), "cache_control")
		if u := used(c.next()); (u.read > 0) != hit {
			t.Errorf("%d blocks between: %+v", more, u)
		}
	}
}

// The parts of the prompt always add up to what count_tokens says, and what is
// read was written before.
func TestUsageAddsUp(t *testing.T) {
	s := start(t, okScript)
	rapid.Check(t, func(rt *rapid.T) {
		c := newChat(t, s, rapid.StringN(1, 30, -1).Draw(rt, "first")+"x")
		marked := rapid.IntRange(0, 3).Draw(rt, "marked")
		for i := range 4 {
			w := words(rapid.StringN(1, 100, -1).Draw(rt, "words") + "x")
			if i == marked {
				cached(w, rapid.SampledFrom([]string{"", "5m", "1h"}).Draw(rt, "ttl"))
			}
			c.say(user(list{w}))
		}
		count := c.count()
		m := c.next()
		if u := used(m); u.total() != count {
			rt.Fatalf("%+v, counted %d", u, count)
		}
		before := used(m)
		if u := used(c.nextAgain()); u.total() != count || u.read != before.w5m+before.w1h+before.read {
			rt.Fatalf("again %+v, before %+v", u, before)
		}
	})
}

func (c *chat) count() int {
	a := *c.ask
	a.path += "/count_tokens"
	a.body = dict{}
	for k, v := range c.body {
		if k != "max_tokens" && k != "stream" {
			a.body[k] = v
		}
	}
	g := c.s.do(c.t, &a)
	var n struct {
		Input int `json:"input_tokens"`
	}
	if err := json.Unmarshal(g.body, &n); err != nil || g.status != 200 {
		c.t.Fatalf("%d %s", g.status, g.body)
	}
	return n.Input
}
