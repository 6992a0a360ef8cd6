package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/harness"
	"git-flower/plugin"
)

// Coder is the built-in kind of worker, with all that a worker may have.
const Coder = "coder"

// WorkerTools are the harness's tools of a coder; a kind has some of them.
func WorkerTools() []string { return Worker.builtin() }

// KindTaken reports whether a name cannot be that of a pack's kind of worker: it
// is a role's or a built-in kind's, whose settings it would take.
func KindTaken(name string) bool {
	return name == Coder || slices.Contains([]Role{Coordinator, Worker, Clarifier, Judge, Oracle}, Role(name))
}

// kindOf finds the kind of a worker by its name, "<kind>-<n>". A kind of none of
// the packs is none: its worker must not go on with more than it began with.
func (e *Engine) kindOf(worker string) (plugin.Agent, bool) {
	name := worker
	if i := strings.LastIndexByte(worker, '-'); i >= 0 {
		name = worker[:i]
	}
	return e.kind(name)
}

func (e *Engine) kind(name string) (plugin.Agent, bool) {
	if name == Coder {
		return plugin.Agent{Name: Coder}, true
	}
	i := slices.IndexFunc(e.c.Kinds, func(k plugin.Agent) bool { return k.Name == name && !KindTaken(name) })
	if i < 0 {
		return plugin.Agent{}, false
	}
	return e.c.Kinds[i], true
}

// kindFor is the kind of a job's worker, and none of any other role. That there is
// no such kind is the worker's own problem, not the run's.
func (e *Engine) kindFor(j job) (plugin.Agent, error) {
	if j.role != Worker {
		return plugin.Agent{}, nil
	}
	k, ok := e.kindOf(j.worker)
	if !ok {
		return k, &Pause{Step: j.step, Err: &harness.Fault{
			Class:   harness.Invalid,
			Message: fmt.Sprintf("there is no kind of worker for '%s': the pack that describes it is not loaded", line(j.worker, 60)),
		}}
	}
	return k, nil
}

// builtinOf are the harness's tools of a job: its role's, of which a kind gets
// fewer at most, as far as the harness has them.
func (e *Engine) builtinOf(j job, k plugin.Agent) []string {
	tools := j.role.builtin()
	if j.shell {
		tools = append(tools, "Bash")
	}
	if j.role == Worker {
		tools, _ = k.Narrow(tools)
	}
	have := e.deps.Harness.Tools()
	return slices.DeleteFunc(tools, func(t string) bool { return !slices.Contains(have, t) })
}

// settings are a job's: what the user set for the kind, else what the pack says of
// it, else what holds for the role, whose turns a pack may only make fewer.
func (e *Engine) settings(r Role, k plugin.Agent) RoleConfig {
	s, kind := e.c.Roles[r], RoleConfig{}
	if s.Model = e.model(r); r != Worker || k.Name == Coder {
		return s
	}
	kind = e.c.Roles[Role(k.Name)]
	for _, from := range []RoleConfig{{Model: k.Model, Effort: k.Effort}, kind} {
		if from.Model != "" {
			s.Model = from.Model
		}
		if from.Effort != "" {
			s.Effort = from.Effort
		}
	}
	if s.MaxTurns = (limits{turns: k.MaxTurns}).least(s.MaxTurns); kind.MaxTurns > 0 {
		s.MaxTurns = kind.MaxTurns
	}
	return s
}

// kinds are the names of all kinds of workers.
func (e *Engine) kinds() []string {
	names := []string{Coder}
	for _, k := range e.c.Kinds {
		if !KindTaken(k.Name) {
			names = append(names, k.Name)
		}
	}
	return names
}

// kindWords tell the coordinator what there is to choose from.
func (e *Engine) kindWords() string {
	words := "Kinds of workers:\n- coder: reads, writes, runs and verifies code. It is the one for whatever no other is for."
	for _, name := range e.kinds()[1:] {
		k, _ := e.kind(name)
		words += fmt.Sprintf("\n- %s: %s", name, k.Description)
		if has := e.builtinOf(job{role: Worker}, k); len(has) < len(e.builtinOf(job{role: Worker}, plugin.Agent{})) {
			words += fmt.Sprintf(" (its only tools: %s)", strings.Join(has, ", "))
		}
	}
	return words
}

// dispatchSchema is the schema of dispatch with the kinds that there are.
func (e *Engine) dispatchSchema() json.RawMessage {
	names, err := json.Marshal(e.kinds())
	if err != nil {
		panic(err) // names are texts
	}
	return json.RawMessage(strings.Replace(dispatchSchema, `["coder"]`, string(names), 1))
}
