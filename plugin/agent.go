package plugin

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Limits of agents. A name is part of a worker's, which has 48 letters with its
// number.
const (
	maxAgents    = 16
	maxAgentName = 40
)

// An Agent is a kind of worker.
type Agent struct {
	File        string
	Name        string
	Description string // what it is for; one line
	Prompt      string

	// Tools are the only ones it wants, nil for all; Denied are those it does not
	// want. See Narrow.
	Tools  []string
	Denied []string

	Model    string // an alias or a name; empty: as other workers
	Effort   string // empty: as other workers
	MaxTurns int    // zero: as other workers
}

// agents are those that can be used.
func (f *Files) agents() []Agent {
	var all []Agent
	files := map[string]string{} // by name
	for _, file := range f.below("agents") {
		if !strings.HasSuffix(file, ".md") {
			f.problem(file, 0, "left out: agents/ holds files of Markdown (.md)")
			continue
		}
		a, ok := f.agent(file)
		switch {
		case !ok:
		case files[a.Name] != "":
			f.problem(file, 0, "not loaded: '%s' is the agent of %s already", a.Name, files[a.Name])
		case len(all) == maxAgents:
			f.problem(file, 0, "not loaded: there are %d agents already, and there may be no more", maxAgents)
		default:
			all, files[a.Name] = append(all, a), file
		}
	}
	slices.SortFunc(all, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (f *Files) agent(file string) (a Agent, ok bool) {
	h, body, ok := f.described(file)
	if !ok {
		return a, false
	}
	a = Agent{File: file, Name: h["name"].text, Description: description(h), Prompt: body}
	if a.Name == "" {
		a.Name = strings.TrimSuffix(path.Base(file), ".md")
	}
	if why := wrongKind(a.Name); why != "" {
		f.problem(file, h["name"].line, "not loaded: the agent's name %s", why)
		return a, false
	}
	if !f.tools(&a, h) {
		return a, false
	}
	a.Model, a.Effort = scalarOf(h["model"]), scalarOf(h["effort"])
	if a.Model == "inherit" {
		a.Model = ""
	}
	if turns := h["maxTurns"]; turns.kind != null && turns.line > 0 {
		n, err := strconv.Atoi(turns.text)
		if err != nil || n < 1 || n > 1e6 {
			f.problem(file, turns.line, "'maxTurns' is not a whole number from 1, and has no effect")
			n = 0
		}
		a.MaxTurns = n
	}
	f.notHeld(file, h, "hooks", "mcpServers", "permissionMode", "skills", "memory", "background", "isolation", "initialPrompt")
	return a, true
}

// tools reads what an agent wants. Where that cannot be understood the agent is not
// loaded: it might have meant to take something away.
func (f *Files) tools(a *Agent, h head) bool {
	for _, name := range []string{"tools", "disallowedTools"} {
		v, there := h[name]
		switch {
		case !there:
			continue
		case v.kind == other:
			f.problem(a.File, v.line, "not loaded: '%s' is neither a text nor a list of texts", name)
			return false
		case name == "tools":
			a.Tools = v.words()
		default:
			a.Denied = v.words()
		}
	}
	return true
}

func scalarOf(v value) string { return cut(oneLine(v.text), maxName) }

// wrongKind says why a name cannot be that of a kind of worker.
func wrongKind(name string) string {
	if why := wrongIdentifier(name); why != "" {
		return why
	}
	if len(name) > maxAgentName {
		return fmt.Sprintf("is longer than %d letters", maxAgentName)
	}
	if _, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:]); err == nil {
		return fmt.Sprintf("'%s' ends in a number, as names of workers do", name)
	}
	return ""
}

// together are tools that are of no use without another one, and come and go with it.
var together = map[string]string{"BashOutput": "Bash", "KillShell": "Bash"}

// Narrow is what of the tools that a worker has an agent gets, in their order. It
// is never more. left are the agent's words that name none of them, or only a part
// of one, such as "Bash(git *)": nothing could hold it to that part, so it is not
// given, and what denies a part denies the whole.
func (a Agent) Narrow(has []string) (gets, left []string) {
	denied := map[string]bool{}
	for _, word := range a.Denied {
		name, _, _ := strings.Cut(word, "(")
		denied[strings.TrimSpace(name)] = true
	}
	for _, tool := range has {
		base := tool
		if of, ok := together[tool]; ok {
			base = of
		}
		wanted := a.Tools == nil || slices.Contains(a.Tools, tool) || slices.Contains(a.Tools, base)
		if wanted && !denied[tool] && !denied[base] && !denied["*"] {
			gets = append(gets, tool)
		}
	}
	for _, word := range a.Tools {
		if !slices.Contains(has, word) && !slices.Contains(left, word) {
			left = append(left, word)
		}
	}
	return gets, left
}
