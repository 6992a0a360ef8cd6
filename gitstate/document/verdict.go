package document

import (
	"fmt"
	"strconv"
	"strings"
)

// A Verdict is what a judge says of one round.
type Verdict struct {
	State State
	// Clear is false when the judge's text does not say its state by the strict
	// rule of ParseVerdict; then State is NotYet and the judge should be asked
	// once more. A verdict from a structured answer is clear.
	Clear  bool
	Reason string
	Failed []string      // what did not pass, one line each
	Checks []CheckResult // one per check of the goal, where the judge gave them
}

// A CheckResult is the judge's word on one check.
type CheckResult struct {
	Check    int // its number in the goal, counted from 1
	Passed   bool
	Evidence string // what was seen; a check without any has not passed
}

// sections of a verdict
const (
	stateSection = iota
	reasonSection
	failedSection
	resultsSection
)

var verdictTitles = []string{"Verdict", "Reason", "Not passed", "Check results"}

// ParseVerdict reads a judge's text. The state is the whole first line of the
// section Verdict, or the whole text, and one of the accepted words exactly.
//
// Reached is believed only when nothing else in the text speaks against it: no
// entry in any list of what failed (words such as "none" are no entries), no
// fenced block there, no failed or unreadable check result, no second verdict
// that differs, and no fence left open, which means that the text was cut off.
func ParseVerdict(text string) Verdict {
	text = Clean(text)
	if state, ok := spokenState(text); ok {
		return Verdict{State: state, Clear: true}
	}
	o := verdictGrammar.read(text)
	v := Verdict{Reason: o.first(reasonSection)}
	v.State, v.Clear = o.state()
	against := o.cut
	for _, s := range o.sections {
		switch s.key {
		case failedSection:
			failed := failedItems(s.body())
			if v.Failed == nil {
				v.Failed = failed
			}
			against = against || s.fenced || len(failed) > 0
		case resultsSection:
			results, all := checkResults(s.body())
			v.Checks = append(v.Checks, results...)
			against = against || s.fenced || !all
		}
	}
	if v.State == Reached && against {
		v.State, v.Clear = NotYet, false
	}
	return v
}

// state reads the first line of the first section Verdict that is not empty.
// Another line of such a section that is a different state makes it unclear.
func (o outline) state() (State, bool) {
	first, _, _ := strings.Cut(o.first(stateSection), "\n")
	state, ok := spokenState(first)
	if !ok {
		return NotYet, false
	}
	for _, s := range o.sections {
		if s.key != stateSection {
			continue
		}
		for _, line := range s.lines {
			if other, ok := spokenState(line); ok && other != state {
				return NotYet, false
			}
		}
	}
	return state, true
}

func failedItems(body string) []string {
	var failed []string
	for _, it := range items(body) {
		failed = append(failed, it.text())
	}
	return failed
}

// checkResults reads "- 1 passed: evidence" lines; all is false when an entry is
// not of that form or did not pass.
func checkResults(body string) (results []CheckResult, all bool) {
	all = true
	for _, it := range items(body) {
		r, ok := checkResult(it)
		if ok {
			results = append(results, r)
		}
		all = all && ok && r.Passed
	}
	return results, all
}

// checkResult takes the check's number from the list, too: "1. passed".
func checkResult(it item) (CheckResult, bool) {
	word, evidence := it.text(), ""
	if i := strings.IndexAny(word, ":："); i >= 0 {
		evidence, _ = cutColon(word[i:])
		word = word[:i]
	}
	r := CheckResult{Check: it.number, Evidence: strings.TrimSpace(evidence)}
	if number, rest, ok := strings.Cut(word, " "); ok && r.Check < 0 {
		r.Check, _ = strconv.Atoi(number)
		word = rest
	}
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "passed", "通过":
		r.Passed = true
	case "failed", "未通过":
	default:
		return r, false
	}
	return r, r.Check > 0
}

// Against holds a structured verdict to its goal: Reached stands only if every
// check has one result, passed and with evidence, and nothing failed. Otherwise
// it is NotYet, clearly, and Failed names the checks that are open.
func (v Verdict) Against(g Goal) Verdict {
	if v.State != Reached {
		return v
	}
	passed := map[int]bool{}
	open := map[int]bool{}
	for _, r := range v.Checks {
		passed[r.Check] = true
		open[r.Check] = open[r.Check] || !r.Passed || OneLine(r.Evidence) == ""
	}
	failed := v.failed()
	for i, c := range g.Checks {
		if n := i + 1; !passed[n] || open[n] {
			failed = append(failed, fmt.Sprintf("check %d: %s", n, OneLine(c.Text)))
		}
	}
	if len(failed) > 0 {
		v.State, v.Failed = NotYet, failed
	}
	return v
}

// Feedback is what the worker side is told after a round that did not reach the
// goal: what is missing, never how to close the gap.
func (v Verdict) Feedback() string {
	var b strings.Builder
	b.WriteString("The goal has not been reached.\n\nReason: ")
	switch {
	case v.Reason != "":
		b.WriteString(v.Reason)
	case !v.Clear:
		b.WriteString("the judge gave no clear verdict.")
	default:
		b.WriteString("the judge gave none.")
	}
	if failed := v.failed(); len(failed) > 0 {
		b.WriteString("\n\nNot passed:\n" + bullets(failed))
	}
	b.WriteString("\n\nGo on from where the work stands and close only these gaps. Do not start over, do not widen the task.\n")
	return b.String()
}

// String prints the verdict. One that is not clear prints as "unclear".
func (v Verdict) String() string {
	w := newWriter(verdictGrammar, verdictTitles)
	state := "unclear"
	if v.Clear {
		state = v.State.String()
	}
	w.section(stateSection, state)
	w.section(reasonSection, v.Reason)
	w.section(failedSection, bullets(v.failed()))
	var results []string
	for _, r := range v.Checks {
		results = append(results, r.line())
	}
	w.section(resultsSection, strings.Join(results, "\n"))
	return w.String()
}

// failed returns what did not pass without the entries that say nothing.
func (v Verdict) failed() []string {
	var kept []string
	for _, text := range v.Failed {
		if text = cutBox(OneLine(text)); text != "" && !noneWord(text) && !placeholder(text) {
			kept = append(kept, text)
		}
	}
	return kept
}

func (r CheckResult) line() string {
	word := "failed"
	if r.Passed {
		word = "passed"
	}
	line := fmt.Sprintf("- %d %s", r.Check, word)
	if evidence := OneLine(r.Evidence); evidence != "" {
		line += ": " + evidence
	}
	return line
}
