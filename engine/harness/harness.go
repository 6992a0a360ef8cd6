package harness

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"git-flower/guards"
	"git-flower/worktree/fence"
)

// A Harness runs sessions: model contexts with an id of their own. Sessions of
// one harness may run side by side.
type Harness interface {
	// Name is what records and configuration call it: "messages", "claude".
	Name() string
	// Tools names the built-in tools that its sessions may have.
	Tools() []string
	// Start opens a session, a new one or one that the transcript store knows.
	// It sends nothing to the model.
	Start(ctx context.Context, o Options) (Session, error)
}

// A Session is one open model context. Next is called from one goroutine;
// Send and Interrupt may be called from any.
type Session interface {
	// Send says something. When the session rests it begins a turn; while a
	// turn runs the words are queued and go along with the next request.
	//
	// A message whose ID the transcript already holds is not said twice, and a
	// message without text says nothing: in both cases the turn that a fault or
	// a crash broke off is carried on. When the model had already ended that
	// turn, no request is made: the next event is its Ended, with the text of
	// the stored reply.
	Send(ctx context.Context, m Message) error
	// Next returns the next event. A turn ends with an Ended event, after which
	// Next blocks until Send. After Close it returns io.EOF.
	Next(ctx context.Context) (Event, error)
	// Interrupt ends the running turn at once; its Ended event has Stop
	// StopInterrupted. The session can be sent to again.
	Interrupt(ctx context.Context) error
	// Close ends the session's work and waits for it. Safe to call twice.
	Close() error
}

// A Message is what is said to a session.
type Message struct {
	// ID, a lower-case UUID, becomes the transcript entry's own. Empty: a new one.
	// A caller that derives it from what the message is about can send again
	// after a crash without asking whether it was sent before.
	ID   string
	Text string
}

// Options describe a session to Start.
type Options struct {
	// Session is the id; a lower-case UUID made by the caller.
	Session string
	// Resume loads the session's transcript from the store. Calls that were
	// left open are answered first: tools of ours are called again under the
	// same id, others get a result that says they were cut off.
	Resume bool
	// Fork is a session whose history a new one begins with. Each goes its own way
	// from there. Calls that are open in it are left to it.
	Fork string

	Role  string // guards.Call.Role of every call
	Agent string // guards.Call.Agent of every call
	Dir   string // working directory of the tools, absolute

	// System is the role's rule text. It is appended to the harness's own
	// system prompt and stays the same for the life of the session.
	System string

	Model    string // empty: the harness's default
	Effort   string // low, medium, high, …; empty: the model's own
	MaxTurns int    // requests in one turn of ours; zero means no limit
	// MaxOutput limits one answer, in tokens; zero is the harness's own.
	MaxOutput int64

	// Tools names the harness's built-in tools that are offered.
	Tools []string
	// Custom are tools of ours.
	Custom []Tool

	// Plugins are folders with packs in Claude Code's plugin layout, absolute, as
	// the option --plugin-dir of that takes them. Each was laid out by plugin.Pack.Write, so that it holds skills and nothing that
	// runs or grants, and is to stay as it is while the session is open. With Skill
	// among Tools the model is told of the skills and can read them; without it
	// the folders have no effect. Whoever wants their further files read has the
	// folders among Readable.
	Plugins []string

	// Roots are the directories below which the file tools write and read, and
	// Readable those in which they read besides; absolute. None at all: Dir alone.
	// A harness with tools of its own holds to them whatever happens to a path
	// between the asking of Authorize and the opening of the file.
	Roots    []string
	Readable []string
	// Closed tells of a file that a search through its folder leaves out: its
	// contents are withheld. Nil: none is.
	Closed func(path string) bool
	// Withheld gives patterns, in the form of .gitignore, of such files, for a
	// runtime that searches by itself; it is asked at each turn. Nil: there are none.
	Withheld func() []string

	// Authorize is asked before every call, built-in or custom; its answer is
	// final. Nil denies everything.
	Authorize func(context.Context, guards.Call) guards.Decision
	// Observe sees every result and may replace it. Nil changes nothing.
	Observe func(context.Context, guards.Call, Result) Result
	// Expires tells of a call whether what it showed goes stale, so that a resumed
	// session need not be told of it again. Nil: nothing does.
	Expires func(guards.Call) bool
	// Archive puts a long result away that a resumed session need not see whole, and
	// returns what stands in its place, the same every time; empty when it could not.
	// Results of Custom tools are never put away. Nil: long results stay.
	Archive func(c guards.Call, text string) string
	// Gate is asked before every request. Nil admits everything.
	Gate Gate

	// LongWaits says that the session's calls may wait longer than the API's cache
	// lives, so that its prompt is better kept an hour, where the endpoint does that.
	LongWaits bool

	// Compact lets a runtime that can replace a full context by a summary do so; it
	// tells of that by a Compacted event. A harness that cannot ignores it.
	Compact bool
	// Window is how many tokens the context holds, as far as is known; zero: unknown.
	// A runtime that compacts does so before that many are in it.
	Window int64

	// Env is the whole environment of commands that tools start.
	Env []string
	// Fence is what those commands are held to; nil holds nothing.
	Fence *fence.Policy
}

// A Tool is a tool of ours, offered to the model beside the built-in ones.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the input, an object
	// Parallel says that several calls of one message may run side by side.
	Parallel bool
	// Call performs it. It may block for hours. id is the tool call's own id and
	// the same when the call is repeated after a crash. An error becomes an
	// error result for the model, unless it wraps ErrStop.
	Call func(ctx context.Context, id string, input json.RawMessage) (Result, error)
}

// A Result is what a tool gave back.
type Result struct {
	Text    string
	IsError bool
	// Image, when not nil, is shown to the model before the text.
	Image *Image
}

// An Image is a picture that a tool read.
type Image struct {
	MediaType string
	Data      []byte
}

// A Gate holds the purse. Every Admit that returned nil is followed by exactly
// one Settle, also when the request failed. A Settle without an Admit, of a
// Request without Input and MaxOutput, books one that a runtime made without
// asking: what was spent is spent.
type Gate interface {
	// Admit returns an error that wraps ErrBudget when the request may not be made.
	Admit(ctx context.Context, r Request) error
	Settle(ctx context.Context, r Request, u Usage)
}

// A Request is about to be sent to a model.
type Request struct {
	Session   string
	Role      string
	Agent     string
	Model     string
	Input     int64 // tokens, estimated and rather too many than too few
	MaxOutput int64 // tokens
	Hour      bool  // what is written to the cache is to be kept an hour, at that price
	Aside     bool  // not the main thread's, but a sub-agent's, or one that a tool makes besides
}

// Usage is what a response counted, in tokens.
type Usage struct {
	Input   int64 // neither read from nor written to the cache
	Output  int64
	Read    int64 // from the cache
	Write5m int64 // to the cache, kept five minutes
	Write1h int64 // to the cache, kept an hour
}

// Context is how full the model's window was.
func (u Usage) Context() int64 { return u.Input + u.Read + u.Write5m + u.Write1h }

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Read + v.Read, u.Write5m + v.Write5m, u.Write1h + v.Write1h}
}

// A Transcript keeps the entries of sessions. Entries are JSON objects in the
// shape of Claude Code's transcripts (type, uuid, parentUuid, sessionId,
// timestamp, message).
type Transcript interface {
	// Append returns once the entries are on disk.
	Append(ctx context.Context, session string, entries ...json.RawMessage) error
	// Load returns what a resumed session starts from, oldest first.
	Load(ctx context.Context, session string) ([]json.RawMessage, error)
}

// A Fault says why a turn broke off, in terms that decide what to do about it.
type Fault struct {
	Class      Class
	Status     int    // HTTP status, zero without one
	Type       string // the API's error type, "overloaded_error"
	Message    string // one line, without secrets
	RequestID  string
	RetryAfter time.Duration // as the server asked; zero when it did not
}

// A Class of faults.
type Class int

// The classes. The zero class is an unclassified failure.
const (
	Unknown       Class = iota
	Network             // no connection, or it broke
	RateLimit           // 429
	Overloaded          // 529
	ServerError         // 5xx
	UsageLimit          // a plan's limit with a time at which it ends
	Auth                // 401, 403
	Invalid             // 400, 404, 413: asking again does not help
	PromptTooLong       // the window is full
	Budget              // the gate refused
	Refused             // the model declined to answer
	Broken              // the harness itself failed
)

func (c Class) String() string {
	return [...]string{"unknown", "network", "rate limit", "overloaded", "server error", "usage limit",
		"auth", "invalid", "prompt too long", "budget", "refused", "broken"}[c]
}

func (f *Fault) Error() string {
	if strings.HasPrefix(f.Message, f.Class.String()) {
		return f.Message
	}
	return f.Class.String() + ": " + f.Message
}
