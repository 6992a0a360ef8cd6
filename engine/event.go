package engine

import "time"

// An Event tells a watcher what a run does. Events are for eyes and scripts;
// nothing depends on their arriving.
type Event struct {
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	Step    string    `json:"step,omitempty"`
	Label   string    `json:"label,omitempty"`
	Round   int       `json:"round,omitempty"`
	Role    string    `json:"role,omitempty"`
	Worker  string    `json:"worker,omitempty"`
	Session string    `json:"session,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	ID      string    `json:"id,omitempty"` // of a tool call, a question, a record's commit
	Text    string    `json:"text,omitempty"`
	State   string    `json:"state,omitempty"`
	Record  string    `json:"record,omitempty"`     // kind of the record made
	Cost    int64     `json:"cost_micro_usd"`       // spent so far by the whole run
	Context int64     `json:"context,omitempty"`    // tokens in the session's window
	Window  int64     `json:"window,omitempty"`     // tokens that it holds, where that is known
	Options []string  `json:"options,omitempty"`    // of a question
	Wait    float64   `json:"wait_sec,omitempty"`   // how long a retry or a question waits, or a wait lasts yet
	Waited  float64   `json:"waited_sec,omitempty"` // how long a wait has lasted
}

// Kinds of events.
const (
	EventWake      = "wake"     // a process began to drive the run
	EventStep      = "step"     // an attempt of a step begins
	EventText      = "text"     // prose of the model
	EventThinking  = "thinking" // its reasoning
	EventCall      = "tool_call"
	EventResult    = "tool_result"
	EventResponse  = "response"  // one request was answered; carries the context's size
	EventAsk       = "ask"       // a question waits for a person
	EventAnswer    = "answer"    // it was answered, or nobody answered
	EventHeartbeat = "heartbeat" // something is still waited for: a question, workers, a model, a command, the network
	EventAmendment = "amendment" // a person has added words to what is wanted
	EventRetry     = "retry"     // a fault; the turn is carried on after a wait
	EventWorker    = "worker"    // a worker began or ended
	EventJoin      = "join"      // a worker's result was merged, or conflicts
	EventCheck     = "check"     // a command check ran
	EventRecord    = "record"    // a record was made
	EventAside     = "aside"     // a side question was asked, answered, or not answered
	EventHandoff   = "handoff"   // a context is nearly full ("near"), its handoff is being written ("writing") or there ("done")
	EventBudget    = "budget"    // half, four fifths of the budget are spent
	EventNotice    = "notice"    // something a person should know
	EventEnd       = "end"       // the wake ends
)
