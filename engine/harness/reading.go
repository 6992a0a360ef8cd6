package harness

import (
	"slices"

	"git-flower/engine/transcript"
	"git-flower/guards"
)

// Reading is how the session's stored transcript is read when it is resumed.
// carryOn is transcript.Options.CarryOn; ourName gives the name that a tool has
// for the engine.
func (o Options) Reading(carryOn string, ourName func(string) string) transcript.Options {
	call := func(c transcript.Call) guards.Call {
		return guards.Call{Role: o.Role, Agent: o.Agent, Tool: ourName(c.Tool), Dir: o.Dir, Input: c.Input}
	}
	r := transcript.Options{CarryOn: carryOn, Keep: func(c transcript.Call) bool { return o.remembers(ourName(c.Tool)) }}
	if o.Expires != nil {
		r.Expires = func(c transcript.Call) bool { return o.Expires(call(c)) }
	}
	if o.Archive != nil {
		r.Point = func(c transcript.Call, text string) string { return o.Archive(call(c), text) }
	}
	return r
}

// remembers says whether a tool's results are what the session goes by: reports,
// answers of a person, its own list of what is to be done, a pack's rules.
func (o Options) remembers(tool string) bool {
	return tool == "TodoWrite" || tool == "Skill" || slices.ContainsFunc(o.Custom, func(t Tool) bool { return t.Name == tool })
}
