package main

import (
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/economy"
)

// statsFacts are what the table cannot show: a label and its words.
func statsFacts(r runFigures) [][2]string {
	m := r.Main
	facts := append(costFacts(r), [][2]string{
		{"kept out", fmt.Sprintf("%s of the characters, %s of the turns, %s of the requests, %s of the rows", percent(m.OutCharacters), percent(m.OutTurns), percent(m.OutRequests), percent(m.OutRows))},
		{"cache hits", fmt.Sprintf("%s of the coordinator's input", percent(m.Hits))},
	}...)
	if m.Growth != nil {
		facts = append(facts, [2]string{"growth", fmt.Sprintf("%s tokens a turn of the coordinator", human(int64(*m.Growth)))})
	}
	if m.Hidden != nil {
		facts = append(facts, [2]string{"unseen", fmt.Sprintf("%.1f calls of workers for each task", *m.Hidden)})
	}
	if w := r.Workers; w.Sessions > 2 {
		facts = append(facts, [2]string{"workers", fmt.Sprintf("%s, the output of each %s, %s, %s (largest, median, smallest)", plural(w.Sessions, "session"), human(w.Largest), human(w.Median), human(w.Smallest))})
	}
	if h := r.Total.Held; h != nil {
		facts = append(facts, [2]string{"calls", fmt.Sprintf("%d of %d refused; %s of the coordinator", h.Denials, h.Calls, plural(h.Glances, "glance"))},
			[2]string{"spills", fmt.Sprintf("%d, %s characters", h.Spills, human(int64(h.Spilled)))},
			[2]string{"left out", leftWords(h.Left)})
	}
	if s := r.Scripts; s != nil && len(s.Each) > 0 {
		facts = append(facts, [2]string{"scripts", fmt.Sprintf("%d, %s, %s; %d run more than once, %d never", len(s.Each), plural(s.Written, "writing"), plural(s.Runs, "run"), s.Again, s.Idle)})
	}
	if f := r.Forecast; f != nil {
		facts = append(facts, [2]string{"forecast", forecastWords(*f)})
	}
	return facts
}

// forecastWords say what another round costs, and why that is more than before.
func forecastWords(f economy.Forecast) string {
	text := fmt.Sprintf("another round costs about %s, going by %s so far", dollars(f.Next), plural(f.Rounds, "round"))
	if f.Waits > 0 || f.Cold {
		text += fmt.Sprintf("; in that %s for each wait that the cache does not outlive: the coordinator's context is written anew (%s so far", dollars(f.Reread), plural(f.Waits, "wait"))
		if f.Cold {
			text += ", one now"
		}
		text += ")"
	}
	return text
}

// costFacts say what of the cost is no bill.
func costFacts(r runFigures) [][2]string {
	var words []string
	if r.Rehearsed {
		words = append(words, "at list prices; a rehearsal is billed nothing")
	}
	if n := r.Total.Billed.Unpriced; n > 0 {
		words = append(words, fmt.Sprintf("not known of %s: no price for %s", plural(n, "request"), strings.Join(unpriced(r.Sessions), ", ")))
	}
	if len(words) == 0 {
		return nil
	}
	return [][2]string{{"cost", strings.Join(words, "; ")}}
}

// unpriced are the models, each once, of which some request's cost is not known.
func unpriced(sessions []economy.Session) []string {
	var models []string
	for _, s := range sessions {
		if name := "'" + oneLine(s.Model) + "'"; s.Billed.Unpriced > 0 && !slices.Contains(models, name) {
			models = append(models, name)
		}
	}
	return models
}

// leftWords say what resumed sessions were not shown again.
func leftWords(l *economy.Left) string {
	switch {
	case l == nil:
		return "- (an older git flower resumed a session and did not note it)"
	case l.Loads == 0:
		return "nothing"
	}
	return fmt.Sprintf("%d results expired, %d became pointers, %d refusals, %s characters, at %s",
		l.Expired, l.Cleared, l.Denied, human(int64(l.Characters)), plural(l.Loads, "resumption"))
}

// unrecordedWords tell of requests that no record holds yet.
func unrecordedWords(b economy.Billed) string {
	if b.Requests == 0 {
		return ""
	}
	return fmt.Sprintf("\nIn no record yet, so that only this machine knows: %s, %s.\n", plural(b.Requests, "request"), dollars(b.Cost))
}

// factIndent is where the words of a fact begin.
const factIndent = 14

func factLines(l look, facts [][2]string) string {
	var b strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&b, "  %-*s%s\n", factIndent-2, f[0]+":", l.fold(f[1], factIndent))
	}
	return b.String()
}

// elsewhereWords name the sessions whose transcripts are elsewhere.
func elsewhereWords(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	const most = 5
	text := fmt.Sprintf("\nNot on this machine: the transcripts of %s. What is counted in them is missing above.\n", plural(len(ids), "session"))
	for _, id := range ids[:min(most, len(ids))] {
		text += "  " + oneLine(id) + "\n"
	}
	if more := len(ids) - most; more > 0 {
		text += fmt.Sprintf("  and %d more\n", more)
	}
	return text
}
