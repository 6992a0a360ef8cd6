package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-flower/engine"
	"git-flower/gitstate"
	"git-flower/worktree"
)

const (
	bannerIndent = 10      // where the words of a banner's rows begin
	bannerWidth  = 80      // where what the user wrote is cut there
	placeLabel   = "PLACE" // the row that warns
)

// banner says what is about to happen before any of it does.
func (w *wake) banner(ctx context.Context) error {
	w.person = w.env.presence(w.config, w.json)
	if w.config.Detach && w.person == here {
		w.person = elsewhere
	}
	if err := w.takePack(ctx); err != nil {
		return err
	}
	if w.json {
		w.warnInPlace()
		w.warnPack()
		return nil
	}
	if engine.Over(w.run.History(), w.limits()) {
		return nil // the last words tell it all
	}
	l := w.env.look(ctx)
	var b strings.Builder
	fmt.Fprintf(&b, "run %s (refs/flower/run/%s)\n", l.paint(strong, w.run.Name()), w.run.Name())
	rows, err := w.bannerRows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		label := pad(row[0], bannerIndent-4)
		if row[0] == placeLabel {
			label = l.paint(strong, label)
		}
		fmt.Fprintf(&b, "  %s  %s\n", label, l.fold(row[1], bannerIndent))
	}
	return write(w.env.Out, b.String())
}

// bannerRows are the banner's rows: a label, and what is so.
func (w *wake) bannerRows(ctx context.Context) ([][2]string, error) {
	from, err := w.from(ctx)
	if err != nil {
		return nil, err
	}
	rows := [][2]string{{"from", from}}
	add := func(label, text string) { rows = append(rows, [2]string{label, text}) }
	if w.place != nil {
		add(placeLabel, w.inPlaceWords()+";\nuncommitted changes there are part of it, and so is what you change there meanwhile")
	}
	add("model", w.source.describe())
	add("budget", w.budgetWords())
	if words := w.roundWords(ctx); words != "" {
		add("next", words)
	}
	if !w.config.Handoff {
		add("context", "the CLI replaces a full one by a summary: what that leaves out is gone, and the cache is written anew")
	}
	add("asks", askWords(w.config, w.person))
	if w.person == here {
		add("talk", "typed lines add to what is wanted; '?' before one asks a side question")
	}
	if words := w.packWords(); words != "" {
		add("pack", words)
	}
	if w.config.Land {
		add("land", w.landWords())
	}
	if w.config.Setup != "" {
		add("setup", cut(oneLine(w.config.Setup), bannerWidth))
	}
	if w.store.Identity(ctx).Fallback {
		add("author", "git flower <flower@localhost>, since git knows no identity of yours")
	}
	add("fence", w.fenceWords())
	return rows, nil
}

// from says what the run starts from and what of the checkout is not in it.
func (w *wake) from(ctx context.Context) (string, error) {
	base := w.run.History().Base
	head, err := w.pool.KeptOn(ctx, string(base))
	if err != nil {
		return "", err
	}
	if head == "" && w.changes.Commit != "" {
		return base.Short() + "; the checkout has no changes to begin with" + leftOut(w.changes), nil
	}
	if head == "" {
		return base.Short() + w.uncommitted(ctx), nil
	}
	changed, err := w.pool.Changed(ctx, head, string(base))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s with the uncommitted changes of %s%s", base.Short(), short(head), plural(len(changed), "file"), leftOut(w.changes)), nil
}

// leftOut lists, a line each, what a base with changes does not hold.
func leftOut(c worktree.Changes) string {
	const shown = 10
	var b strings.Builder
	for i, name := range c.LeftOut {
		if i == shown {
			fmt.Fprintf(&b, "\nand %d more", len(c.LeftOut)-i)
			break
		}
		fmt.Fprintf(&b, "\nwithout %s", oneLine(name))
	}
	for _, name := range c.Staged {
		fmt.Fprintf(&b, "\n%s as the file is; what is staged of it is another text", oneLine(name))
	}
	return b.String()
}

func (w *wake) uncommitted(ctx context.Context) string {
	if w.store.Layout().TopLevel == "" {
		return ""
	}
	out, err := w.store.Git().Read(ctx, "status", "--porcelain", "-z", "--untracked-files=no")
	if err != nil || len(out) == 0 {
		return ""
	}
	return "; uncommitted changes are not included"
}

// budgetWords tell the limit, and what of it an earlier wake has spent.
func (w *wake) budgetWords() string {
	text := budgetWords(w.config.Budget)
	if w.config.Budget == 0 {
		return text
	}
	if spent := w.run.History().Spent(); spent > 0 {
		text += " in all, of which " + dollars(gitstate.MicroUSD(spent)) + " is spent"
	}
	if isRehearsed(w.run) {
		text += ", at list prices; nothing is paid"
	}
	return text
}

// roundWords tell what a round will cost, if some were judged. What hinders that is
// told of by whatever opens the transcripts next.
func (w *wake) roundWords(ctx context.Context) string {
	judged := false
	for _, rows := range w.run.History().Ledger {
		judged = judged || slices.ContainsFunc(rows, func(r gitstate.LedgerRow) bool { return strings.Contains(r.Label, "#judge") })
	}
	if !judged {
		return ""
	}
	r, err := measure(ctx, w.env, w.store, w.run)
	if err != nil || r.Forecast == nil {
		return ""
	}
	return forecastWords(*r.Forecast)
}

func budgetWords(m gitstate.MicroUSD) string {
	if m == 0 {
		return "no limit"
	}
	return dollars(m)
}

func askWords(c Config, there presence) string {
	switch there {
	case here:
		return fmt.Sprintf("you, here or with \"git flower answer\"; a question waits %s", span(c.Timeout))
	case elsewhere:
		return fmt.Sprintf("you, with \"git flower answer\"; a question waits %s", span(c.Timeout))
	}
	return "nobody: questions are decided by the agents and written down as assumptions"
}

// span is a duration without the zeros at its end: 30m, not 30m0s.
func span(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
