package guards

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Policy is what one role, or one worker, may do.
type Policy struct {
	// Role is the role whose calls are judged; calls of any other are denied.
	Role string
	// Agent is the worker whose calls are judged, empty on a role's main thread.
	// Calls of any other agent are denied, but for those of Kinds.
	Agent string
	// Tools are the only tools there are, in Claude Code's names.
	Tools []string
	// Kinds are the types of sub-agents that may be started with Agent or Task,
	// when these are among Tools, and make calls themselves. They may do what
	// this policy allows and no more.
	Kinds []string
	// Glance takes the hands away: Bash runs glances only, and tools that write
	// are denied even when they are listed.
	Glance bool
	// Roots are absolute directories. Tools that name files work below them only;
	// without a root they are denied.
	Roots []string
	// Readable are further directories in which files may be read, not written.
	Readable []string
	// Opened are places for secrets that may be read all the same: absolute, or
	// relative to one of the directories above.
	Opened []string
	// Places tells where a path leads. Nil: a path is judged by its text alone.
	Places Places
}

// Decide judges a call. The call's input may come back rewritten: run that one.
func (p Policy) Decide(c Call) Decision {
	return decide(p, c, bounded, whitelist, delegate, inside)
}

// A wall denies, allows with another input, or has nothing against the call.
type wall func(Policy, Call) Decision

func decide(p Policy, c Call, walls ...wall) (d Decision) {
	defer func() {
		if r := recover(); r != nil {
			d = Deny(fmt.Sprintf("this call could not be judged (%v), so it was not run: write it in another, simpler form", r))
		}
	}()
	for _, w := range walls {
		d := w(p, c)
		if !d.Allow {
			return d
		}
		if d.Input != nil {
			c.Input = d.Input
		}
	}
	return Decision{Allow: true, Input: c.Input}
}

// maxInput is how many bytes a call's input may have. A model's answer is far
// shorter; what is not cannot be judged in good time.
const maxInput = 4 << 20

func bounded(_ Policy, c Call) Decision {
	if len(c.Input) > maxInput {
		return Deny(fmt.Sprintf("the input of this call has %d bytes, and at most %d can be judged: do it in several smaller calls", len(c.Input), maxInput))
	}
	return Allow()
}

// starters are the tools that start sub-agents.
var starters = [...]string{"Agent", "Task"}

func whitelist(p Policy, c Call) Decision {
	switch {
	case p.Role == "":
		return Deny(fmt.Sprintf("there is no role '%s' here, so its calls are not run: end your turn with what you know", told(c.Role)))
	case c.Role != p.Role:
		return Deny(fmt.Sprintf("this session is the %s's, and calls of the role '%s' are not run in it: end your turn with what you know", p.Role, told(c.Role)))
	case c.Agent != p.Agent && !slices.Contains(p.Kinds, c.Agent):
		return Deny(fmt.Sprintf("'%s' is not an agent of this run, so its calls are not run: report what you have found to the one who started you", told(c.Agent)))
	case !slices.Contains(p.Tools, c.Tool):
		return Deny(notListed(p, c.Tool))
	case slices.Contains(starters[:], c.Tool):
		return declared(p, c)
	}
	return Allow()
}

// notListed says that a tool's absence is meant, and which ones there are:
// models that hold it for a fault look for a way around it.
func notListed(p Policy, tool string) string {
	there := strings.Join(p.Tools, ", ")
	switch {
	case len(p.Tools) == 0:
		return fmt.Sprintf("the %s has no tools, on purpose: answer from what you were told", p.Role)
	case p.Glance:
		return fmt.Sprintf("the %s has no %s, on purpose: give the work to a worker with dispatch. Your tools are %s", p.Role, told(tool), there)
	}
	return fmt.Sprintf("the %s has no %s, on purpose: nothing is set up wrongly. Your tools are %s. What they do not cover, name in your answer as still open", p.Role, told(tool), there)
}

// declared denies sub-agents that nobody has declared: a built-in kind would
// have neither the rules nor the limits of ours.
func declared(p Policy, c Call) Decision {
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.Input, &fields) != nil {
		return Deny(needsObject(c.Tool))
	}
	kind, ok := field(fields, "subagent_type")
	if ok && kind != "" && slices.Contains(p.Kinds, kind) {
		return Allow()
	}
	if len(p.Kinds) == 0 {
		return Deny("there are no sub-agents here, on purpose: do it with the tools you have")
	}
	return Deny(fmt.Sprintf("there is no sub-agent '%s': set subagent_type to one of %s", told(kind), strings.Join(p.Kinds, ", ")))
}

func needsObject(tool string) string {
	return fmt.Sprintf("the input of %s has to be a JSON object: write it as its schema says", tool)
}

// writers change files by their nature.
var writers = [...]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}

func delegate(p Policy, c Call) Decision {
	if !p.Glance {
		return Allow()
	}
	if slices.Contains(writers[:], c.Tool) {
		return Deny(fmt.Sprintf("the %s writes no files, on purpose: say in a task what is to be written, and give it to a worker with dispatch", p.Role))
	}
	if c.Tool != "Bash" {
		return Allow()
	}
	return glance(p, c)
}

// glance judges a Bash call and puts the printed command in the place of what
// the model wrote. Of what may hold secrets it may look at the files that the tool
// Read may: those that the person has opened.
func glance(p Policy, c Call) Decision {
	command, why := bashCommand(c.Input)
	if why != "" {
		return Deny(why)
	}
	l := look(c.Dir, command)
	if l.why != "" {
		return Deny(refusal(l.why))
	}
	for _, s := range l.secrets {
		if s.path == "" || !mayRead(p, c, s.path) {
			return Deny(secretReason(s.told))
		}
	}
	return withCommand(c.Input, l.printed)
}

// mayRead tells whether the tool Read would read a file where a call is made.
func mayRead(p Policy, c Call, path string) bool {
	input, err := json.Marshal(map[string]string{"file_path": path})
	return err == nil && inside(p, Call{Tool: "Read", Dir: c.Dir, Input: input}).Allow
}
