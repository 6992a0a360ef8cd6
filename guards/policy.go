package guards

import (
	"fmt"
	"slices"
	"strings"
)

// A Policy is what one role, or one worker, may do.
type Policy struct {
	// Role is the role whose calls are judged; calls of any other are denied.
	Role string
	// Tools are the only tools there are, in Claude Code's names.
	Tools []string
	// Glance takes the hands away: Bash runs glances only, and tools that write
	// are denied even when they are listed.
	Glance bool
	// Roots are absolute directories. Tools that name files work below them only;
	// without a root they are denied.
	Roots []string
	// Readable are further directories in which files may be read, not written.
	Readable []string
}

// Decide judges a call. The call's input may come back rewritten: run that one.
func (p Policy) Decide(c Call) Decision {
	return decide(p, c, whitelist, delegate, inside)
}

// A wall denies, allows with another input, or has nothing against the call.
type wall func(Policy, Call) Decision

func decide(p Policy, c Call, walls ...wall) (d Decision) {
	defer func() {
		if r := recover(); r != nil {
			d = Deny(fmt.Sprintf("this call could not be judged (%v), so it is refused; try it in another form", r))
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

func whitelist(p Policy, c Call) Decision {
	if c.Role != p.Role || p.Role == "" {
		return Deny(fmt.Sprintf("nothing is allowed to the role '%s' here", c.Role))
	}
	if slices.Contains(p.Tools, c.Tool) {
		return Allow()
	}
	if p.Glance {
		return Deny(fmt.Sprintf("%s is not a tool of the %s: give the work to a worker with dispatch", c.Tool, p.Role))
	}
	return Deny(fmt.Sprintf("%s is not a tool of the %s; these are: %s", c.Tool, p.Role, strings.Join(p.Tools, ", ")))
}

// writers change files by their nature.
var writers = [...]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}

func delegate(p Policy, c Call) Decision {
	if !p.Glance {
		return Allow()
	}
	if slices.Contains(writers[:], c.Tool) {
		return Deny(fmt.Sprintf("the %s does not write files: give the work to a worker with dispatch", p.Role))
	}
	if c.Tool != "Bash" {
		return Allow()
	}
	return glance(c)
}

// glance judges a Bash call and puts the printed command in the place of what
// the model wrote.
func glance(c Call) Decision {
	command, why := bashCommand(c.Input)
	if why != "" {
		return Deny(why)
	}
	l := look(c.Dir, command)
	if l.why != "" {
		return Deny(refusal(l.why))
	}
	if len(l.secrets) > 0 {
		return Deny(secretReason(l.secrets[0]))
	}
	return withCommand(c.Input, l.printed)
}
