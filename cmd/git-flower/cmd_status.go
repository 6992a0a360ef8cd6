package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	return statusOfAll(ctx, env, c, store, all)
}

// bare reports whether the command was called without a word, for a person.
func (c *call) bare() bool {
	return len(c.args) == 0 && !c.is("json") && !c.porcelain()
}

func (c *call) porcelain() bool { return c.is("porcelain") || c.is("null") }

// A runSummary is what status tells of a run, in its JSON form.
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
	Driver  int    `json:"driver_pid,omitempty"`
	Error   string `json:"error,omitempty"` // why the newest record cannot be read
}

func newRunSummary(s gitstate.Summary, driver int) runSummary {
	r := runSummary{Name: s.Name, ID: s.ID, Ref: runRef(s.Name), Tip: string(s.Tip), State: stateOf(s), Kind: string(s.Kind),
		Subject: s.Subject, Step: s.Meta.Step, Round: s.Meta.Round, Worker: s.Meta.Worker, Time: s.Unix, Driver: driver}
	if driver > 0 && r.State == stateOpen {
		r.State = stateRunning
	}
	if s.Err != nil {
		r.Error = s.Err.Error()
	}
	return r
}

func runRef(name string) string { return "refs/flower/run/" + name }

func statusOfAll(ctx context.Context, env *Env, c *call, store *gitstate.Store, all []gitstate.Summary) error {
	pids := drivers(store, all)
	rows := make([]runSummary, len(all))
	for i, s := range all {
		rows[i] = newRunSummary(s, pids[s.Name])
	}
	switch {
	case c.is("json"):
		for _, r := range rows {
			if err := jsonLine(env.Out, r); err != nil {
				return err
			}
		}
		return nil
	case c.porcelain():
		p := porcelain{nul: c.is("null")}
		for _, r := range rows {
			p.run(r)
		}
		return write(env.Out, p.String())
	}
	trees, err := workersTrees(ctx, store)
	if err != nil {
		say(env.Err, "warning", err.Error())
	}
	next, err := nextSteps(ctx, store, rows, scripted(store, rows))
	if err != nil {
		return err
	}
	return write(env.Out, statusTable(env.look(ctx), rows)+asideWords(trees, rows)+next)
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
	p.number("driver", int64(s.Driver))
	if s.State == stateWaiting {
		p.line("waiting")
	}
}

func (p *porcelain) String() string { return p.b.String() }

// statusTable shows runs one a line: name, state, age, newest record. There may
// be ten thousand.
func statusTable(l look, rows []runSummary) string {
	nameWidth, stateWidth, agoWidth := 0, 0, 0
	standings, ages := make([]string, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		standings[i], ages[i] = r.standing(), l.ago(r.Time)
		nameWidth = max(nameWidth, len(r.Name))
		stateWidth = max(stateWidth, len(standings[i]))
		agoWidth = max(agoWidth, len(ages[i]))
	}
	rest := l.rest(nameWidth + 2 + stateWidth + 2 + agoWidth + 2)
	var b strings.Builder
	for i, r := range rows {
		newest := r.Kind + ": " + r.Subject
		if r.Error != "" {
			newest = r.Error
		}
		for _, part := range [...]string{
			l.paint(strong, pad(r.Name, nameWidth)), "  ",
			l.paint(colourOf(r.State), pad(standings[i], stateWidth)), "  ",
			l.paint(faint, pad(ages[i], agoWidth)), "  ", cut(oneLine(newest), rest), "\n",
		} {
			b.WriteString(part)
		}
	}
	return b.String()
}

// standing is a run's state with where in the flow it is.
func (r runSummary) standing() string {
	switch {
	case r.State != stateOpen && r.State != stateRunning && r.State != stateWaiting || r.Step == "":
		return r.State
	case r.Round > 0:
		return oneLine(r.State + ", " + r.Step + ", round " + strconv.Itoa(r.Round))
	}
	return oneLine(r.State + ", " + r.Step)
}

// scripted reports whether a scripted model made every result that can be landed.
// It looks for the scripts that are kept here; of a rehearsal that came from
// elsewhere 'land' itself says what it needs.
func scripted(store *gitstate.Store, rows []runSummary) bool {
	some := false
	for _, r := range rows {
		if colourOf(r.State) != good {
			continue
		}
		if _, err := os.Stat(filepath.Join(store.Layout().RunDir(r.Name), scriptFile)); err != nil {
			return false
		}
		some = true
	}
	return some
}
