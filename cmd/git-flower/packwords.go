package main

import (
	"fmt"
	"strings"
)

// lines are what the banner and doctor tell of a pack, the first in short.
func (c *carried) lines() (first string, more []string) {
	if c.pack != nil {
		first = c.pack.Name
		if c.pack.Version != "" {
			first += " " + c.pack.Version
		}
		first += fmt.Sprintf(" (%s): %s", c.tree.Short(), plural(len(c.pack.Skills), "skill"))
		for i, k := range c.kinds {
			first += map[bool]string{true: ", workers also of kind ", false: ", "}[i == 0] + k.Name
			if k.Model != "" {
				first += " (" + k.Model + ")"
			}
		}
		if inert := c.inert(); inert != "" {
			more = append(more, "not run: "+inert)
		}
		more = append(more, c.problems...)
	}
	if c.note != "" {
		more = append(more, c.note)
	}
	for i := range more {
		more[i] = oneLine(more[i])
	}
	return oneLine(first), more
}

// inert names what a pack has and nobody runs.
func (c *carried) inert() string {
	var all []string
	if len(c.pack.Hooks) > 0 {
		all = append(all, "hooks for "+strings.Join(c.pack.Hooks, ", "))
	}
	if len(c.pack.MCPServers) > 0 {
		all = append(all, "MCP servers "+strings.Join(c.pack.MCPServers, ", "))
	}
	return strings.Join(append(all, c.pack.Unused...), "; ")
}

// mostLines is how much the banner tells of a pack; doctor tells all of it.
const mostLines = 8

// packWords are the banner's about the run's pack, a line for each thing.
func (w *wake) packWords() string {
	first, more := w.pack.lines()
	if first == "" && len(more) > 0 {
		first = noPack
	}
	if left := len(more) - mostLines; left > 0 {
		more = append(more[:mostLines:mostLines], fmt.Sprintf("and %d more; \"git flower doctor\" tells all of the pack in HEAD", left))
	}
	return strings.Join(append([]string{first}, more...), "\n")
}

// warnPack says it where no banner is shown.
func (w *wake) warnPack() {
	if _, more := w.pack.lines(); len(more) > 0 {
		say(w.env.Err, "warning", "pack: "+strings.Join(more[:min(len(more), mostLines)], "\npack: "))
	}
}
