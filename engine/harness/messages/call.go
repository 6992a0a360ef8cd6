package messages

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"git-flower/engine/harness"
	"git-flower/engine/rawjson"
	"git-flower/engine/transcript"
	"git-flower/guards"
)

// cutOffText answers a call that an interruption or a crash cut off.
const cutOffText = transcript.CutOff

// sideBySide is how many calls of one answer run at once.
const sideBySide = 16

// maxResult is how many bytes of a result's text are kept; the middle goes.
const maxResult = 400_000

// An outcome is what became of a call.
type outcome struct {
	call   call
	result harness.Result
	denied bool
	stops  bool // the tool ended the turn
	cut    bool // the context ended in the middle, or the tool aborted the turn
}

// perform runs the calls of one answer: those that may run side by side in
// groups, the others one by one, in the order of the calls. Results are kept
// as they arrive; the request puts them into call order.
func (t *turn) perform(ctx context.Context, calls []call) *harness.Ended {
	for len(calls) > 0 && ctx.Err() == nil && !t.stopped && !t.aborted {
		n := t.tools.group(calls)
		if err := t.performGroup(ctx, calls[:n]); err != nil {
			return t.fail(ctx, t.broken(err))
		}
		calls = calls[n:]
	}
	switch {
	case interrupted(ctx):
		if err := t.answerAll(ctx, t.convo.open(), cutOffText); err != nil {
			return t.fail(ctx, t.broken(err))
		}
		return t.end(harness.StopInterrupted)
	case left(ctx):
		return t.end(harness.StopInterrupted)
	case t.aborted:
		return t.end(harness.StopTool)
	case t.stopped:
		if err := t.answerAll(ctx, calls, notRunText); err != nil {
			return t.fail(ctx, t.broken(err))
		}
		return t.end(harness.StopTool)
	}
	return nil
}

// performGroup runs calls side by side and waits for all of them.
func (t *turn) performGroup(ctx context.Context, calls []call) error {
	done := make(chan outcome, len(calls))
	for _, k := range calls {
		t.announce(k)
	}
	if len(calls) == 1 {
		done <- t.run(ctx, calls[0])
	} else {
		for _, k := range calls {
			go func() { done <- t.run(ctx, k) }()
		}
	}
	var failed error
	for range calls {
		o := <-done
		if o.cut || failed != nil {
			t.aborted = t.aborted || o.stops
			continue // stays open: an interruption answers it, or the next turn
		}
		if failed = t.answer(ctx, o.call, o.result, o.denied, o.stops); failed != nil {
			continue
		}
		t.stopped = t.stopped || o.stops
		t.out.Emit(harness.ToolResult{ID: o.call.id, Tool: o.call.name, Denied: o.denied, Result: o.result})
	}
	return failed
}

// reopen answers calls that a crash or a fault left open: tools of ours are
// called again under the same id, and so are those that only look; the others
// are told that they were cut off.
func (t *turn) reopen(ctx context.Context, open []call) *harness.Ended {
	var again []call
	for _, k := range open {
		if t.tools.again(k.name) {
			again = append(again, k)
			continue
		}
		if err := t.answerAll(ctx, []call{k}, cutOffText); err != nil {
			return t.fail(ctx, t.broken(err))
		}
	}
	return t.perform(ctx, again)
}

// run asks the guards and performs one call. It may be called from several
// goroutines at once.
func (t *turn) run(ctx context.Context, k call) outcome {
	o := outcome{call: k}
	tool, known := t.tools.find(k.name)
	switch {
	case !known:
		o.result = errorResult(fmt.Sprintf("There is no tool '%s'. There are: %s.", k.name, strings.Join(t.tools.names(), ", ")))
		return o
	case k.bad != "":
		o.result = errorResult("The input of this call is no JSON object, so it was not run. It began: " + head(k.bad, 200))
		return o
	}
	g := guards.Call{Role: t.o.Role, Agent: t.o.Agent, Tool: k.name, Dir: t.o.Dir, Input: k.input}
	d := t.authorize(ctx, g)
	if ctx.Err() != nil {
		o.cut = true // a guard that was interrupted has not judged
		return o
	}
	if !d.Allow {
		o.denied, o.result = true, errorResult(d.Reason)
		if d.Reason == "" {
			o.result.Text = "This call is not allowed here."
		}
		return o
	}
	if d.Input != nil {
		g.Input = d.Input
	}
	var err error
	o.result, err = protected(func() (harness.Result, error) { return tool.call(ctx, k.id, g.Input) })
	switch {
	case errors.Is(err, harness.ErrStop):
		o.stops = true
	case errors.Is(err, harness.ErrAbort):
		o.cut, o.stops = true, true
		return o
	case err != nil && ctx.Err() != nil:
		o.cut = true
		return o
	case err != nil:
		o.result = errorResult(err.Error())
	}
	o.result = capped(t.observe(ctx, g, o.result))
	return o
}

func (t *turn) authorize(ctx context.Context, g guards.Call) (d guards.Decision) {
	if t.o.Authorize == nil {
		return guards.Deny("Nothing is allowed in this session.")
	}
	defer func() {
		if p := recover(); p != nil {
			d = guards.Deny(fmt.Sprintf("The guard failed (%v), so the call was not run.", p))
		}
	}()
	return t.o.Authorize(ctx, g)
}

func (t *turn) observe(ctx context.Context, g guards.Call, r harness.Result) (out harness.Result) {
	if t.o.Observe == nil {
		return r
	}
	defer func() {
		if recover() != nil {
			out = r
		}
	}()
	return t.o.Observe(ctx, g, r)
}

// protected turns a panic of a tool into an error: nobody is there to see it,
// and the run has to go on.
func protected(f func() (harness.Result, error)) (r harness.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool failed: %v\n%s", p, head(string(debug.Stack()), 2000))
		}
	}()
	return f()
}

func errorResult(text string) harness.Result { return harness.Result{Text: text, IsError: true} }

// capped bounds a result's text.
func capped(r harness.Result) harness.Result {
	if len(r.Text) > maxResult {
		half := maxResult / 2
		r.Text = fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", r.Text[:half], len(r.Text)-2*half, r.Text[len(r.Text)-half:])
	}
	return r
}

// resultBlock is a result as the API takes it.
func resultBlock(id string, r harness.Result) json.RawMessage {
	var content []json.RawMessage
	if r.Image != nil {
		source := object([]member{{"type", json.RawMessage(`"base64"`)}, {"media_type", quoted(r.Image.MediaType)},
			{"data", quoted(base64.StdEncoding.EncodeToString(r.Image.Data))}})
		content = append(content, object([]member{{"type", json.RawMessage(`"image"`)}, {"source", source}}))
	}
	if r.Text == "" && r.Image == nil {
		r.Text = "(no output)"
	}
	if r.Text != "" {
		content = append(content, textBlock(r.Text))
	}
	b := []member{{"type", json.RawMessage(`"tool_result"`)}, {"tool_use_id", quoted(id)}, {"content", rawjson.Array(content)}}
	if r.IsError {
		b = append(b, member{"is_error", json.RawMessage("true")})
	}
	return object(b)
}

// head is the beginning of a text, cut at a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
