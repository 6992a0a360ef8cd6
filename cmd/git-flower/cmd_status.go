package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"git-flower/gitstate"
)

func statusCommand() *command {
	return &command{
		name: "status", group: everyday, summary: "show where the runs stand and what to do next",
		synopsis: []string{"[--json | --porcelain [-z]] [<run>]"},
		prose: `
Without a run, shows every run of this repository, the newest first, and what to
do next. "git flower" alone does the same; where there is no run it lists the
commands. With a run, shows its request, its goal with the checks that the last
verdict passed, what it cost, and its result.

A run is named by its name, by an unambiguous beginning of it, or by its id.
Nothing is written and no model is asked.`,
		options: append([]option{jsonOption()}, porcelainOptions()...),
		exits:   exits(2),
		args:    1,
		run:     runStatus,
	}
}

func runStatus(ctx context.Context, env *Env, c *call) error {
	store, err := env.Store(ctx)
	if errors.Is(err, gitstate.ErrNotRepository) && c.bare() {
		return listBeside(env, "not in a git repository")
	}
	if err != nil {
		return err
	}
	if name := c.arg(0); name != "" {
		return statusOfOne(ctx, env, c, store, name)
	}
	all, err := store.Runs(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 && c.bare() {
		return listBeside(env, "no runs in this repository yet")
	}
	return statusOfAll(ctx, env, c, all)
}

// bare reports whether the command was called without a word, for a person.
func (c *call) bare() bool {
	return len(c.args) == 0 && !c.is("json") && !c.porcelain()
}

func (c *call) porcelain() bool { return c.is("porcelain") || c.is("null") }

// A runStatus is what status tells of a run, in its JSON form.
type runSummary struct {
	Name    string `json:"name"`
	ID      string `json:"id"`
	Ref     string `json:"ref"`
	Tip     string `json:"tip"`
	State   string `json:"state"`
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Step    string `json:"step,omitempty"`
	Round   int    `json:"round,omitempty"`
	Worker  string `json:"worker,omitempty"`
	Time    int64  `json:"time"` // seconds since 1970, of the newest record
}

func newRunSummary(s gitstate.Summary) runSummary {
	return runSummary{Name: s.Name, ID: s.ID, Ref: runRef(s.Name), Tip: string(s.Tip), State: stateOf(s),
		Kind: string(s.Kind), Subject: s.Subject, Step: s.Meta.Step, Round: s.Meta.Round, Worker: s.Meta.Worker, Time: s.Unix}
}

func runRef(name string) string { return "refs/flower/run/" + name }

func statusOfAll(ctx context.Context, env *Env, c *call, all []gitstate.Summary) error {
	switch {
	case c.is("json"):
		return jsonLines(env.Out, all, newRunSummary)
	case c.porcelain():
		p := porcelain{nul: c.is("null")}
		for _, s := range all {
			p.run(newRunSummary(s))
		}
		return write(env.Out, p.String())
	}
	return write(env.Out, statusTable(env.look(ctx), all)+nextSteps(all))
}

func jsonLines[T, J any](w io.Writer, values []T, shape func(T) J) error {
	for _, v := range values {
		if err := jsonLine(w, shape(v)); err != nil {
			return err
		}
	}
	return nil
}

// A porcelain collects records of "label value" lines, each record closed by an
// empty line. Its labels never change their meaning; new ones may come.
type porcelain struct {
	nul bool
	b   strings.Builder
}

func (p *porcelain) line(text string) {
	p.b.WriteString(text)
	if p.nul {
		p.b.WriteByte(0)
		return
	}
	p.b.WriteByte('\n')
}

// field writes a label with its value, or nothing without a value.
func (p *porcelain) field(label, value string) {
	if value != "" {
		p.line(label + " " + oneLine(value))
	}
}

func (p *porcelain) number(label string, n int64) {
	if n != 0 {
		p.line(fmt.Sprintf("%s %d", label, n))
	}
}

// run writes the fields of a run and closes the record.
func (p *porcelain) run(s runSummary) {
	p.summary(s)
	p.line("")
}

func (p *porcelain) summary(s runSummary) {
	p.field("run", s.ID)
	p.field("name", s.Name)
	p.field("ref", s.Ref)
	p.field("tip", s.Tip)
	p.field("state", s.State)
	p.field("kind", s.Kind)
	p.field("step", s.Step)
	p.number("round", int64(s.Round))
	p.field("worker", s.Worker)
	p.number("time", s.Time)
	if s.State == stateWaiting {
		p.line("waiting")
	}
}

func (p *porcelain) String() string { return p.b.String() }

// statusTable shows runs one a line: name, state, age, last record.
func statusTable(l look, all []gitstate.Summary) string {
	nameWidth, stateWidth := 0, 0
	for _, s := range all {
		nameWidth = max(nameWidth, len(s.Name))
		stateWidth = max(stateWidth, len(standing(s)))
	}
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s  %s  %s  %s\n",
			l.paint(strong, pad(s.Name, nameWidth)),
			l.paint(colourOf(stateOf(s)), pad(standing(s), stateWidth)),
			l.paint(faint, pad(l.ago(s.Unix), 14)),
			cut(string(s.Kind)+": "+oneLine(s.Subject), 72))
	}
	return b.String()
}

// standing is a run's state with where in the flow it is.
func standing(s gitstate.Summary) string {
	state := stateOf(s)
	switch {
	case ended(s) || s.Meta.Step == "":
		return state
	case s.Meta.Round > 0:
		return fmt.Sprintf("%s, %s, round %d", state, s.Meta.Step, s.Meta.Round)
	}
	return state + ", " + s.Meta.Step
}

// nextSteps tells, as git status does, which commands go on from here.
func nextSteps(all []gitstate.Summary) string {
	var b strings.Builder
	if open := filter(all, unended); len(open) > 0 {
		fmt.Fprintf(&b, "  (use \"git flower resume%s\" to go on with a run)\n", ifMany(open))
	}
	reached := filter(all, func(s gitstate.Summary) bool { return colourOf(stateOf(s)) == good })
	if len(reached) > 0 {
		fmt.Fprintf(&b, "  (use \"git flower land%s\" to merge a result into your branch)\n", ifMany(all))
	}
	b.WriteString("  (use \"git flower show <document> [<run>]\" to read brief, goal or verdict)\n")
	return "\n" + b.String()
}

func ifMany(runs []gitstate.Summary) string {
	if len(runs) == 1 {
		return ""
	}
	return " <run>"
}
