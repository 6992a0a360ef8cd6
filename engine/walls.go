package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/guards"
)

// judgeTime is how long the judging of a call may take. It looks at a few files,
// which takes microseconds, unless one lies on a file system that hangs.
const judgeTime = 10 * time.Second

// walls stand around one session: every call it wants to make comes through
// authorize, and what came of those that were made through ran. A session that
// is carried on begins with an empty past; that costs a few calls at most.
type walls struct {
	policy guards.Policy
	opened func() []string // places for secrets that may be read
	limit  time.Duration
	stuck  func(tool string) // called when the session makes one refused call and hardly anything else

	mu   sync.Mutex
	past []guards.Made
}

// authorize judges a call. It may be called from several goroutines.
func (w *walls) authorize(ctx context.Context, c guards.Call) guards.Decision {
	d := w.timely(ctx, c)
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.Allow {
		if d.Input != nil {
			c.Input = d.Input
		}
		again := guards.Repeats(w.past, c)
		if again.Allow {
			return d
		}
		d = again
	} else {
		d = guards.Told(w.past, c, d)
	}
	w.past = guards.Remember(w.past, guards.Refused(c))
	if guards.Stuck(w.past, c) {
		w.stuck(c.Tool)
	}
	return d
}

// timely denies what is not judged in time. The judging itself cannot be ended:
// it is left, and its answer is dropped.
func (w *walls) timely(ctx context.Context, c guards.Call) guards.Decision {
	answer := make(chan guards.Decision, 1)
	go func() { answer <- w.judge(c) }()
	timer := time.NewTimer(w.limit)
	defer timer.Stop()
	select {
	case d := <-answer:
		return d
	case <-timer.C:
		return guards.Deny(fmt.Sprintf("this call could not be judged within %s, so it was not run: the file system may hang, try it with another path", w.limit))
	case <-ctx.Done():
		return guards.Deny("the session is being interrupted, so this call was not run")
	}
}

func (w *walls) judge(c guards.Call) (d guards.Decision) {
	defer func() {
		if p := recover(); p != nil {
			d = guards.Deny(fmt.Sprintf("this call could not be judged (%v), so it was not run: write it in another, simpler form", p))
		}
	}()
	return w.current().Decide(c)
}

// current is the policy with what the person has opened by now.
func (w *walls) current() guards.Policy {
	p := w.policy
	p.Opened = w.opened()
	return p
}

// closed tells whether the contents of a file are withheld.
func (w *walls) closed(path string) bool {
	return guards.Secret(path) && w.current().Closed(path)
}

// withheld are patterns of the files whose contents are withheld.
func (w *walls) withheld() []string { return w.current().Withheld() }

// ran remembers what a call gave.
func (w *walls) ran(c guards.Call, result string) {
	made := guards.Ran(c, result)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.past = guards.Remember(w.past, made)
}

// opened are the places for secrets that the person's words open, or the brief
// with them.
func opened(h gitstate.History) []string {
	var person []string
	for _, kind := range []gitstate.Kind{gitstate.KindRequest, gitstate.KindAmendment, gitstate.KindAnswer} {
		for _, d := range h.Of(kind) {
			person = append(person, d.Body)
		}
	}
	current, _ := h.Current(gitstate.KindBrief)
	brief := document.ParseBrief(current.Body)
	return guards.Opened(person, brief.Boundaries, brief.Acceptance)
}

// wallsFor are the walls of a job's session. tools are the names of all it is offered.
func (e *Engine) wallsFor(j job, tools []string) *walls {
	policy := j.role.policy(tools, j.roots, e.readable(j))
	policy.Agent, policy.Places = j.worker, places{}
	return &walls{
		policy: policy, limit: judgeTime,
		opened: func() []string { return opened(e.deps.State.History()) },
	}
}

// plugins are the packs of a job.
func (e *Engine) plugins(j job) []string {
	if j.role != Worker {
		return nil
	}
	return e.c.Plugins
}

// readable are the folders in which a job's file tools may read.
func (e *Engine) readable(j job) []string {
	return slices.DeleteFunc(append([]string{j.dir, e.c.Bench}, e.plugins(j)...), func(dir string) bool { return dir == "" })
}

// stuckIn is how a session ends that does nothing but repeat a refused call.
func (t *talk) stuckIn(ctx context.Context) func(tool string) {
	return func(tool string) {
		t.mu.Lock()
		t.jammed = tool
		t.mu.Unlock()
		// Its turn is at this very call, so there is one to interrupt; when it
		// has ended meanwhile, there is nothing to stop.
		_ = t.s.Interrupt(ctx)
	}
}

// jam is the fault of a session that got stuck, or nil. The caller holds mu.
func (t *talk) jam() error {
	if t.jammed == "" {
		return nil
	}
	return pauseOf(t.job.step, &harness.Fault{
		Class:   harness.Refused,
		Message: fmt.Sprintf("the session makes the same refused call of %s again and again, and nothing else", t.jammed),
	})
}
