package proxy

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// defaultPing is how long the CLI hears nothing of a request before it is told,
// and told again, that somebody is there. It gives up after five minutes of
// silence, whatever time limit it is set (measured with 2.1.332); an answer that
// begins with pings it took after eight.
const defaultPing = time.Minute

// A waiting is the CLI's side of a request under way: its answer is held back
// until it is whole, and the gate may hold the request for hours.
type waiting struct {
	w http.ResponseWriter

	mu    sync.Mutex
	timer *time.Timer
	every time.Duration
	begun bool // the answer's first bytes are out
	over  bool
}

// begin lets pings go out from now on, until end.
func (t *waiting) begin(every time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.every = every
	t.timer = time.AfterFunc(every, t.ping)
}

func (t *waiting) ping() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	if !t.begun {
		t.begun = true
		t.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		t.w.WriteHeader(http.StatusOK)
	}
	_, _ = io.WriteString(t.w, "event: ping\ndata: {\"type\":\"ping\"}\n\n") // when the CLI is gone, there is nobody to tell
	_ = http.NewResponseController(t.w).Flush()
	t.timer.Reset(t.every)
}

// end lets no more pings out and reports whether there were any: then only the
// rest of a stream may follow.
func (t *waiting) end() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.timer != nil {
		t.timer.Stop()
	}
	return t.begun
}

// fail ends a stream that has begun. The CLI asks once more, and is refused.
func (t *waiting) fail() {
	_, _ = io.WriteString(t.w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"permission_error\",\"message\":\"the turn is over\"}}\n\n")
}
