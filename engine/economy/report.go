package economy

import "git-flower/gitstate"

// A Report is what a run came to.
type Report struct {
	Run      string    `json:"run"`
	Sessions []Session `json:"sessions"` // in the order in which they began
	Roles    []Part    `json:"roles"`    // in the order in which they first began
	Total    Part      `json:"total"`
	Main     Main      `json:"main"`
	Workers  Spread    `json:"workers"`
	// Scripts are those of the bench that were written or run, by name; null
	// when the transcript of a worker is missing.
	Scripts *Scripts `json:"scripts"`
	Missing []string `json:"missing_transcripts"` // sessions' ids
	// Unrecorded is what of all this no record holds yet, so that only this machine
	// knows of it.
	Unrecorded Billed `json:"unrecorded"`
	// Forecast is for a run that goes on; null: it cannot be told.
	Forecast *Forecast `json:"forecast"`
}

// A Session is one model context with what it did.
type Session struct {
	ID      string   `json:"session"`
	Role    string   `json:"role"`
	Worker  string   `json:"worker,omitempty"`
	Labels  []string `json:"labels"` // of the steps it worked in
	Model   string   `json:"model"`
	Began   string   `json:"began,omitempty"` // RFC 3339
	Billed  Billed   `json:"billed"`
	Context int64    `json:"largest_context"` // tokens
	Held    *Held    `json:"held"`            // null: its transcript is not here
	Curve   []Point  `json:"curve,omitempty"`
	Falls   []int    `json:"falls,omitempty"` // turns, from 1, below 70 % of the one before
}

// A Part is the sum over the sessions of a role, or over all.
type Part struct {
	Role     string `json:"role,omitempty"`
	Sessions int    `json:"sessions"`
	Billed   Billed `json:"billed"`
	Held     *Held  `json:"held"` // null: a transcript is missing
}

// Billed is what the ledger says was paid for.
type Billed struct {
	Requests int               `json:"requests"` // answered
	Input    int64             `json:"input_tokens"`
	Read     int64             `json:"cache_read_tokens"`
	Written  int64             `json:"cache_write_tokens"`
	Output   int64             `json:"output_tokens"`
	Cost     gitstate.MicroUSD `json:"cost_micro_usd"`
	Failed   int               `json:"failed_tries"`
	Unpriced int               `json:"unpriced_requests"` // of models without a known price: not in Cost
}

// Hits is the part of all input that was read from the cache, from 0 to 1; not
// ok without any input.
func (b Billed) Hits() (share float64, ok bool) {
	return ratio(b.Read, b.Input+b.Read+b.Written)
}

func (b *Billed) add(o Billed) {
	b.Requests += o.Requests
	b.Input += o.Input
	b.Read += o.Read
	b.Written += o.Written
	b.Output += o.Output
	b.Cost += o.Cost
	b.Failed += o.Failed
	b.Unpriced += o.Unpriced
}

// Held is what transcripts say was done.
type Held struct {
	Rows       int            `json:"rows"`       // that hold answers of the model
	Turns      int            `json:"turns"`      // answers of the model
	Characters int            `json:"characters"` // of texts, calls and results
	Calls      int            `json:"calls"`
	Tools      map[string]int `json:"tools"` // calls by name
	Denials    int            `json:"denials"`
	Glances    int            `json:"glances"` // commands that the coordinator ran
	Spills     int            `json:"spills"`  // results that became a pointer
	Spilled    int            `json:"spilled_characters"`
	Tasks      int            `json:"tasks"` // dispatched to workers
	// Left is what later readings left out; null: a session has been resumed with
	// less, and does not tell with how much.
	Left *Left `json:"left_out"`
}

// Left is what of transcripts sessions were not shown again when they were resumed.
// The transcripts hold it still.
type Left struct {
	Loads      int `json:"loads"`      // resumptions that left out more than those before
	Expired    int `json:"expired"`    // results that had gone stale
	Cleared    int `json:"cleared"`    // long results that became a pointer
	Denied     int `json:"denied"`     // refused calls
	Characters int `json:"characters"` // that the contexts were shorter by
}

func newHeld() *Held { return &Held{Tools: map[string]int{}, Left: &Left{}} }

func (h *Held) add(o Held) {
	h.Turns += o.Turns
	h.Rows += o.Rows
	h.Characters += o.Characters
	h.Calls += o.Calls
	for name, n := range o.Tools {
		h.Tools[name] += n
	}
	h.Denials += o.Denials
	h.Glances += o.Glances
	h.Spills += o.Spills
	h.Spilled += o.Spilled
	h.Tasks += o.Tasks
	h.Left = h.Left.plus(o.Left)
}

// plus is the sum; nil as soon as a part of it is unknown.
func (l *Left) plus(o *Left) *Left {
	if l == nil || o == nil {
		return nil
	}
	return &Left{l.Loads + o.Loads, l.Expired + o.Expired, l.Cleared + o.Cleared, l.Denied + o.Denied, l.Characters + o.Characters}
}

// A Point of a context curve.
type Point struct {
	Time   string `json:"time,omitempty"` // RFC 3339
	Tokens int64  `json:"tokens"`
	fresh  int64  // of these, not read from the cache
}

// Main tells how the coordinator's context fared. Null figures cannot be told:
// a transcript is missing, or there is nothing to divide by.
type Main struct {
	OutCharacters *float64 `json:"kept_out_characters"` // workers' part of both, 0 to 1
	OutTurns      *float64 `json:"kept_out_turns"`
	OutRows       *float64 `json:"kept_out_rows"`     // the same of rows with usage, as others count
	OutRequests   *float64 `json:"kept_out_requests"` // the same from the ledger
	Growth        *float64 `json:"growth_per_turn"`   // tokens, within each session
	Hits          *float64 `json:"cache_hits"`
	Hidden        *float64 `json:"calls_per_task"` // of workers, for each task dispatched
}

// A Spread of output tokens over the workers' sessions.
type Spread struct {
	Sessions int   `json:"sessions"`
	Largest  int64 `json:"largest_output"`
	Median   int64 `json:"median_output"` // the lower of the middle two
	Smallest int64 `json:"smallest_output"`
}

// Scripts tells how the bench's scripts were used.
type Scripts struct {
	Each    []Script `json:"each"`
	Written int      `json:"written"` // times, changes included
	Runs    int      `json:"runs"`
	Again   int      `json:"run_again"` // scripts run more than once
	Idle    int      `json:"never_run"`
}

// A Script of the bench.
type Script struct {
	Name    string `json:"name"` // below scripts/
	Written int    `json:"written"`
	Runs    int    `json:"runs"`
}

func ratio(part, whole int64) (float64, bool) {
	if whole <= 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

func share(part, whole int64) *float64 {
	r, ok := ratio(part, whole)
	if !ok {
		return nil
	}
	return &r
}
