package main

import (
	"context"
	"fmt"
	"strings"

	"git-flower/gitstate"
)

// unfinished tells of the runs that are not over before another one begins. At a
// terminal it asks whether to go on with the newest that nobody drives, and
// returns its name for that; an empty name begins the new run.
func (w *wake) unfinished(ctx context.Context, c *call, request string) (resume string, err error) {
	if c.is("new") || w.json {
		return "", nil
	}
	all, err := w.store.Runs(ctx)
	if err != nil {
		return "", err
	}
	open := filter(all, unended)
	if len(open) == 0 {
		return "", nil
	}
	var idle []gitstate.Summary
	driven := drivers(w.store, open)
	for _, s := range open {
		if driven[s.Name] == 0 && s.Err == nil {
			idle = append(idle, s)
		}
	}
	if !w.env.InTerminal || !w.env.ErrTerminal || len(idle) == 0 {
		say(w.env.Err, "note", unfinishedWords(open, driven))
		return "", nil
	}
	if err := write(w.env.Err, w.listUnfinished(ctx, open, driven)); err != nil {
		return "", err
	}
	return w.offer(ctx, idle[0].Name, request)
}

// unfinishedWords are the note for whoever is not asked.
func unfinishedWords(open []gitstate.Summary, driven map[string]int) string {
	for _, s := range open {
		if driven[s.Name] == 0 {
			return fmt.Sprintf("unfinished here: %s; \"git flower resume\" goes on with one", nameSome(open))
		}
	}
	return fmt.Sprintf("under way here: %s; \"git flower watch\" follows one", nameSome(open))
}

// listUnfinished shows the runs that are not over, a line each.
func (w *wake) listUnfinished(ctx context.Context, open []gitstate.Summary, driven map[string]int) string {
	const most = 5
	l := w.env.look(ctx)
	var b strings.Builder
	b.WriteString("unfinished here:\n")
	for i, s := range open {
		if i == most {
			fmt.Fprintf(&b, "  and %d more\n", len(open)-most)
			break
		}
		state := stateOf(s)
		if pid := driven[s.Name]; pid != 0 {
			state = fmt.Sprintf("%s, driven by process %d", stateRunning, pid)
		}
		fmt.Fprintf(&b, "  %s  %s, %s\n", l.paint(strong, s.Name), state, l.ago(s.Unix))
	}
	return b.String()
}

// offer asks what to do. Only a clear word begins or resumes: whatever else is
// said, and silence, costs nothing.
func (w *wake) offer(ctx context.Context, name, request string) (string, error) {
	adding := ""
	if request != "" {
		adding = ", with these words added"
	}
	question := fmt.Sprintf("[r]esume %s%s, begin a [n]ew one, or [q]uit? [q] ", name, adding)
	for range 3 {
		line, err := w.ask(ctx, question)
		if err != nil {
			return "", err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "r", "resume":
			return name, nil
		case "n", "new":
			return "", nil
		case "", "q", "quit":
			return "", nothingBegun(name)
		}
		question = "one of r, n and q, please: "
	}
	return "", nothingBegun(name)
}

func nothingBegun(name string) error {
	return endf(endNo, fmt.Sprintf("\"git flower resume %s\" goes on with it, \"git flower start --new <request>\" begins another", name), "nothing was begun")
}

// resumeInstead goes on with an unfinished run. The words of a request that is
// not the run's own are added to what is wanted there.
func (w *wake) resumeInstead(ctx context.Context, c *call, name, request string, err error) error {
	if err != nil {
		return err
	}
	run, err := w.store.Run(ctx, name)
	if err != nil {
		return err
	}
	if isSaid(run.History(), request) {
		request = ""
	}
	for _, long := range []string{"name", "with-changes", "plugin"} {
		if c.given(long) {
			say(w.env.Err, "note", fmt.Sprintf("--%s is of a new run and has no effect on this one", long))
		}
	}
	return resumeRun(ctx, w.env, c, w.store, run, request)
}

// isSaid reports whether a run has been told these words already.
func isSaid(h gitstate.History, words string) bool {
	_, said := h.Last(func(d gitstate.Doc) bool {
		return (d.Kind == gitstate.KindRequest || d.Kind == gitstate.KindAmendment) && strings.TrimSpace(d.Body) == words
	})
	return said
}
