package main

import (
	"context"
	"fmt"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
)

// finale says how a run ended, where its result is and what can be done next.
func (w *wake) finale(ctx context.Context, o engine.Outcome) error {
	if w.json {
		return nil // the events have said it
	}
	name := w.run.Name()
	l := w.env.look(ctx)
	var b strings.Builder
	fmt.Fprintf(&b, "\nrun %s: %s (%s), spent %s\n", l.paint(strong, name), l.paint(colourOf(string(o.State)), string(o.State)), o.Why, spentWords(o.Spent, isRehearsed(w.run)))
	if o.Join == o.Base {
		b.WriteString("nothing was changed\n")
		return write(w.env.Out, b.String())
	}
	stat, err := w.pool.Diffstat(ctx, string(o.Base), string(o.Join))
	if err != nil {
		return err
	}
	b.WriteString("\n" + strings.TrimRight(sanitise(stat), "\n") + "\n\n")
	for _, c := range w.commands(o) {
		fmt.Fprintf(&b, "  %s  %s\n", pad(c[0], 32+len(name)), l.paint(faint, c[1]))
	}
	return write(w.env.Out, b.String())
}

// spentWords says what a run cost; a rehearsal counts at list prices and costs nothing.
func spentWords(sum gitstate.MicroUSD, rehearsed bool) string {
	if rehearsed {
		return "nothing (" + dollars(sum) + " at list prices)"
	}
	return dollars(sum)
}

// commands are what a person may want to type now.
func (w *wake) commands(o engine.Outcome) [][2]string {
	name := w.run.Name()
	rehearsed := ""
	if isRehearsed(w.run) {
		rehearsed = " --rehearsed"
	}
	list := [][2]string{
		{fmt.Sprintf("git diff %s flower/join/%s", o.Base.Short(), name), "what changed"},
		{fmt.Sprintf("git log flower/run/%s", name), "the story"},
	}
	if o.State == engine.EndReached || o.State == engine.EndDone || o.State == engine.EndAccepted {
		list = append(list, [2]string{fmt.Sprintf("git flower land%s %s", rehearsed, name), "merge it into the checked-out branch"})
	}
	return list
}
