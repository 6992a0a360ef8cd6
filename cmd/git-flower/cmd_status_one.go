package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// A runDetail is what status tells of one run, in its JSON form.
type runDetail struct {
	runSummary
	Base      string      `json:"base"`
	Join      string      `json:"join,omitempty"`
	Rehearsed bool        `json:"rehearsed,omitempty"`
	Request   string      `json:"request"`
	Goal      string      `json:"goal,omitempty"`
	Checks    []checkLine `json:"checks,omitempty"`
	Verdict   string      `json:"verdict,omitempty"`
	Reason    string      `json:"reason,omitempty"`
	Question  string      `json:"question,omitempty"`
	Spent     int64       `json:"spent_micro_usd"`
	Trees     []treeLine  `json:"trees,omitempty"`

	Background *background `json:"background,omitempty"` // the last wake, if it was in the background
}

// A checkLine is one check of the goal with what the last verdict found.
type checkLine struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty"`
	State   string `json:"state"` // passed, failed, or open when nobody has judged it
}

func statusOfOne(ctx context.Context, env *Env, c *call, store *gitstate.Store, name string) error {
	run, err := store.Run(ctx, name)
	if err != nil {
		return err
	}
	d, err := newRunDetail(ctx, store, run)
	if err != nil {
		return err
	}
	switch {
	case c.is("json"):
		return jsonLine(env.Out, d)
	case c.porcelain():
		return write(env.Out, d.porcelain(c.is("null")))
	}
	stat, err := resultOf(ctx, store, d)
	if err != nil {
		return err
	}
	next, err := nextSteps(ctx, store, []runSummary{d.runSummary}, d.Rehearsed)
	if err != nil {
		return err
	}
	return write(env.Out, d.forPeople(env.look(ctx))+stat+next)
}

func newRunDetail(ctx context.Context, store *gitstate.Store, run *gitstate.Run) (runDetail, error) {
	s, err := summaryOf(ctx, store, run.Name())
	if err != nil {
		return runDetail{}, err
	}
	h := run.History()
	d := runDetail{runSummary: newRunSummary(s, drivers(store, []gitstate.Summary{s})[s.Name]), Base: string(h.Base), Spent: int64(h.Spent())}
	if request, ok := h.Current(gitstate.KindRequest); ok {
		d.Request, d.Rehearsed = request.Body, request.Meta.Rehearsed
	}
	d.addGoal(h)
	if err := d.addBackground(store.Layout().RunDir(run.Name())); err != nil {
		return d, err
	}
	if q, ok := openQuestion(h); ok {
		d.Question = q.Body
		if d.State == stateOpen {
			d.State = stateWaiting
		}
	}
	join, _, err := store.Ref(ctx, joinRef(run.Name()))
	if err != nil {
		return d, err
	}
	d.Join = string(join)
	trees, err := workersTrees(ctx, store)
	place, bad := checkoutOf(store.Layout(), run.Name())
	d.Trees = append(place, trees[run.Name()]...)
	return d, errors.Join(err, bad)
}

// addBackground tells of the run's last wake, if it was in the background.
func (d *runDetail) addBackground(dir string) error {
	b, ok, err := lastBackground(dir)
	if ok {
		d.Background = &b
	}
	return err
}

// backgroundWords say how a wake in the background went.
func (d runDetail) backgroundWords(l look) string {
	switch b := d.Background; {
	case b == nil:
		return ""
	case b.Ended != 0 && b.Code == 0:
		return fmt.Sprintf("process %d ended with exit 0, %s", b.PID, l.ago(b.Ended))
	case b.Ended != 0:
		return fmt.Sprintf("process %d ended with exit %d, %s: %s", b.PID, b.Code, l.ago(b.Ended), firstLine(b.Why))
	case d.Driver == b.PID:
		return fmt.Sprintf("process %d in the background, begun %s", b.PID, l.ago(b.Begun))
	}
	return fmt.Sprintf("process %d, begun %s, is gone without a word, as after a kill", d.Background.PID, l.ago(d.Background.Begun))
}

func joinRef(name string) string { return "refs/flower/join/" + name }

// summaryOf finds the run's line among all of them.
func summaryOf(ctx context.Context, store *gitstate.Store, name string) (gitstate.Summary, error) {
	all, err := store.Runs(ctx)
	if err != nil {
		return gitstate.Summary{}, err
	}
	i := slices.IndexFunc(all, func(s gitstate.Summary) bool { return s.Name == name })
	if i < 0 {
		return gitstate.Summary{}, fmt.Errorf("run '%s': %w", name, gitstate.ErrNotFound)
	}
	return all[i], nil
}

// addGoal joins the goal's checks with what the newest verdict on it found.
func (d *runDetail) addGoal(h gitstate.History) {
	goalDoc, ok := h.Current(gitstate.KindGoal)
	if !ok {
		return
	}
	goal := document.ParseGoal(goalDoc.Body)
	d.Goal = goal.Statement
	var verdict document.Verdict
	judged, ok := h.Last(func(doc gitstate.Doc) bool {
		return doc.Kind == gitstate.KindVerdict && slices.Contains(doc.Meta.From, goalDoc.Name())
	})
	if ok {
		verdict = document.ParseVerdict(judged.Body)
		d.Verdict, d.Reason = judged.Meta.State, verdict.Reason
	}
	for i, check := range goal.Checks {
		d.Checks = append(d.Checks, checkLine{Text: check.Text, Command: check.Command, State: checkState(verdict, i+1)})
	}
}

func checkState(v document.Verdict, number int) string {
	for _, c := range v.Checks {
		if c.Check == number {
			return map[bool]string{true: "passed", false: "failed"}[c.Passed]
		}
	}
	return "open"
}

// openQuestion is the newest question that an answer would still count for.
func openQuestion(h gitstate.History) (gitstate.Doc, bool) {
	open := engine.OpenQuestions(h)
	if _, over := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindEnd }); over || len(open) == 0 {
		return gitstate.Doc{}, false
	}
	return open[len(open)-1], true
}

func (d runDetail) porcelain(nul bool) string {
	p := porcelain{nul: nul}
	p.summary(d.runSummary)
	p.field("base", d.Base)
	p.field("join", d.Join)
	p.field("verdict", d.Verdict)
	p.number("spent-micro-usd", d.Spent)
	if b := d.Background; b != nil && b.Ended != 0 {
		p.line(fmt.Sprintf("background-exit %d", b.Code))
	}
	if d.Rehearsed {
		p.line("rehearsed")
	}
	for _, t := range d.Trees {
		p.line(strings.Join([]string{"tree", cmp.Or(t.Worker, "-"), t.State, oneLine(t.Path)}, " "))
	}
	p.line("")
	return p.String()
}

func (d runDetail) forPeople(l look) string {
	var b strings.Builder
	field := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", label+":", value)
		}
	}
	fmt.Fprintf(&b, "run %s  %s\n", l.paint(strong, d.Name), l.paint(faint, d.ID))
	state := d.State
	if d.Driver > 0 && d.Background == nil {
		state += fmt.Sprintf(" (driven by process %d)", d.Driver)
	}
	if d.Rehearsed {
		state += " (rehearsed: a scripted model did it)"
	}
	field("state", l.paint(colourOf(d.State), state))
	age := ", " + l.ago(d.Time)
	field("last", cut(d.Kind+": "+oneLine(d.Subject), 66-len(age))+age)
	field("request", cut(firstLine(d.Request), 66))
	field("goal", cut(firstLine(d.Goal), 66))
	for i, c := range d.Checks {
		mark := map[string]string{"passed": "+", "failed": "x", "open": " "}[c.State]
		fmt.Fprintf(&b, "            [%s] %d. %s\n", l.paint(colourOf(c.State), mark), i+1, cut(firstLine(c.Text), 60))
	}
	field("verdict", cut(strings.TrimRight(d.Verdict+": "+firstLine(d.Reason), ": "), 66))
	field("question", l.paint(asks, cut(firstLine(d.Question), 66)))
	field("driver", d.backgroundWords(l))
	field("spent", spentWords(gitstate.MicroUSD(d.Spent), d.Rehearsed))
	for _, t := range d.Trees {
		field("tree", t.String())
	}
	return b.String()
}

// resultOf shows what the workers' merged result changes, and how to see it.
func resultOf(ctx context.Context, store *gitstate.Store, d runDetail) (string, error) {
	if d.Join == "" {
		return "", nil
	}
	stat, err := store.Git().Read(ctx, "diff", "--stat=72", "--end-of-options", d.Base, d.Join)
	if err != nil {
		return "", fmt.Errorf("show the result of run '%s': %w", d.Name, err)
	}
	return fmt.Sprintf("\n%s\n  (use \"git diff %s %s\" to see it)\n", strings.TrimRight(sanitise(string(stat)), "\n"),
		short(d.Base), short(d.Join)), nil
}

func short(id string) string { return gitstate.ObjectID(id).Short() }
