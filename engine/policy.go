package engine

import (
	"slices"

	"git-flower/guards"
)

// ownTools are the engine's tools that a session of a role can be given.
func (r Role) ownTools() []string {
	switch r {
	case Coordinator:
		return []string{"dispatch", "wait", "tell", "ask", "inbox"}
	case Clarifier:
		return []string{"ask"}
	case Judge:
		return []string{"goal", "verdict", "ask"}
	}
	return nil
}

// PolicyOf is the policy of a session of the role that works in dir, in no run: a
// worker, which has a name, writes there, the others read there. There is no
// bench, and nobody has opened a place for secrets. A role that does not exist
// has the zero policy, which denies.
func PolicyOf(role Role, worker, dir string) guards.Policy {
	if !slices.Contains([]Role{Coordinator, Worker, Clarifier, Judge, Oracle}, role) {
		return guards.Policy{}
	}
	var roots []string
	if role == Worker {
		roots = []string{dir}
	}
	p := role.policy(append(role.ownTools(), role.builtin()...), roots, []string{dir})
	p.Places = places{}
	if role == Worker {
		p.Agent = worker
	}
	return p
}

// env is the environment of the commands of a session of the role. A coordinator
// only looks, and beside that its commands do nothing.
func (r Role) env(base []string) []string {
	if r == Coordinator {
		return guards.LookEnv(base)
	}
	return base
}
