package harness

import (
	"math"
	"math/bits"
	"regexp"
	"strings"
	"sync"
)

// DefaultModel is what a session runs on when nobody names a model.
const DefaultModel = "claude-opus-5-5"

// A Model is what we know about a model: its limits, its prices, and how it is
// asked to think.
type Model struct {
	ID        string
	Window    int64 // tokens that prompt and answer may have together; zero when unknown
	MaxOutput int64 // tokens of one answer at most; zero when unknown

	// Prices, in millionths of a US dollar for a million tokens: 4 USD is
	// 4,000,000. All zero when the price is unknown.
	Input   int64
	Output  int64
	Read    int64 // from the cache
	Write5m int64 // to the cache, kept five minutes
	Write1h int64 // to the cache, kept an hour

	Thinking ThinkingMode
	Efforts  []string // values that Options.Effort may have; empty: none
}

// A ThinkingMode says how a model is asked to reason before it answers.
type ThinkingMode int

// The ways. The zero way sends nothing and leaves it to the model.
const (
	ThinkingUnset    ThinkingMode = iota
	ThinkingAdaptive              // {"type":"adaptive"}: the model decides how much
	ThinkingBudget                // {"type":"enabled","budget_tokens":n}
)

// Priced says whether the model's price is known.
func (m Model) Priced() bool { return m.Input > 0 || m.Output > 0 }

// Cost is what a usage costs, in millionths of a US dollar, rounded up.
// Negative counts are taken as zero; a sum beyond the range of int64 stays at
// its end.
func (m Model) Cost(u Usage) int64 {
	var hi, lo uint64
	for _, p := range [...][2]int64{
		{u.Input, m.Input}, {u.Output, m.Output}, {u.Read, m.Read}, {u.Write5m, m.Write5m}, {u.Write1h, m.Write1h},
	} {
		if p[0] <= 0 || p[1] <= 0 {
			continue
		}
		h, l := bits.Mul64(uint64(p[0]), uint64(p[1]))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi += h + carry
	}
	const million = 1_000_000
	lo, carry := bits.Add64(lo, million-1, 0)
	hi += carry
	if hi >= million {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, million)
	return int64(min(q, math.MaxInt64))
}

// Lookup finds a model by its name, an alias ("opus"), a dated name
// ("claude-opus-5-5-20261015"), or any of these with Claude Code's "[1m]".
// A model that is not in the table is not found; the caller decides what then.
func Lookup(id string) (Model, bool) { return Find(id, nil) }

// Find is Lookup with entries that take precedence over the table. The Model
// has the name of the entry, not the one asked for.
func Find(id string, overrides []Model) (Model, bool) {
	name := canonical(id)
	for _, m := range overrides {
		if m.ID == id || canonical(m.ID) == name {
			return m, true
		}
	}
	for _, m := range models() {
		if m.ID == name {
			return m, true
		}
	}
	return Model{}, false
}

// WireName is the name under which the API knows a model: aliases are
// expanded and "[1m]" is dropped; dates and names we do not know stay.
func WireName(id string) string {
	name, _ := strings.CutSuffix(strings.TrimSpace(id), "[1m]")
	if full, ok := alias(strings.ToLower(name)); ok {
		return full
	}
	return name
}

// canonical is the table's name for a model: lower case, without provider,
// window or date.
func canonical(id string) string {
	name := strings.ToLower(WireName(id))
	name = strings.TrimPrefix(name, "anthropic/")
	name, _, _ = strings.Cut(name, "@")
	name = strings.TrimSuffix(name, "-latest")
	if i := strings.LastIndexByte(name, '-'); i > 0 && isDate(name[i+1:]) {
		name = name[:i]
	}
	return name
}

// SameModel reports whether two names may stand for one model: an alias and what it
// stands for, a name and a dated snapshot of it, with or without "[1m]", the
// provider, or what Bedrock puts round a name. An empty name stands for any, and so
// does one in angle brackets, which a runtime gives to answers that it made itself.
func SameModel(a, b string) bool {
	a, b = bare(a), bare(b)
	return a == b || a == "" || b == "" || a[0] == '<' || b[0] == '<'
}

var bedrock = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[a-z-]+\.)?anthropic\.(.*?)(?:-v\d+)?(?::\d+)?$`)
})

// bare is canonical without what Bedrock puts round a name.
func bare(id string) string {
	name := canonical(id)
	if m := bedrock().FindStringSubmatch(name); m != nil {
		return canonical(m[1])
	}
	return name
}

func isDate(s string) bool {
	if len(s) != len("20261130") {
		return false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func alias(name string) (string, bool) {
	switch name {
	case "default", "opus":
		return "claude-opus-5-5", true
	case "sonnet":
		return "claude-sonnet-5-5", true
	case "haiku":
		return "claude-haiku-5-5", true
	case "fable":
		return "claude-fable-5-2", true
	}
	return "", false
}

// models is the table, as of 30 November 2026. Windows, output limits and
// input and output prices are the figures of the vendor's public pages, found
// by search and not checked against a bill; cache prices follow the vendor's
// rule (read 0.1, five minutes 1.25, one hour 2 times the input price).
// Thinking and efforts are what the SDK's types (v2.15.0) offer for this
// generation of models.
func models() [4]Model {
	efforts := []string{"low", "medium", "high", "xhigh", "max"}
	entry := func(id string, in, out int64) Model {
		return Model{
			ID: id, Window: 1_000_000, MaxOutput: 128_000,
			Input: in, Output: out, Read: in / 10, Write5m: in + in/4, Write1h: 2 * in,
			Thinking: ThinkingAdaptive, Efforts: efforts,
		}
	}
	return [...]Model{
		entry("claude-fable-5-2", 8_000_000, 40_000_000),
		entry("claude-opus-5-5", 4_000_000, 20_000_000),
		entry("claude-sonnet-5-5", 2_000_000, 10_000_000),
		entry("claude-haiku-5-5", 100_000, 500_000),
	}
}
