package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
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
	context  int64       // the fullest so far, in tokens
	warned   bool        // that it is nearly full
	leaving  bool        // the turn was ended so that it hands over
	writing  atomic.Bool // it writes its handoff
	finished func() bool // it has nothing left to do; may be nil

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
		Gate: gate{e: e, row: row, ceiling: j.limits.cost, closing: t.writing.Load, asking: t.asks},
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

// say sends messages and drives the session until its turn ends, over faults
// that pass. A fault that does not pass comes back as a *Pause.
func (t *talk) say(ctx context.Context, messages ...harness.Message) (harness.Ended, error) {
	defer func() { t.e.books.Close(t.row, t.e.deps.Clock.Now()) }()
	defer t.e.ears.attend(func(fresh []gitstate.Doc) { t.hear(ctx, fresh) })()
	if t.owesHandoff() {
		return harness.Ended{}, t.handOver(ctx, nil)
	}
	if past := t.generations(); !t.spoken && twoDegraded(past) && !t.hasStopped(t.e.deps.State.History(), past) {
		return harness.Ended{}, t.giveUp(ctx, past) // a wake was killed before it could
	}
	ended, err := t.converse(ctx, t.withFirst(messages)...)
	switch full := overflowOf(err); {
	case !t.job.handsOver:
	case errors.Is(err, errDue):
		return ended, t.handOver(ctx, nil)
	case full != nil:
		return ended, t.handOver(ctx, full)
	}
	return ended, err
}

// converse sends messages and drives the session until its turn ends.
func (t *talk) converse(ctx context.Context, messages ...harness.Message) (harness.Ended, error) {
	t.spoken = true
	var bad trouble
	for {
		if t.interrupted() {
			note, err := t.takeWords(ctx)
			if err != nil {
				return harness.Ended{}, err
			}
			messages = append(messages, note)
		}
		if err := t.send(ctx, messages); err != nil {
			return harness.Ended{}, err
		}
		ended, err := t.turn(ctx, &bad)
		if err := errors.Join(t.failure(), err); err != nil {
			return ended, err
		}
		if t.left(ended) {
			return ended, errDue
		}
		if ended.Stop == harness.StopInterrupted && t.interrupted() {
			messages = nil
			continue
		}
		if ended.Stop != harness.StopFault {
			return ended, stopped(ctx, ended)
		}
		// The harness was not let ask since nothing can be written down.
		if err := t.e.books.Flush(t.e.deps.Journal); err != nil {
			return ended, err
		}
		if err := t.endure(ctx, ended.Fault, &bad); err != nil {
			return ended, err
		}
		if ended.Fault.Class != harness.Broken { // else what was said may not be kept
			messages = []harness.Message{{}} // the turn is carried on, nothing is said twice
		}
	}
}

// send queues messages for the turn that they begin.
func (t *talk) send(ctx context.Context, messages []harness.Message) error {
	for _, m := range messages {
		if err := t.s.Send(ctx, m); err != nil {
			return fmt.Errorf("send to session '%s': %w", t.job.session, err)
		}
	}
	if !t.interrupted() {
		return nil
	}
	// It came while there was no turn that it could have ended.
	if err := t.s.Interrupt(ctx); err != nil {
		return fmt.Errorf("interrupt session '%s': %w", t.job.session, err)
	}
	return nil
}

// stopped: an interrupted turn is not a finished one.
func stopped(ctx context.Context, ended harness.Ended) error {
	if ended.Stop != harness.StopInterrupted {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return errors.New("the session was interrupted")
}

// turn shows a turn's events until it ends.
func (t *talk) turn(ctx context.Context, bad *trouble) (harness.Ended, error) {
	for {
		ev, err := t.next(ctx)
		if err != nil {
			return harness.Ended{}, fmt.Errorf("session '%s' of step '%s': %w", t.job.session, t.job.step, err)
		}
		if ended, ok := ev.(harness.Ended); ok {
			return ended, nil
		}
		if _, ok := ev.(harness.Responded); ok {
			*bad = trouble{}
			t.e.answers.beat(t.e.deps.Clock.Now())
		}
		t.watch(ev)
		t.show(ev)
		if err := t.weigh(ctx, ev); err != nil {
			return harness.Ended{}, err
		}
	}
}

// watch tells of files that the built-in tools have written.
func (t *talk) watch(ev harness.Event) {
	if t.edited == nil {
		return
	}
	switch ev := ev.(type) {
	case harness.ToolCall:
		var in struct {
			Path string `json:"file_path"`
		}
		if ev.Tool != "Write" && ev.Tool != "Edit" || json.Unmarshal(ev.Input, &in) != nil || in.Path == "" {
			return
		}
		if t.writes == nil {
			t.writes = map[string]string{}
		}
		t.writes[ev.ID] = in.Path
	case harness.ToolResult:
		if path, ok := t.writes[ev.ID]; ok && !ev.Denied {
			t.edited(path)
		}
		delete(t.writes, ev.ID)
	}
}

// endure waits a fault out, or gives up with a save point. An interrupt ends the
// wait.
func (t *talk) endure(ctx context.Context, f *harness.Fault, bad *trouble) error {
	now := t.e.deps.Clock.Now()
	if bad.faults == 0 {
		bad.since = now
	}
	bad.faults++
	t.e.books.Fault(t.row, f.Error())
	wait, again := t.e.c.Patience.retry(*bad, f, now, jitter())
	if !again {
		p := pauseOf(t.job.step, f)
		p.alone = t.e.answers.after(bad.since)
		return p
	}
	ev := t.event(EventRetry)
	ev.Text, ev.State, ev.Wait = f.Message, f.Class.String(), wait.Seconds()
	t.e.emit(ev)
	ev.Text = f.Class.String() + ": " + f.Message
	defer t.e.waiting(ctx, ev, wait)()
	waiting, over := t.between(ctx)
	defer over()
	err := t.e.deps.Clock.Wait(waiting, wait)
	if errors.Is(context.Cause(waiting), harness.ErrInterrupted) {
		return nil
	}
	return err
}

func (t *talk) event(kind string) Event {
	return Event{Kind: kind, Step: t.job.step, Label: t.job.label, Role: string(t.job.role), Worker: t.job.worker, Session: t.job.session}
}

// show turns a harness event into one of ours.
func (t *talk) show(ev harness.Event) {
	out := t.event("")
	switch ev := ev.(type) {
	case harness.Text:
		out.Kind, out.Text = EventText, ev.Text
	case harness.Thinking:
		out.Kind, out.Text = EventThinking, ev.Text
	case harness.ToolCall:
		out.Kind, out.Tool, out.ID, out.Text = EventCall, ev.Tool, ev.ID, summary(ev.Input, t.job.dir)
	case harness.ToolResult:
		out.Kind, out.Tool, out.ID, out.Text = EventResult, ev.Tool, ev.ID, tail(ev.Result.Text, 500)
		switch {
		case ev.Denied:
			out.State = "denied"
		case ev.Result.IsError:
			out.State = "error"
		}
	case harness.Responded:
		out.Kind, out.Context, out.Window = EventResponse, ev.Usage.Context(), t.mark.window
	default:
		return
	}
	t.e.emit(out)
}

// asks is told of each request.
func (t *talk) asks() {
	if t.asked != nil {
		t.asked()
	}
}

func (t *talk) close() error { return t.s.Close() }

func toolNames(tools []harness.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

// newSession makes a session's id.
func newSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return uuid(b)
}

// messageID is the id of a message that is about the given things: the same
// things, the same id, so that a crash cannot make it be said twice.
func messageID(about ...string) string {
	h := sha256.New()
	for _, a := range about {
		fmt.Fprintf(h, "%d:%s", len(a), a)
	}
	return uuid([16]byte(h.Sum(nil)[:16]))
}

func uuid(b [16]byte) string {
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
