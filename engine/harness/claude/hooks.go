package claude

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-flower/engine/harness"
	"git-flower/guards"
)

// hookTime is what a hook may take, in seconds; after it the call is denied.
const hookTime = 3600

// hooks are what the CLI is told of ours. A failure blocks: the CLI's own way
// is to run the tool all the same.
func hooks() map[string]any {
	h := map[string]any{}
	for _, event := range []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"} {
		h[event] = []any{map[string]any{"matcher": nil, "hookCallbackIds": []string{event}, "timeout": hookTime, "onFailure": "block"}}
	}
	return h
}

// answer answers a request of the CLI's; see conn.
func (s *session) answer(ctx context.Context, r request) (any, error) {
	switch r.Subtype {
	case "hook_callback":
		return s.hook(ctx, r.Input)
	case "mcp_message":
		return s.tools.take(ctx, r.Server, r.Message)
	case "can_use_tool":
		// Only what a guard has let pass comes here: one of the CLI's own checks
		// found it dangerous, and nobody is there to ask.
		return map[string]any{"behavior": "deny", "message": "This call was held to be dangerous and was not run. Do it in another way, or say what is in the way."}, nil
	}
	return nil, fmt.Errorf("'%s' is not answered here", r.Subtype)
}

func (s *session) hook(ctx context.Context, in hookInput) (any, error) {
	switch in.Event {
	case "PreToolUse":
		return s.before(ctx, in), nil
	case "PostToolUse":
		return s.after(ctx, in), nil
	case "PostToolUseFailure":
		return s.afterFailure(ctx, in), nil
	}
	return map[string]any{}, nil
}

// before asks the guards. A session that cannot write makes no calls.
func (s *session) before(ctx context.Context, in hookInput) any {
	if err := s.kept(ctx, in); err != nil {
		if !errors.Is(err, errShut) {
			return s.unanswered(ctx, err)
		}
		return denied("This call was not made: the turn is over.")
	}
	if s.purse != nil && in.AgentID == "" {
		if err := s.purse.admit(ctx); err != nil {
			return s.unanswered(ctx, gateFault(err))
		}
	}
	d := s.authorize(ctx, s.call(in))
	if !d.Allow {
		if d.Reason == "" {
			d.Reason = "This call is not allowed here."
		}
		return denied(d.Reason)
	}
	out := map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "allow"}
	if d.Input != nil && string(d.Input) != string(in.Input) {
		out["updatedInput"] = d.Input
	}
	return map[string]any{"hookSpecificOutput": out}
}

// kept waits until the answer that holds a call is on disk, where it matters: a
// call of ours that a crash forgot would be made again under another id, and
// without a proxy the answer has to be paid before the next request. The CLI
// mirrors what it writes every tenth of a second, so that waiting for each of its
// own calls would double what a turn costs besides the model (70 ms measured); of
// those a crash can forget the newest.
func (s *session) kept(ctx context.Context, in hookInput) error {
	if s.purse != nil || strings.HasPrefix(in.Tool, toolPrefix) {
		return s.keeper.await(ctx, callKey(in.ToolUseID))
	}
	return s.keeper.failure()
}

// unanswered breaks the turn and answers nothing: told of a refusal, the CLI
// would make its next request.
func (s *session) unanswered(ctx context.Context, err error) any {
	if s.fail(err) {
		<-ctx.Done() // the process ends with the turn
	}
	return denied("This call was not made: the turn is over.")
}

func denied(reason string) any {
	return map[string]any{"hookSpecificOutput": map[string]any{
		"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}}
}

// call is what the guards are asked about. Inside a sub-agent the agent is its
// kind.
func (s *session) call(in hookInput) guards.Call {
	c := guards.Call{Role: s.o.Role, Agent: s.o.Agent, Tool: ourName(in.Tool), Dir: s.o.Dir, Input: in.Input}
	if in.AgentID != "" {
		c.Agent = in.AgentType
		if in.Dir != "" {
			c.Dir = in.Dir
		}
	}
	return c
}

// ourName is the name by which the engine knows a tool.
func ourName(tool string) string {
	if name, ok := strings.CutPrefix(tool, toolPrefix); ok {
		return name
	}
	if tool == "Task" {
		return "Agent" // older versions, and the init line
	}
	return tool
}

// authorize asks the guards; a guard that panics denies.
func (s *session) authorize(ctx context.Context, c guards.Call) (d guards.Decision) {
	defer func() {
		if p := recover(); p != nil {
			d = guards.Deny(fmt.Sprintf("This call could not be judged (%v), so it was not run.", p))
		}
	}()
	if s.o.Authorize == nil {
		return guards.Deny("nobody allows anything here")
	}
	if c.Tool == "Skill" && !s.hasSkill(c.Input) {
		return guards.Deny("There is no such skill here, on purpose: only those of " + strings.Join(s.packs, ", ") + " are ours. Go on without it.")
	}
	return s.o.Authorize(ctx, c)
}

// observe shows a result; an observer that panics changes nothing.
func (s *session) observe(ctx context.Context, c guards.Call, r harness.Result) (seen harness.Result) {
	if s.o.Observe == nil {
		return r
	}
	defer func() {
		if p := recover(); p != nil {
			seen = r
		}
	}()
	return s.o.Observe(ctx, c, r)
}

// after shows a result to the observer and puts back what that makes of it. The
// results of our own tools were shown when they were made (mcp.go).
func (s *session) after(ctx context.Context, in hookInput) any {
	out := map[string]any{}
	if s.stopping(in.ToolUseID) {
		out["continue"], out["stopReason"] = false, "the turn is over"
	}
	if strings.HasPrefix(in.Tool, toolPrefix) {
		return out
	}
	c, specific := s.call(in), map[string]any{"hookEventName": "PostToolUse"}
	if (c.Tool == "Grep" || c.Tool == "Glob") && s.o.Closed != nil {
		if open, changed := withoutClosed(in.Response, c.Dir, s.o.Closed); changed {
			in.Response = open
			specific["updatedToolOutput"] = open
		}
	}
	was := textOf(in.Response)
	seen := s.observe(ctx, c, harness.Result{Text: was}).Text
	if seen == was && len(specific) == 1 {
		return out
	}
	if added, ok := strings.CutPrefix(seen, was); ok {
		if added = strings.TrimSpace(added); added != "" {
			specific["additionalContext"] = added
		}
	} else {
		specific["updatedToolOutput"] = withText(in.Response, seen)
	}
	out["hookSpecificOutput"] = specific
	return out
}

// afterFailure shows a failed call to the observer. Of what that says only an
// addition reaches the model: there is no way to replace an error.
func (s *session) afterFailure(ctx context.Context, in hookInput) any {
	if strings.HasPrefix(in.Tool, toolPrefix) {
		return map[string]any{}
	}
	seen := s.observe(ctx, s.call(in), harness.Result{Text: in.Error, IsError: true}).Text
	added, ok := strings.CutPrefix(seen, in.Error)
	if !ok || added == "" {
		return map[string]any{}
	}
	return map[string]any{"hookSpecificOutput": map[string]any{
		"hookEventName": "PostToolUseFailure", "additionalContext": strings.TrimSpace(added)}}
}
