package process

import (
	"time"

	"git-flower/worktree/fence"
)

// A Command is a shell script to run for a model or for a check.
type Command struct {
	Script  string        // handed to the shell after -c, as one argument
	Shell   string        // its name, looked up in PATH; empty: sh
	Dir     string        // working directory, absolute
	Env     []string      // the whole environment, "KEY=value"; see Env
	Timeout time.Duration // zero means none but the context's
	Limit   int           // bytes of output kept; zero means DefaultLimit
	Fence   *fence.Policy // what it is held to; nil, and one that holds nothing, mean the user's rights
}

// DefaultLimit is how many bytes of output are kept when a Command names no
// limit: about 8,000 tokens, what one tool result may cost a context.
const DefaultLimit = 30000

// A Result is what a Command did.
type Result struct {
	Output    string // standard output and error as they came; the middle is cut when over the limit
	Bytes     int64  // how much was printed in all
	Digest    string // sha256 of all that was printed, hex
	ExitCode  int    // 128+n when ended by signal n
	TimedOut  bool
	Truncated bool
	Duration  time.Duration
}
