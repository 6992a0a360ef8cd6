package main

import (
	"context"
	"fmt"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// missing lists what keeps a run from its goal, a line each: the checks that the
// newest verdict did not pass, and the question that waits. It is empty for a
// run that is done.
func (w *wake) missing(state engine.EndState) string {
	switch state {
	case engine.EndReached, engine.EndDone, engine.EndAccepted:
		return ""
	}
	return missingWords(w.run.History())
}

func missingWords(h gitstate.History) string {
	const width = 72
	var d runDetail
	d.addGoal(h)
	var b strings.Builder
	for i, c := range d.Checks {
		if d.Verdict == "" || c.State == "passed" {
			continue
		}
		fmt.Fprintf(&b, "  check %d  %s: %s\n", i+1, c.State, cut(firstLine(c.Text), width))
		if c.Command != "" {
			fmt.Fprintf(&b, "           %s\n", cut(oneLine(c.Command), width))
		}
	}
	if d.Verdict != "" && d.Verdict != document.Reached.String() && d.Reason != "" {
		fmt.Fprintf(&b, "  judge    %s\n", cut(firstLine(d.Reason), width))
	}
	for _, q := range engine.OpenQuestions(h) {
		fmt.Fprintf(&b, "  question %s: %s\n", number(q.Name()), cut(firstLine(q.Body), width))
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nmissing:\n" + b.String()
}

// pauseWords say where a run stands that stopped on its way.
func (w *wake) pauseWords(ctx context.Context) error {
	if w.json {
		return nil
	}
	h := w.run.History()
	text := missingWords(h)
	join, made, err := w.store.Ref(ctx, joinRef(w.run.Name()))
	if err != nil {
		return err
	}
	if made && join != h.Base {
		stat, err := w.pool.Diffstat(ctx, string(h.Base), string(join))
		if err != nil {
			return err
		}
		text += "\n" + strings.TrimRight(sanitise(stat), "\n") + "\n\n" + commandTable(w.env.look(ctx), w.commands(engine.Outcome{Base: h.Base}, landed{}))
	}
	return write(w.env.Out, text)
}
