package harness

import "errors"

// Errors that callers branch on.
var (
	// ErrStop, wrapped by a custom tool's error, ends the turn after its result is stored.
	ErrStop = errors.New("stop the turn")
	// ErrAbort, wrapped by a custom tool's error, ends the turn at once (StopTool) and
	// stores no result: the call stays open and is made again when the session is
	// resumed. It is for failures of ours, which are no business of the model's.
	// The same holds when a tool returns because its context ended.
	ErrAbort = errors.New("abort the turn")
	// ErrBudget, wrapped by a Gate's error, ends the turn with a fault of class Budget.
	ErrBudget = errors.New("budget reached")
	// ErrNoSession is returned by Start when a session to resume has no transcript.
	ErrNoSession = errors.New("no such session")
)
