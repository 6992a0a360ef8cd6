package gitstate

import (
	"strings"
	"time"
)

// An ObjectID is the full hexadecimal name of a git object, 40 or 64 digits.
type ObjectID string

// Short returns the first twelve digits, for people.
func (id ObjectID) Short() string {
	if len(id) > 12 {
		return string(id[:12])
	}
	return string(id)
}

// A Kind says what a record tells.
type Kind string

// The kinds of records. Unknown kinds are kept and shown, never an error.
const (
	KindRequest   Kind = "request"
	KindAmendment Kind = "amendment"
	KindBrief     Kind = "brief"
	KindGoal      Kind = "goal"
	KindSession   Kind = "session"
	KindStep      Kind = "step"
	KindReport    Kind = "report"
	KindVerdict   Kind = "verdict"
	KindHandoff   Kind = "handoff"
	KindQuestion  Kind = "question"
	KindAnswer    Kind = "answer"
	KindNotice    Kind = "notice"
	KindEnd       Kind = "end"
)

// Meta holds the facts of a record. They stand, those that apply, as lines at
// the head of the record's document and as trailers of its commit, so that
// either can be read without the other. The zero value has no facts.
type Meta struct {
	Step    string   // name of the flow's step, without a label: "work"
	Label   string   // one attempt of it: "work#round2", "clarify#retry1"
	Round   int      // judged round, counted from 1
	Worker  string   // "<kind>-<n>"
	Session string   // session of the harness
	Machine string   // random name of the machine that drove
	Harness string   // "claude", "messages"
	Model   string   // as configured, not as served
	Code    ObjectID // commit worked on or judged
	Tip     ObjectID // a worker's own tip
	Call    string   // id of the tool call that a report answers
	Index   int      // which task of that call, counted from 0
	State   string   // of a step "ok" or "failed"; of a verdict or an end its state
	Cost    MicroUSD // spent on what the record tells
	Wake    string   // the process that wrote it

	From     []string // names of the documents it was made from
	Replaces []string // names of the documents it takes the place of
	Time     string   // RFC 3339, only where a model must know when a person spoke

	// Rehearsed is set on a request that runs against a scripted model.
	Rehearsed bool
	// Options are set on a request: the limits that were given when it was made.
	Options []Option
	// Extra holds keys of a newer format, in their order, kept as they were.
	Extra []Extra
}

// An Extra is a key that this version does not know.
type Extra struct{ Key, Value string }

// Stamp prints a time as documents and ledgers have it: UTC, to the second.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// MicroUSD is money in millionths of a US dollar.
type MicroUSD int64

// A Doc is one document of a run. Documents are never changed: a newer one
// names the ones it replaces.
type Doc struct {
	Kind    Kind
	Counter int    // one more than the greatest in the tree it was added to
	Hash    string // first twelve digits of the content's sha256
	Meta    Meta
	Body    string // markdown, cleaned, without trailing blank lines
}

// A Record is one thing that happened, before it is a commit.
type Record struct {
	Kind    Kind
	Subject string // what happened, without the "<kind>: " before it
	Meta    Meta
	Body    string // becomes the document and, indented, the commit's body

	// With holds further documents that come into being in the same commit,
	// such as the finished step of a brief. Counter and Hash are filled in.
	With []Doc
	// Files are whole files of the tree outside the documents: "ledger/<wake>.json",
	// "bench/scripts/…", "bench/notes/…", "bench/artifacts/…". A nil value removes the file.
	Files map[string][]byte
	// Refs move in the same transaction as the run's own ref.
	Refs []RefUpdate
}

// A RefUpdate moves one ref of ours. An empty Old means that it must not exist,
// an empty New that it goes.
type RefUpdate struct {
	Name     string // "refs/flower/join/<run>"
	New, Old ObjectID
}

// An Entry is a record as it stands in the history.
type Entry struct {
	Commit  ObjectID
	Parents []ObjectID
	Kind    Kind
	Subject string
	Meta    Meta
	Body    string
	Author  string // "Name <address>"
	Unix    int64  // seconds, committer's clock
}

// History is what a run's tip holds: enough to decide what comes next.
type History struct {
	Name string // the run's readable name
	ID   string // its identity, 16 hex digits
	Tip  ObjectID
	Base ObjectID
	// Work is where the work of each worker stands that is not in the join: its
	// newest snapshot, or commits that conflicted.
	Work map[string]ObjectID
	Docs []Doc // by counter, then kind, then hash: the order in which they came to be
	// Ledger holds the accounts of every wake, by its name.
	Ledger map[string][]LedgerRow
}

// A LedgerRow is the account of one session's part in one step.
type LedgerRow struct {
	// Wake is the wake that spent it, when that was killed before its accounts
	// were recorded; empty: the one whose ledger it stands in.
	Wake     string   `json:"wake,omitempty"`
	Step     string   `json:"step"`
	Label    string   `json:"label"`
	Session  string   `json:"session"`
	Role     string   `json:"role"`
	Worker   string   `json:"worker,omitempty"`
	Model    string   `json:"model"`
	Turns    int      `json:"turns"` // requests that were answered, also those whose answer broke off
	Input    int64    `json:"input_tokens"`
	Output   int64    `json:"output_tokens"`
	Read     int64    `json:"cache_read_tokens"`
	Written  int64    `json:"cache_write_tokens"`
	Cost     MicroUSD `json:"cost_micro_usd"`
	Attempts int      `json:"attempts"`
	Errors   []string `json:"errors,omitempty"`
	Retired  []string `json:"retired,omitempty"`
	Context  int64    `json:"context"` // largest context seen, tokens
	Start    string   `json:"start"`   // RFC 3339
	End      string   `json:"end"`
}

// Of returns the documents of one kind, oldest first.
func (h History) Of(k Kind) []Doc {
	var docs []Doc
	for _, d := range h.Docs {
		if d.Kind == k {
			docs = append(docs, d)
		}
	}
	return docs
}

// Current returns the document of a kind that counts: the greatest that no
// other replaces.
func (h History) Current(k Kind) (Doc, bool) {
	replaced := map[string]bool{}
	docs := h.Of(k)
	for _, d := range docs {
		for _, name := range d.Meta.Replaces {
			replaced[name] = true
		}
	}
	for i := len(docs) - 1; i >= 0; i-- {
		if !replaced[docs[i].Name()] {
			return docs[i], true
		}
	}
	return Doc{}, false
}

// Find returns the document of that name.
func (h History) Find(name string) (Doc, bool) {
	for _, d := range h.Docs {
		if d.Name() == name {
			return d, true
		}
	}
	return Doc{}, false
}

// Last returns the newest document that fits.
func (h History) Last(fits func(Doc) bool) (Doc, bool) {
	for i := len(h.Docs) - 1; i >= 0; i-- {
		if fits(h.Docs[i]) {
			return h.Docs[i], true
		}
	}
	return Doc{}, false
}

// Spent sums the ledgers of all wakes.
func (h History) Spent() MicroUSD {
	var sum MicroUSD
	for _, rows := range h.Ledger {
		for _, r := range rows {
			sum += r.Cost
		}
	}
	return sum
}

// Folder is the directory of a kind's documents in a run's tree: its plural.
func (k Kind) Folder() string {
	if strings.HasSuffix(string(k), "y") {
		return strings.TrimSuffix(string(k), "y") + "ies"
	}
	return string(k) + "s"
}
