package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/guards"
	"git-flower/worktree/fence"
)

// A job is one session's part in an attempt.
type job struct {
	step   string
	label  string
	round  int
	role   Role
	worker string
	task   gitstate.Meta // of a worker's session: which task it is
	dir    string
	roots  []string // where file tools may write
	tools  []harness.Tool
	shell  bool          // Bash, beside what the role has
	fence  *fence.Policy // what commands are held to
	limits limits
	// session to go on in; empty: a new one.
	session string
	resume  bool
	// handsOver: when its context is full it leaves a handoff; else the turn fails.
	handsOver bool
}

// limits are a session's own, beside those of the run. Zero values are none.
type limits struct {
	turns  int   // requests in one turn of ours
	output int64 // tokens of one answer
	cost   gitstate.MicroUSD
}

// least is how many requests a turn may have where the user allows turns.
func (l limits) least(turns int) int {
	if l.turns == 0 || turns > 0 && turns < l.turns {
		return turns
	}
	return l.turns
}

// talk is an open session with its account.
type talk struct {
	e   *Engine
	job job
	s   harness.Session
	row *gitstate.LedgerRow

	calls      []harness.ToolCall // that have no result yet
	unanswered []harness.ToolCall // that had none when the last turn ended
	spoken     bool               // something was said in it

	mark     watermark
	context  int64        // the fullest so far, in tokens
	warned   bool         // that it is nearly full
	leaving  bool         // the turn was ended so that it hands over
	writing  atomic.Bool  // it writes its handoff
	full     atomic.Bool  // it hands over: no further request of this turn is made
	refused  atomic.Bool  // one was not made because of that
	underway atomic.Int64 // requests of its main thread that have no answer yet
	finished func() bool  // it has nothing left to do; may be nil

	words  func()            // called after the person's words have been queued; may be nil
	asked  func()            // called as a request is about to leave; may be nil
	edited func(path string) // called after a tool has written a file; may be nil
	writes map[string]string // by call, the file it is to write

	walls *walls
	first string // told with the first message, beside it; empty for a session that goes on

	mu     sync.Mutex
	failed error           // of a tool of ours: no business of the model's
	jammed string          // the tool whose refused call it repeats without end
	toldOf map[string]bool // files of the bench it knows of, by path
}

// open starts a job's session in the harness. Nothing is sent yet.
func (e *Engine) open(ctx context.Context, j job) (*talk, error) {
	kind, err := e.kindFor(j)
	if err != nil {
		return nil, err
	}
	text, err := rules(facts{
		Role: j.role, Run: e.deps.State.History().Name, Worker: j.worker, Dir: j.dir, Bench: e.c.Bench,
		Shell: j.shell, Extra: e.c.Instructions, InPlace: e.c.InPlace, Judged: !e.c.Limits.NoGoal,
		Kind: kind.Name, KindRules: kind.Prompt,
	})
	if err != nil {
		return nil, err
	}
	settings := e.settings(j.role, kind)
	row := e.books.Open(gitstate.LedgerRow{
		Step: j.step, Label: j.label, Session: j.session, Role: string(j.role), Worker: j.worker, Model: settings.Model,
	}, e.deps.Clock.Now())
	builtin := e.builtinOf(j, kind)
	t := &talk{e: e, job: j, row: row, spoken: j.resume, walls: e.wallsFor(j, append(toolNames(j.tools), builtin...))}
	t.walls.stuck = t.stuckIn(ctx)
	t.mark = e.markFor(j, settings.Model)
	if index := t.knowBench(); !j.resume {
		t.first = index
	}
	t.s, err = e.deps.Harness.Start(ctx, harness.Options{
		Session: j.session, Resume: j.resume,
		Role: string(j.role), Agent: j.worker, Dir: j.dir,
		System: text, Model: settings.Model, Effort: settings.Effort, MaxTurns: j.limits.least(settings.MaxTurns), MaxOutput: j.limits.output,
		Tools: builtin, Custom: t.custom(), Plugins: e.plugins(j),
		Roots: j.roots, Readable: e.readable(j), Closed: t.walls.closed, Withheld: t.walls.withheld,
		Authorize: t.authorize, Observe: t.observe, Expires: guards.Expires, Archive: t.archive, Compact: e.c.Compact, LongWaits: j.role == Coordinator, Window: e.window(settings.Model),
		Gate: gate{e: e, row: row, ceiling: j.limits.cost, talk: t},
		Env:  j.role.env(e.c.Env), Fence: j.fence,
	})
	if err != nil {
		return nil, fmt.Errorf("start session '%s' of step '%s': %w", j.session, j.step, err)
	}
	return t, nil
}

// A refusal is an error that the model made and is told of.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// custom are the job's tools, with our own failures kept from the model: they
// abort the turn and come back from say.
func (t *talk) custom() []harness.Tool {
	tools := slices.Clone(t.job.tools)
	for i, tool := range tools {
		call := tool.Call
		tools[i].Call = func(ctx context.Context, id string, input json.RawMessage) (harness.Result, error) {
			r, err := call(ctx, id, input)
			var told refusal
			if err == nil || errors.Is(err, harness.ErrStop) || errors.As(err, &told) || ctx.Err() != nil {
				return r, err // a call that was cut off has not failed
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.failed = errors.Join(t.failed, err)
			return harness.Result{}, fmt.Errorf("%w: %w", harness.ErrAbort, err)
		}
	}
	return tools
}

func (t *talk) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(t.failed, t.jam())
}

func (t *talk) close() error { return t.s.Close() }

func toolNames(tools []harness.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}
