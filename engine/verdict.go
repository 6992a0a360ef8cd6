package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// decodeVerdict reads the tool's input.
func decodeVerdict(input json.RawMessage) (v document.Verdict, quote string, err error) {
	var in struct {
		State, Reason, Quote string
		Checks               []struct {
			Check    int
			Passed   bool
			Evidence string
		}
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return v, "", refuse("the verdict is not of the tool's form: %v", err)
	}
	state, known := document.ParseState(in.State)
	if !known {
		return v, "", refuse("the state is one of reached, not-yet, unreachable, not '%s'", line(in.State, 40))
	}
	v = document.Verdict{State: state, Clear: true, Reason: in.Reason}
	for _, c := range in.Checks {
		v.Checks = append(v.Checks, document.CheckResult{Check: c.Check, Passed: c.Passed, Evidence: c.Evidence})
	}
	return v, in.Quote, nil
}

// asked reports whether a judge's quote really stands in the brief or in what
// the person said, blanks aside: only then may protected paths have changed.
func asked(quote string, h gitstate.History) bool {
	quote = strings.Join(strings.Fields(quote), " ")
	if len(quote) < 12 {
		return false
	}
	for _, d := range append(h.Of(gitstate.KindRequest), goalSources(h)...) {
		if strings.Contains(strings.Join(strings.Fields(d.Body), " "), quote) {
			return true
		}
	}
	return false
}

// uphold holds a verdict against what is known without the judge. It only
// ever makes "reached" into something less: a check whose command failed or
// that nobody passed with evidence is open, a check that cannot be verified
// here is unreachable, and a changed protected path is not yet. It is pure.
func uphold(v document.Verdict, g document.Goal, ran []checked, touched []string) document.Verdict {
	v.Failed = append([]string(nil), v.Failed...)
	if v.State != document.Reached {
		return v
	}
	var open, unverifiable []string
	for i, c := range g.Checks {
		switch why := openBecause(i, c, v, ran); {
		case c.Unverifiable != "":
			unverifiable = append(unverifiable, fmt.Sprintf("check %d cannot be verified here (%s): %s", i+1, c.Unverifiable, c.Text))
		case why != "":
			open = append(open, fmt.Sprintf("check %d %s: %s", i+1, why, c.Text))
		}
	}
	for _, path := range first(touched, touchedListed) {
		open = append(open, "protected path was changed: "+path)
	}
	switch {
	case len(open) > 0:
		v.State = document.NotYet
	case len(unverifiable) > 0:
		v.State = document.Unreachable
	default:
		return v
	}
	v.Failed = append(v.Failed, append(open, unverifiable...)...)
	v.Reason = strings.TrimSpace(v.Reason + "\n\nThe judge held the goal to be reached; what follows is open all the same.")
	return v
}

// touchedListed is how many changed files a judge is shown that it has to ask the
// brief about, and how many a verdict lists.
const touchedListed = 30

// openBecause says why a check does not count as passed, "" when it does.
func openBecause(i int, c document.Check, v document.Verdict, ran []checked) string {
	for _, r := range ran {
		if r.index == i && !r.passed() {
			return r.word()
		}
	}
	seen := false
	for _, r := range v.Checks {
		if r.Check != i+1 {
			continue
		}
		if !r.Passed {
			return "was not passed by the judge"
		}
		seen = seen || strings.TrimSpace(r.Evidence) != ""
	}
	if !seen && c.Command == "" {
		return "has no evidence"
	}
	return ""
}

// commandsRun is the part of a verdict's document by which its checks can be
// run again anywhere: command, tree, exit code, digest of the output.
func commandsRun(ran []checked) string {
	if len(ran) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n## Commands\n\n")
	for _, c := range ran {
		fmt.Fprintf(&b, "%d. `%s`: %s, output sha256 %s\n", c.index+1, c.check.Command, c.word(), c.result.Digest)
		if !c.passed() {
			for _, l := range lastLines(c.result.Output, 10) {
				fmt.Fprintf(&b, "   > %s\n", l)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
