package gitstate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A pair is one fact as it is written: a key of a document's head, in lower
// case, and its value.
type pair struct{ key, value string }

// facts are the keys of the facts in their order, with their trailers.
var facts = [...]struct{ key, trailer string }{
	{"step", "Flower-Step"}, {"label", "Flower-Label"}, {"round", "Flower-Round"},
	{"worker", "Flower-Worker"}, {"session", "Flower-Session"}, {"machine", "Flower-Machine"},
	{"harness", "Flower-Harness"}, {"model", "Flower-Model"}, {"code", "Flower-Code"},
	{"tip", "Flower-Tip"}, {"call", "Flower-Call"}, {"index", "Flower-Index"},
	{"state", "Flower-State"}, {"cost", "Flower-Cost"}, {"wake", "Flower-Wake"},
	{"from", "Flower-From"}, {"replaces", "Flower-Replaces"}, {"time", "Flower-Time"},
	{"rehearsed", "Flower-Rehearsed"}, {"options", "Flower-Options"},
	{"run", "Flower-Run"}, {"kind", "Flower-Kind"}, {"format", "Flower-Format"}, // of the commit, not of Meta
}

// pairs returns the facts that apply, in their order.
func (m *Meta) pairs() []pair {
	var out []pair
	add := func(key, value string) {
		if value != "" {
			out = append(out, pair{key, value})
		}
	}
	for _, f := range facts {
		if text := m.text(f.key); text != nil {
			add(f.key, *text)
			continue
		}
		add(f.key, m.printed(f.key))
	}
	for _, x := range m.Extra {
		add(x.Key, x.Value)
	}
	return out
}

// text returns the field of a fact that is plain text, nil for another one.
func (m *Meta) text(key string) *string {
	switch key {
	case "step":
		return &m.Step
	case "label":
		return &m.Label
	case "worker":
		return &m.Worker
	case "session":
		return &m.Session
	case "machine":
		return &m.Machine
	case "harness":
		return &m.Harness
	case "model":
		return &m.Model
	case "code":
		return (*string)(&m.Code)
	case "tip":
		return (*string)(&m.Tip)
	case "call":
		return &m.Call
	case "state":
		return &m.State
	case "wake":
		return &m.Wake
	case "time":
		return &m.Time
	}
	return nil
}

func (m *Meta) printed(key string) string {
	switch key {
	case "round":
		return number(m.Round)
	case "index":
		return number(m.Index)
	case "cost":
		return m.Cost.printed()
	case "from":
		return strings.Join(m.From, " ")
	case "replaces":
		return strings.Join(m.Replaces, " ")
	case "rehearsed":
		if m.Rehearsed {
			return "yes"
		}
	case "options":
		return printOptions(m.Options)
	}
	return ""
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (c MicroUSD) printed() string {
	if c == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%06d", c/1e6, c%1e6)
}

// set takes over one fact that was read. Values that are not in their one
// encoding are found by printing what was read.
func (m *Meta) set(p pair) error {
	if text := m.text(p.key); text != nil {
		*text = p.value
		return nil
	}
	var err error
	switch p.key {
	case "round":
		m.Round, err = strconv.Atoi(p.value)
	case "index":
		m.Index, err = strconv.Atoi(p.value)
	case "cost":
		m.Cost, err = parseCost(p.value)
	case "from":
		m.From = strings.Split(p.value, " ")
	case "replaces":
		m.Replaces = strings.Split(p.value, " ")
	case "rehearsed":
		m.Rehearsed = p.value == "yes"
	case "options":
		m.Options = parseOptions(p.value)
	default:
		m.Extra = append(m.Extra, Extra{Key: p.key, Value: p.value})
	}
	if err != nil {
		return fmt.Errorf("%s '%s' is not a number", p.key, p.value)
	}
	return nil
}

func parseCost(text string) (MicroUSD, error) {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+part, 10, 64)
	return MicroUSD(n), err
}

const (
	lowerHex   = "0123456789abcdef"
	lowerAlpha = "abcdefghijklmnopqrstuvwxyz"
	digits     = "0123456789"
	upperAlpha = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

	maxKind = 32 // letters
)

// consists says whether text is 1 to limit of the characters.
func consists(text, characters string, limit int) bool {
	return text != "" && len(text) <= limit && strings.Trim(text, characters) == ""
}

func isObjectID(id ObjectID) bool {
	return (len(id) == 40 || len(id) == 64) && consists(string(id), lowerHex, 64)
}

func isMachine(name string) bool { return consists(name, lowerAlpha+digits, 40) }

func isKind(k Kind) bool {
	return consists(string(k), lowerAlpha+digits+"-", maxKind) && strings.IndexByte(lowerAlpha, k[0]) >= 0
}

func isKey(key string) bool {
	return consists(key, lowerAlpha+upperAlpha+digits+"-", maxValue) && key[0] != '-'
}

// check says which fact is not one.
func (m *Meta) check() error {
	for _, p := range m.pairs() {
		if why := p.wrong(); why != "" {
			return fmt.Errorf("%s '%.80s' %s", p.key, p.value, why)
		}
	}
	if m.Round < 0 || m.Index < 0 || m.Cost < 0 {
		return fmt.Errorf("round %d, index %d or cost %d is negative", m.Round, m.Index, m.Cost)
	}
	for _, x := range m.Extra {
		if err := x.check(); err != nil {
			return err
		}
	}
	return nil
}

func (p pair) wrong() string {
	switch {
	case len(p.value) > maxValue:
		return fmt.Sprintf("is longer than %d bytes", maxValue)
	case p.value != cleanLine(p.value):
		return "is not one clean line"
	}
	switch p.key {
	case "code", "tip":
		if !isObjectID(ObjectID(p.value)) {
			return "is not an object id"
		}
	case "machine":
		if !isMachine(p.value) {
			return "is not a machine's name"
		}
	case "from", "replaces":
		for _, name := range strings.Split(p.value, " ") {
			if _, _, _, ok := parseName(name); !ok {
				return "names no document"
			}
		}
	case "time":
		if _, err := time.Parse(time.RFC3339, p.value); err != nil {
			return "is not a time"
		}
	case "options":
		return wrongOptions(p.value)
	}
	return ""
}

func (x Extra) check() error {
	known := false
	for _, f := range facts {
		known = known || f.key == x.Key || f.trailer == x.Key
	}
	if known || x.Value == "" || !isKey(x.Key) {
		return fmt.Errorf("'%.80s: %.80s' cannot be a further fact", x.Key, x.Value)
	}
	return nil
}

// clean makes every text of the facts one clean line.
func (m Meta) clean() Meta {
	for _, f := range facts {
		if text := m.text(f.key); text != nil {
			*text = cleanLine(*text)
		}
	}
	m.Extra = append([]Extra(nil), m.Extra...)
	for i, x := range m.Extra {
		m.Extra[i].Value = cleanLine(x.Value)
	}
	return m
}

// trailerName is the trailer of a key: "Flower-Step" of "step". A key that is
// not all lower case is a trailer that another program named, kept as it is.
func trailerName(key string) string {
	if key != strings.ToLower(key) {
		return key
	}
	parts := strings.Split(key, "-")
	for i, part := range parts {
		if part != "" {
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return "Flower-" + strings.Join(parts, "-")
}

// trailerKey is the reverse of trailerName.
func trailerKey(name string) string {
	for _, f := range facts {
		if f.trailer == name {
			return f.key
		}
	}
	rest, ok := strings.CutPrefix(name, "Flower-")
	if key := strings.ToLower(rest); ok && trailerName(key) == name {
		return key
	}
	return name
}
