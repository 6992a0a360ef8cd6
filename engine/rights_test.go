package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/guards"
	"git-flower/plugin"
)

// rights are who may do what: a row for each call, a column for each kind of
// session. The judge has three: it sets the goal, and judges without or with a
// shell. Whoever has no checkout works in a tree. A reviewer is a kind of worker that
// a pack narrows, a greedy one names everything there is. This is with the tools of
// the harness 'messages'; rightsInClaude are the rows that differ with the CLI's.
const rights = `
                                     coordinator worker reviewer greedy clarifier goal judge shell oracle
Read of its own folder               yes         yes    yes      yes    yes       yes  yes   yes   yes
Read of the bench                    yes         yes    yes      yes    yes       yes  yes   yes   yes
Read of a pack                       -           yes    yes      yes    -         -    -     -     -
Read of the checkout                 yes         -      -        -      yes       -    -     -     yes
Read of a stranger's file            -           -      -        -      -         -    -     -     -
Read of .env                         -           -      -        -      -         -    -     -     -
Read through a link out              -           -      -        -      -         -    -     -     -
Glob in its own folder               -           yes    -        yes    yes       yes  yes   yes   yes
Glob of the disk                     -           -      -        -      -         -    -     -     -
Grep in its own folder               -           yes    yes      yes    yes       yes  yes   yes   yes
Grep of the disk                     -           -      -        -      -         -    -     -     -
Write in its own folder              -           yes    -        yes    -         -    -     -     -
Write on the bench                   -           yes    -        yes    -         -    -     -     -
Write into a pack                    -           -      -        -      -         -    -     -     -
Write into the checkout              -           -      -        -      -         -    -     -     -
Write elsewhere                      -           -      -        -      -         -    -     -     -
Write through a link out             -           -      -        -      -         -    -     -     -
Write to .env                        -           -      -        -      -         -    -     -     -
Edit in its own folder               -           yes    -        yes    -         -    -     -     -
Edit elsewhere                       -           -      -        -      -         -    -     -     -
MultiEdit in its own folder          -           -      -        -      -         -    -     -     -
NotebookEdit in its own folder       -           -      -        -      -         -    -     -     -
Bash that looks                      yes         yes    -        yes    -         -    -     yes   -
Bash that changes                    -           yes    -        yes    -         -    -     yes   -
BashOutput                           -           yes    -        yes    -         -    -     -     -
KillShell                            -           yes    -        yes    -         -    -     -     -
TodoWrite                            yes         yes    -        yes    -         -    -     -     -
Skill                                -           yes    -        yes    -         -    -     -     -
WebFetch                             -           yes    -        yes    yes       -    -     -     -
WebSearch                            -           -      -        -      -         -    -     -     -
Agent, a built-in kind               -           -      -        -      -         -    -     -     -
Task, a built-in kind                -           -      -        -      -         -    -     -     -
Agent, our kind                      -           -      -        -      -         -    -     -     -
a tool of a server                   -           -      -        -      -         -    -     -     -
a tool in another case               -           -      -        -      -         -    -     -     -
dispatch                             yes         -      -        -      -         -    -     -     -
tell                                 yes         -      -        -      -         -    -     -     -
wait                                 yes         -      -        -      -         -    -     -     -
inbox                                yes         -      -        -      -         -    -     -     -
ask                                  yes         -      -        -      yes       yes  yes   yes   -
goal                                 -           -      -        -      -         yes  -     -     -
verdict                              -           -      -        -      -         -    yes   yes   -
another role's call                  -           -      -        -      -         -    -     -     -
an unknown agent's call              -           -      -        -      -         -    -     -     -
`

const rightsInClaude = `
BashOutput                           -           -      -        -      -         -    -     -     -
KillShell                            -           -      -        -      -         -    -     -     -
TodoWrite                            -           -      -        -      -         -    -     -     -
WebSearch                            -           yes    -        yes    yes       -    -     -     -
`

// everyCall are the calls of the table for a session in own.
func everyCall(own, checkout, bench, pack string) []struct{ name, tool, input string } {
	file := func(path string) string {
		return fmt.Sprintf(`{"file_path":%q,"content":"x","old_string":"a","new_string":"b"}`, path)
	}
	in := func(path string) string { return fmt.Sprintf(`{"pattern":"x","path":%q}`, path) }
	return []struct{ name, tool, input string }{
		{"Read of its own folder", "Read", file("a")}, {"Read of the bench", "Read", file(bench + "/notes/a")}, {"Read of a pack", "Read", file(pack + "/skills/a/SKILL.md")}, {"Read of the checkout", "Read", file(checkout + "/a")},
		{"Read of a stranger's file", "Read", file("/etc/passwd")}, {"Read of .env", "Read", file(".env")}, {"Read through a link out", "Read", file("out/passwd")},
		{"Glob in its own folder", "Glob", `{"pattern":"**"}`}, {"Glob of the disk", "Glob", in("/")},
		{"Grep in its own folder", "Grep", `{"pattern":"x"}`}, {"Grep of the disk", "Grep", in("/")},
		{"Write in its own folder", "Write", file(own + "/a")}, {"Write on the bench", "Write", file(bench + "/notes/b")}, {"Write into a pack", "Write", file(pack + "/skills/a/b")},
		{"Write into the checkout", "Write", file(checkout + "/b")}, {"Write elsewhere", "Write", file("/etc/x")},
		{"Write through a link out", "Write", file("out/x")}, {"Write to .env", "Write", file(".env")},
		{"Edit in its own folder", "Edit", file("a")}, {"Edit elsewhere", "Edit", file("/etc/passwd")},
		{"MultiEdit in its own folder", "MultiEdit", file("a")}, {"NotebookEdit in its own folder", "NotebookEdit", `{"notebook_path":"a.ipynb"}`},
		{"Bash that looks", "Bash", `{"command":"git status"}`}, {"Bash that changes", "Bash", `{"command":"rm a"}`},
		{"BashOutput", "BashOutput", `{"bash_id":"1"}`}, {"KillShell", "KillShell", `{"shell_id":"1"}`}, {"TodoWrite", "TodoWrite", `{"todos":[]}`}, {"Skill", "Skill", `{"skill":"a"}`},
		{"WebFetch", "WebFetch", `{"url":"https://example.org"}`}, {"WebSearch", "WebSearch", `{"query":"x"}`},
		{"Agent, a built-in kind", "Agent", `{"subagent_type":"general-purpose"}`}, {"Task, a built-in kind", "Task", `{"subagent_type":"general-purpose"}`},
		{"Agent, our kind", "Agent", `{"subagent_type":"coder"}`}, {"a tool of a server", "mcp__github__push", `{}`}, {"a tool in another case", "read", file("a")},
		{"dispatch", "dispatch", `{}`}, {"tell", "tell", `{}`}, {"wait", "wait", `{}`}, {"inbox", "inbox", `{}`}, {"ask", "ask", `{}`},
		{"goal", "goal", `{}`}, {"verdict", "verdict", `{}`},
	}
}

// trials asks a session's walls everything and notes the answers in its column.
func trials(ctx *harnesstest.FakeTurn, checkout, bench, pack string, column map[string]string) {
	o := ctx.Options
	ask := func(name string, c guards.Call) {
		d := o.Authorize(ctx.Context, c)
		column[name] = map[bool]string{true: "yes", false: "-"}[d.Allow]
		if d.Allow {
			o.Observe(ctx.Context, c, harness.Result{Text: name})
		}
	}
	for _, c := range everyCall(o.Dir, checkout, bench, pack) {
		ask(c.name, guards.Call{Role: o.Role, Agent: o.Agent, Tool: c.tool, Dir: o.Dir, Input: json.RawMessage(c.input)})
	}
	read := guards.Call{Role: "guest", Agent: o.Agent, Tool: "Read", Dir: o.Dir, Input: json.RawMessage(`{"file_path":"b"}`)}
	ask("another role's call", read)
	read.Role, read.Agent = o.Role, "general-purpose"
	ask("an unknown agent's call", read)
}

// kindOfSession is the column of a session.
func kindOfSession(o harness.Options, shell bool) string {
	switch {
	case has(o, "goal"):
		return "goal"
	case o.Role == string(Judge) && shell:
		return "shell"
	case o.Role == string(Worker) && !strings.HasPrefix(o.Agent, Coder):
		return o.Agent[:strings.LastIndexByte(o.Agent, '-')]
	}
	return o.Role
}

func TestWhoMayDoWhat(t *testing.T) {
	if got := rightsWith(t, nil); got != rights {
		t.Errorf("got:%s", got)
	}
	cli := []string{"Bash", "Read", "Edit", "Write", "Glob", "Grep", "WebFetch", "WebSearch", "Agent", "NotebookEdit", "Skill"}
	var differ strings.Builder
	in, usual := strings.Split(rightsWith(t, cli), "\n"), strings.Split(rights, "\n")
	for i, row := range in {
		if i >= len(usual) || row != usual[i] {
			differ.WriteString(row + "\n")
		}
	}
	if got := "\n" + differ.String(); got != rightsInClaude {
		t.Errorf("with the CLI's tools:%s", got)
	}
}

// rightsWith is the table with a harness that has the tools.
func rightsWith(t *testing.T, tools []string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]map[string]string{}
	for _, shell := range []bool{false, true} {
		r := newRig()
		r.fake.Builtin = tools
		r.config.Dir, r.config.Bench, r.config.JudgeCanRun = filepath.Join(dir, "checkout"), filepath.Join(dir, "bench"), shell
		r.trees.in = filepath.Join(dir, "trees")
		r.config.Plugins, r.config.Kinds = []string{filepath.Join(dir, "pack")}, []plugin.Agent{
			{Name: "reviewer", Tools: []string{"Read", "Grep"}},
			{Name: "greedy", Tools: append(Worker.builtin(), "*", "dispatch", "tell", "ask", "goal", "verdict", "inbox", "Agent", "Task", "WebSearch", "MultiEdit", "NotebookEdit", "mcp__github__push", "read")},
		}
		for _, d := range []string{r.config.Dir, r.config.Bench + "/notes", r.config.Plugins[0] + "/skills/a"} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		r.fake.Play = func(ft *harnesstest.FakeTurn) harness.Ended {
			kind := kindOfSession(ft.Options, shell)
			if columns[kind] == nil {
				columns[kind] = map[string]string{}
				link := filepath.Join(ft.Options.Dir, "out")
				_ = os.MkdirAll(ft.Options.Dir, 0o755)
				_ = os.Symlink("/etc", link)
				trials(ft, r.config.Dir, r.config.Bench, r.config.Plugins[0], columns[kind])
				_ = os.Remove(link)
			}
			if kind == string(Coordinator) && len(ft.Answered) == 0 {
				ft.Call("dispatch", map[string]any{"tasks": []map[string]string{{"worker": "reviewer", "task": "a"}, {"worker": "greedy", "task": "b"}}})
			}
			return r.play(ft)
		}
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		if _, err := r.engine.Aside(t.Context(), Aside{Question: "how is it?"}); err == nil {
			t.Log("the oracle has answered")
		}
	}
	return table(columns)
}

func table(columns map[string]map[string]string) string {
	kinds := []string{"coordinator", "worker", "reviewer", "greedy", "clarifier", "goal", "judge", "shell", "oracle"}
	var b strings.Builder
	row := func(name string, cell func(kind string) string) {
		line := fmt.Sprintf("%-36s", name)
		for _, kind := range kinds {
			line += fmt.Sprintf(" %-*s", len(kind), cell(kind))
		}
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	b.WriteByte('\n')
	row("", func(kind string) string { return kind })
	for _, c := range append(everyCall("", "", "", ""), struct{ name, tool, input string }{name: "another role's call"}, struct{ name, tool, input string }{name: "an unknown agent's call"}) {
		row(c.name, func(kind string) string { return columns[kind][c.name] })
	}
	return b.String()
}
