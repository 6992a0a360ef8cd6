package main

import (
	"context"
	"errors"
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
	fmt.Fprintf(&b, "\nrun %s: %s (%s),\n  spent %s\n", l.paint(strong, name), l.paint(colourOf(string(o.State)), string(o.State)), o.Why, spentWords(o.Spent, isRehearsed(w.run)))
	b.WriteString(w.missing(o.State))
	if o.Join == o.Base {
		b.WriteString("nothing was changed\n")
		return write(w.env.Out, b.String())
	}
	stat, err := w.pool.Diffstat(ctx, string(o.Base), string(o.Join))
	if err != nil {
		return err
	}
	b.WriteString("\n" + strings.TrimRight(sanitise(stat), "\n") + "\n\n")
	in, err := findLanded(ctx, w.store, name)
	if err != nil {
		return err
	}
	b.WriteString(commandTable(l, w.commands(o, in)) + in.words(name))
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
func (w *wake) commands(o engine.Outcome, in landed) [][2]string {
	name := w.run.Name()
	list := [][2]string{
		{fmt.Sprintf("git diff %s flower/join/%s", o.Base.Short(), name), "what changed"},
		{fmt.Sprintf("git log flower/run/%s", name), "the story"},
	}
	over := in.runs[name] || w.config.Land && !isRehearsed(w.run) && o.State != engine.EndAccepted // or is in a moment
	if !over && (o.State == engine.EndReached || o.State == engine.EndDone || o.State == engine.EndAccepted) {
		list = append(list, [2]string{fmt.Sprintf("git flower land%s %s", landOption(isRehearsed(w.run)), name), "merge it into your branch"})
	}
	return list
}

// conclude turns how the engine stopped into what is printed and the exit code.
func (w *wake) conclude(ctx context.Context, o engine.Outcome, err error) error {
	resume := fmt.Sprintf("\"git flower resume %s\" goes on", w.run.Name())
	var pause *engine.Pause
	switch {
	case errors.As(err, &pause):
		if err := w.pauseWords(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		return end(endingOf(pause), err, hintOf(pause, w.run.Name()))
	case err != nil:
		return end(endFatal, err, inPlaceHint(err, resume))
	}
	if err := w.finale(context.WithoutCancel(ctx), o); err != nil {
		return err
	}
	switch o.State {
	case engine.EndReached, engine.EndDone:
		if o.Join == o.Base {
			return nil
		}
		return w.landIfAsked(ctx)
	case engine.NeedsHuman:
		return endf(endPerson, fmt.Sprintf("decide with \"git flower answer --run %[1]s\", then \"git flower resume %[1]s\" goes on", w.run.Name()), "run '%s' needs a person: %s", w.run.Name(), o.Why)
	}
	return endf(endNo, fmt.Sprintf("\"git flower show verdict %s\" tells what is open; \"git flower resume %s -m '<words>'\" goes on", w.run.Name(), w.run.Name()),
		"run '%s' ended %s: %s", w.run.Name(), o.State, o.Why)
}

// plural counts things: "1 file", "2 files".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func endingOf(p *engine.Pause) ending {
	switch p.Reason {
	case engine.PauseBudget, engine.PauseFull:
		return endLimit
	case engine.PauseRefused:
		return endFatal
	case engine.PauseForeign, engine.PauseHandoff:
		return endPerson
	}
	return endLater
}

func hintOf(p *engine.Pause, run string) string {
	switch p.Reason {
	case engine.PauseBudget:
		return fmt.Sprintf("\"git flower resume %s --budget <usd>\" goes on with a larger budget", run)
	case engine.PauseHandoff:
		return fmt.Sprintf("\"git flower edit handoff %[1]s\" changes it, \"git flower resume %[1]s\" goes on from it", run)
	case engine.PauseFull:
		return fmt.Sprintf("\"git flower resume %s --window <tokens>\" goes on, where the window is larger than is known", run)
	case engine.PauseForeign:
		return fmt.Sprintf("\"git flower resume %s\" shows the commands and asks whether they may run here", run)
	case engine.PauseRefused:
		return fmt.Sprintf("see to what the endpoint says, then \"git flower resume %s\" goes on", run)
	}
	return fmt.Sprintf("\"git flower resume %s\" goes on from here", run)
}
