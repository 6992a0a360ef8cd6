package rehearse

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func sceneNumber(i int) string { return "scene " + strconv.Itoa(i+1) }

// replyFields are what a turn or one of its alternatives may say.
var replyFields = [...]string{"thinking", "say", "call", "stop", "usage", "delay", "pace", "fault"}

func (r *reader) turn(n node) turn {
	t := turn{at: n}
	f := r.fields(n, append(replyFields[:], "when")...)
	r.with(f, "when", func(n node) {
		for _, item := range r.items(n) {
			t.choices = append(t.choices, r.alternative(item))
		}
	})
	base := r.reply(n, f)
	if base.given {
		t.choices = append(t.choices, choice{reply: base})
	}
	if len(t.choices) == 0 {
		r.keep(n.fail("says nothing: needs say, call, thinking, stop, fault or when"))
	}
	return t
}

func (r *reader) alternative(n node) choice {
	f := r.fields(n, append(replyFields[:], "if")...)
	c := choice{reply: r.reply(n, f)}
	r.with(f, "if", func(n node) { c.cond = r.condition(n) })
	if c.cond == nil {
		r.keep(n.fail("needs if"))
	}
	if !c.reply.given {
		r.keep(n.fail("says nothing"))
	}
	return c
}

func (r *reader) condition(n node) *condition {
	c := &condition{}
	f := r.fields(n, "result", "tool", "failed", "last", "any", "not")
	r.with(f, "result", func(n node) { c.result = r.regexps(n) })
	r.with(f, "tool", func(n node) { c.tool = r.words(n) })
	r.with(f, "failed", func(n node) { b := r.flag(n); c.failed = &b })
	r.with(f, "last", func(n node) { c.last = r.regexps(n) })
	r.with(f, "any", func(n node) { c.any = r.regexps(n) })
	r.with(f, "not", func(n node) { c.not = r.regexps(n) })
	if len(f) == 0 {
		r.keep(n.fail("must not be empty"))
	}
	return c
}

// stops are the reasons a script may give (SDK: StopReason).
var stops = [...]string{"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded"}

func (r *reader) reply(n node, f map[string]node) reply {
	var out reply
	for _, name := range replyFields {
		if _, ok := f[name]; ok && name != "delay" && name != "pace" && name != "usage" {
			out.given = true
		}
	}
	r.with(f, "thinking", func(n node) { out.thinking = r.template(n) })
	r.with(f, "say", func(n node) { out.say = r.template(n) })
	r.with(f, "call", func(n node) { out.calls = r.calls(n) })
	r.with(f, "stop", func(n node) {
		out.stop = r.words(n)
		if !slices.Contains(stops[:], out.stop) {
			r.keep(n.fail("'%s' is none of %s", out.stop, strings.Join(stops[:], ", ")))
		}
	})
	r.with(f, "usage", func(n node) { out.usage = r.usage(n) })
	r.with(f, "delay", func(n node) { out.delay = r.wait(n) })
	r.with(f, "pace", func(n node) { out.pace = r.wait(n) })
	r.with(f, "fault", func(n node) {
		nodes, err := n.oneOrMore()
		r.keep(err)
		for _, item := range nodes {
			out.faults = append(out.faults, r.fault(item))
		}
	})
	return out
}

func (r *reader) usage(n node) map[string]int64 {
	out := map[string]int64{}
	for name, value := range r.fields(n, "input", "output", "read", "write5m", "write1h") {
		out[name] = r.number(value, 0, 1<<40)
	}
	return out
}

func (r *reader) calls(n node) []call {
	nodes, err := n.oneOrMore()
	r.keep(err)
	var out []call
	for _, item := range nodes {
		c := call{input: value{kind: 'o'}}
		f := r.fields(item, "tool", "input", "unknown")
		r.with(f, "tool", func(n node) { c.tool = r.template(n) })
		r.with(f, "input", func(n node) { c.input = r.object(n) })
		r.with(f, "unknown", func(n node) { c.unknown = r.flag(n) })
		if c.tool == nil {
			r.keep(item.fail("needs tool"))
		}
		out = append(out, c)
	}
	return out
}

// faultKinds are the faults; those with a number stop the stream after so many events.
var faultKinds = [...]string{"error", "drop", "stall", "malformed", "cut", "empty", "nonsense", "truncate", "refusal", "pause"}

func (r *reader) fault(n node) fault {
	out := fault{times: 1, after: -1}
	f := r.fields(n, append(faultKinds[:], "times", "type", "message", "retry_after", "after")...)
	for _, kind := range faultKinds {
		r.with(f, kind, func(value node) {
			if out.kind != "" {
				r.keep(value.fail("a fault is one of %s", strings.Join(faultKinds[:], ", ")))
			}
			out.kind = kind
			r.faultValue(&out, value)
		})
	}
	if out.kind == "" {
		r.keep(n.fail("needs one of %s", strings.Join(faultKinds[:], ", ")))
	}
	r.with(f, "times", func(n node) { out.times = r.times(n) })
	r.errorFields(&out, f)
	return out
}

func (r *reader) times(n node) int64 {
	if s, err := n.text(); err == nil && s == "always" {
		return -1
	}
	i, err := n.number(1, 1000)
	if err != nil {
		r.keep(n.fail("must be a number from 1 to 1000, or always"))
	}
	return i
}

func (r *reader) faultValue(out *fault, n node) {
	switch out.kind {
	case "error":
		out.status = int(r.number(n, 400, 599))
		out.errorType = kindOf(out.status)
		out.message = http.StatusText(out.status)
		if out.status == statusOverloaded {
			out.message = "Overloaded"
		}
	case "drop", "stall", "malformed", "cut":
		out.after = r.number(n, 0, 1<<20)
	case "nonsense":
		out.words = r.template(n)
	default:
		if !r.flag(n) {
			r.keep(n.fail("must be true"))
		}
	}
}

// errorFields are those that only an error has.
func (r *reader) errorFields(out *fault, f map[string]node) {
	for _, name := range [...]string{"type", "message", "retry_after", "after"} {
		r.with(f, name, func(n node) {
			if out.kind != "error" {
				r.keep(n.fail("goes with error only"))
			}
		})
	}
	r.with(f, "type", func(n node) { out.errorType = r.words(n) })
	r.with(f, "message", func(n node) { out.message = r.words(n) })
	r.with(f, "retry_after", func(n node) { out.retryAfter = strconv.FormatInt(r.number(n, 0, 1<<30), 10) })
	r.with(f, "after", func(n node) { out.after = r.number(n, 0, 1<<20) })
}
