package claude

import (
	"context"
	"errors"
	"slices"
	"sync"

	"git-flower/engine/harness"
	"git-flower/engine/transcript"
	"git-flower/guards"
)

// cutOffText answers a call that an interruption or a crash cut off.
const cutOffText = transcript.CutOff

// reopen reads the session's history when no process runs, and answers what is
// open in it: tools of ours are called again under the same id, others get a
// result that says they were cut off. Nil: the turn goes on.
func (t *turn) reopen() *harness.Ended {
	if t.conn != nil {
		return nil
	}
	if t.history == nil {
		if err := t.load(t.ctx); err != nil {
			return endedWith(t.broken(err))
		}
	}
	open := slices.Clone(t.history.Open)
	for len(open) > 0 {
		n := t.group(open)
		if ended := t.answerOpen(open[:n]); ended != nil {
			return ended
		}
		open = open[n:]
	}
	return nil
}

func endedWith(e harness.Ended) *harness.Ended { return &e }

// group is how many of the first calls run side by side.
func (t *turn) group(calls []transcript.Call) int {
	n := 0
	for n < len(calls) {
		tool, ok := t.custom(calls[n].Tool)
		if !ok || !tool.Parallel {
			break
		}
		n++
	}
	return max(n, 1)
}

func (t *turn) custom(name string) (harness.Tool, bool) {
	i := slices.IndexFunc(t.o.Custom, func(c harness.Tool) bool { return c.Name == ourName(name) })
	if i < 0 {
		return harness.Tool{}, false
	}
	return t.o.Custom[i], true
}

// An outcome is what became of a call that is made again.
type outcome struct {
	result harness.Result
	denied bool
	err    error
}

// answerOpen makes calls again and keeps their results.
func (t *turn) answerOpen(calls []transcript.Call) *harness.Ended {
	all := make([]outcome, len(calls))
	var running sync.WaitGroup
	for i, c := range calls {
		t.out.Emit(harness.ToolCall{ID: c.ID, Tool: ourName(c.Tool), Input: c.Input})
		running.Go(func() { all[i] = t.repeat(t.ctx, c) })
	}
	running.Wait()
	stops := false
	for i, c := range calls {
		o := all[i]
		if errors.Is(o.err, harness.ErrAbort) || t.ctx.Err() != nil && (o.err != nil || o.denied) {
			if errors.Is(context.Cause(t.ctx), harness.ErrInterrupted) {
				o = outcome{result: harness.Result{Text: cutOffText, IsError: true}}
			} else {
				t.quit(errAborted)
				return endedWith(t.end(harness.StopTool))
			}
		}
		stop := errors.Is(o.err, harness.ErrStop)
		stops = stops || stop
		if err := t.keepAnswer(c, o, stop); err != nil {
			return endedWith(t.broken(err))
		}
		t.out.Emit(harness.ToolResult{ID: c.ID, Tool: ourName(c.Tool), Denied: o.denied, Result: o.result})
	}
	switch {
	case t.ctx.Err() != nil:
		return endedWith(t.end(harness.StopInterrupted))
	case stops:
		return endedWith(t.end(harness.StopTool))
	}
	return nil
}

// repeat makes one call again, if it is one of ours.
func (t *turn) repeat(ctx context.Context, c transcript.Call) outcome {
	tool, ok := t.custom(c.Tool)
	if !ok {
		return outcome{result: harness.Result{Text: cutOffText, IsError: true}}
	}
	g := guards.Call{Role: t.o.Role, Agent: t.o.Agent, Tool: tool.Name, Dir: t.o.Dir, Input: c.Input}
	d := t.authorize(ctx, g)
	if !d.Allow {
		return outcome{denied: true, result: harness.Result{Text: d.Reason, IsError: true}}
	}
	if d.Input != nil {
		g.Input = d.Input
	}
	r, err := call(ctx, tool, c.ID, g.Input)
	if err != nil && !errors.Is(err, harness.ErrStop) {
		return outcome{result: harness.Result{Text: err.Error(), IsError: true}, err: err}
	}
	return outcome{result: t.observe(ctx, g, r), err: err}
}

// keepAnswer puts the answer to an open call on disk and into the history.
func (t *turn) keepAnswer(c transcript.Call, o outcome, stops bool) error {
	entry, err := t.history.Answer(c.ID, transcript.Result{
		UUID: newUUID(), Time: t.h.c.Now(), Text: o.result.Text, IsError: o.result.IsError, Denied: o.denied, Stops: stops,
	})
	if err != nil {
		return err
	}
	return t.h.c.Transcript.Append(context.WithoutCancel(t.ctx), t.o.Session, entry)
}
