package rehearse

import (
	"fmt"
	"sync"
)

// A tally counts how often a turn of a conversation was played, for faults.
type tally struct {
	mu    sync.Mutex
	plays map[string]int64
}

// next counts a play and says how many there were before.
func (t *tally) next(key string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plays == nil || len(t.plays) > maxEntries {
		t.plays = map[string]int64{}
	}
	n := t.plays[key]
	t.plays[key] = n + 1
	return n
}

// key names a turn of a conversation: who asks, how it began and how many
// answers it holds, not what was said since the last one. A client that asks
// again in other words is still at the same turn.
func (st *stage) key() string {
	return digest(st.scene.name, fmt.Sprint(st.number, st.overall, st.cut), st.c.system, st.c.opening)
}

// faultNow is the fault of the nth play, nil when all are over.
func (rep *reply) faultNow(n int64) *fault {
	for i := range rep.faults {
		f := &rep.faults[i]
		if f.times < 0 || n < f.times {
			return f
		}
		n -= f.times
	}
	return nil
}

// play decides what a request is answered.
func (s *Server) play(r *request, c *chainer) (*answer, *stage, error) {
	st, err := s.script.stage(converse(r))
	if err != nil {
		return nil, nil, err
	}
	rep, err := st.choose()
	if err != nil {
		return nil, st, err
	}
	a, err := st.compose(r, rep)
	if err != nil {
		return nil, st, err
	}
	n := s.tally.next(st.key())
	a.id = "msg_r" + digest(st.key(), fmt.Sprint(n))[:22]
	if f := rep.faultNow(n); f != nil {
		if err := a.apply(st, f); err != nil {
			return nil, st, err
		}
	}
	s.finish(a, r, c)
	a.usage.override(rep.usage)
	return a, st, nil
}

// finish makes the answer one that this request can get, and counts it.
func (s *Server) finish(a *answer, r *request, c *chainer) {
	a.limit(r)
	a.seal(r, c)
	if r.maxTokens == 0 { // fills the cache only (SDK: MessageNewParams.MaxTokens)
		a.content, a.stop = nil, "max_tokens"
	}
	if !a.failsAtOnce(r) {
		a.usage = s.cache.use(r, c.all, s.now())
	}
	a.usage.output = a.tokens()
}

// failsAtOnce says whether the request gets an error instead of an answer.
func (a *answer) failsAtOnce(r *request) bool {
	return a.fault != nil && a.fault.kind == "error" && (a.fault.after < 0 || !r.stream)
}

// apply changes the answer as the fault says, or leaves it for the wire.
func (a *answer) apply(st *stage, f *fault) error {
	switch f.kind {
	case "empty":
		a.content, a.stop = nil, "end_turn"
	case "nonsense":
		words, err := f.words.render(st)
		if err != nil {
			return err
		}
		a.content, a.stop = []part{{kind: "text", text: words}}, "end_turn"
	case "truncate":
		a.stop = "max_tokens"
		if n := len(a.content); n > 0 {
			a.content[n-1] = a.content[n-1].half()
		}
	case "refusal":
		a.content, a.stop, a.refused = nil, "refusal", true
	case "pause":
		a.pause(st)
	default:
		a.fault = f
	}
	return nil
}

func (u *usage) override(given map[string]int64) {
	for name, at := range map[string]*int64{"input": &u.input, "output": &u.output, "read": &u.read, "write5m": &u.write5m, "write1h": &u.write1h} {
		if v, ok := given[name]; ok {
			*at = v
		}
	}
}
