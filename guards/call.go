package guards

import "encoding/json"

// A Call is a tool call that wants to be made.
type Call struct {
	Role  string          // coordinator, worker, clarifier, judge, oracle
	Agent string          // the worker's name, or a subagent's type; empty on a role's main thread
	Tool  string          // in Claude Code's names: Read, Bash, …
	Dir   string          // absolute directory against which relative paths count
	Input json.RawMessage // as the model gave it
}

// A Decision answers a Call. The zero value denies.
type Decision struct {
	Allow  bool
	Reason string          // said to the model when denied: what to do instead
	Input  json.RawMessage // replaces the call's input when not nil
}

// Allow lets a call pass as it is.
func Allow() Decision { return Decision{Allow: true} }

// Deny refuses a call and says why.
func Deny(reason string) Decision { return Decision{Reason: reason} }
