package engine

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"git-flower/engine/spending"
	"git-flower/gitstate/document"
	"git-flower/guards"
)

// A Role is who a session is: rule text, tools, policy.
type Role string

// The five roles.
const (
	Coordinator Role = "coordinator"  // decides and dispatches, touches nothing
	Worker      Role = "worker"       // does the work in a tree of its own
	Clarifier   Role = "clarifier"    // asks, then writes the brief
	Judge       Role = "judge"        // sets the goal, judges a round, never works
	Oracle      Role = spending.Aside // answers beside the run
)

// builtin names the tools of harnesses that a role is offered where there are
// such; no harness has all of them.
func (r Role) builtin() []string {
	switch r {
	case Coordinator:
		return []string{"Read", "Bash", "TodoWrite"}
	case Worker:
		return []string{"Read", "Write", "Edit", "Bash", "BashOutput", "KillShell", "Glob", "Grep", "WebFetch", "WebSearch", "TodoWrite", "Skill"}
	case Clarifier:
		return []string{"Read", "Glob", "Grep", "WebFetch", "WebSearch"}
	}
	return []string{"Read", "Glob", "Grep"}
}

// policy is what the guards hold a session of the role to. tools are the names
// of all it is offered, roots the directories in which it may write files,
// readable those in which it may read them besides.
func (r Role) policy(tools, roots, readable []string) guards.Policy {
	return guards.Policy{
		Role:     string(r),
		Tools:    tools,
		Glance:   r == Coordinator,
		Roots:    roots,
		Readable: readable,
	}
}

// facts are what the rule texts name: they stay the same for a session's life,
// so that its prompt prefix does too.
type facts struct {
	Role   Role
	Run    string
	Worker string // "coder-1", empty for other roles
	Dir    string
	Bench  string
	Shell  bool   // it has Bash although its role has not
	Extra  string // the user's own instructions

	Kind      string // of the worker
	KindRules string // what its pack says of the kind

	InPlace bool // workers edit the user's checkout
	Judged  bool // a judge decides after each round of work
}

//go:embed prompts/*.md
var promptFiles embed.FS

// prompts are read when the first one is filled in: other commands of the binary
// need none.
var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"quote": quote, "inline": document.OneLine, "briefly": briefly}).Option("missingkey=error").ParseFS(promptFiles, "prompts/*.md"))
})

// prompt fills in one of the prompt files.
func prompt(name string, data any) (string, error) {
	var b strings.Builder
	if err := prompts().ExecuteTemplate(&b, name+".md", data); err != nil {
		return "", fmt.Errorf("fill in prompt '%s': %w", name, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

// rules is a role's rule text.
func rules(f facts) (string, error) {
	text, err := prompt(string(f.Role), f)
	if f.KindRules != "" {
		text += fmt.Sprintf("\n# Your kind\n\nYou are a worker of the kind '%s'. This repository describes the kind as follows; where it says anything else than the rules above, those hold, as to your report too.\n\n%s\n", f.Kind, f.KindRules)
	}
	if err != nil || f.Extra == "" {
		return text, err
	}
	return text + "\n# Instructions of this repository's user\n\n" + f.Extra + "\n", nil
}
