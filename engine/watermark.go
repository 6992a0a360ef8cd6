package engine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A watermark says how full a session's context may become. The rules and
// figures are the original's (spec/engine.md 1.8); all are in tokens. The zero
// watermark is that of a window that is not known: nothing is ever due.
type watermark struct {
	window int64
	at     int64 // from here on the session is handed over
	near   int64 // from here on that is told to be near
}

const (
	// leastRoom and roomShare are what is kept free for the turn that writes the
	// handoff: 50,000 tokens alone were too few in a window of a million (measured,
	// 7 of 8 handoffs empty).
	leastRoom = 50_000
	roomShare = 4
	// leastAt and leastNear keep a small window from being full at once.
	leastAt, leastNear = 10_000, 1_000
	nearBefore         = 20_000
)

// watermarkOf is the watermark of a window. headroom is what is kept free; zero
// or less: a quarter of the window, and 50,000 at least.
func watermarkOf(window, headroom int64) watermark {
	if window <= 0 {
		return watermark{}
	}
	if headroom <= 0 {
		headroom = max(leastRoom, window/roomShare)
	}
	at := max(leastAt, window-headroom)
	return watermark{window: window, at: at, near: max(leastNear, at-nearBefore)}
}

// String is how records name a watermark: whoever compares wants to know whether
// it is another one.
func (m watermark) String() string { return fmt.Sprintf("%d/%d", m.at, m.window) }

func (m watermark) due(context int64) bool    { return m.window > 0 && context >= m.at }
func (m watermark) nearly(context int64) bool { return m.window > 0 && context >= m.near }

// Limits that a refusal of a long prompt may be believed to name. A window that
// was only seen to overflow must hold more than what a coordinator begins with,
// 34,000 tokens (measured), after the room for a handoff is taken off: an
// overflow that a gateway made up at 41,000 would else end every later run.
const (
	leastStated, mostStated = 4_096, 100_000_000
	leastSeen               = 84_000
)

// stated finds the limit in the words of a refusal.
func stated(message string) (int64, bool) {
	m := regexp.MustCompile(`(?i)[\d,]+ tokens? > ([\d,]+) maximum|maximum context length is ([\d,]+)|exceed context limit: [\d, +]+> ([\d,]+)`).FindStringSubmatch(message)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(m[1]+m[2]+m[3], ",", ""), 10, 64)
	return n, err == nil && IsWindow(n)
}

// IsWindow reports whether a model could have a window of so many tokens.
func IsWindow(n int64) bool { return n >= leastStated && n <= mostStated }

// overflowed is what an overflow teaches of a window: the limit that the refusal
// names, else how full the context was seen to be. Nothing where that is no
// window that anybody would offer. It is pure.
func overflowed(message string, context int64) (window int64, learned bool) {
	if n, ok := stated(message); ok {
		return n, true
	}
	return context, context >= leastSeen && IsWindow(context)
}
