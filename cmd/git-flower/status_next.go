package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-flower/gitstate"
)

// nextSteps tells, as git status does, which commands go on from here. Where every
// reached result is rehearsed, landing one needs an option.
func nextSteps(ctx context.Context, store *gitstate.Store, rows []runSummary, rehearsed bool) (string, error) {
	reached := slices.DeleteFunc(slices.Clone(rows), func(r runSummary) bool { return colourOf(r.State) != good })
	which := ""
	if len(rows) > 1 {
		which = " <run>"
	}
	text := "\n" + drivingSteps(rows, which)
	if len(reached) > 0 {
		one := ""
		if len(rows) == 1 {
			one = reached[0].Name
		}
		in, err := findLanded(ctx, store, one)
		if err != nil {
			return "", err
		}
		text += landingSteps(reached, in, landOption(rehearsed)+which)
	}
	if slices.ContainsFunc(rows, func(r runSummary) bool { return r.State == stateUnreadable }) {
		text += "  (use \"git flower fsck\" to learn what is damaged)\n"
	}
	return text + "  (use \"git flower show <document> [<run>]\" to read brief, goal or verdict)\n", nil
}

// drivingSteps tell how runs that have not ended go on.
func drivingSteps(rows []runSummary, which string) string {
	var b strings.Builder
	if slices.ContainsFunc(rows, func(r runSummary) bool { return r.State == stateWaiting }) {
		b.WriteString("  (use \"git flower answer\" to see its question and answer it)\n")
	}
	if slices.ContainsFunc(rows, func(r runSummary) bool { return r.Driver > 0 }) {
		fmt.Fprintf(&b, "  (use \"git flower watch%s\" to follow what is driven, \"git flower stop%s\" to stop it)\n", which, which)
	}
	if slices.ContainsFunc(rows, func(r runSummary) bool {
		return r.Driver == 0 && (r.State == stateOpen || r.State == stateWaiting)
	}) {
		fmt.Fprintf(&b, "  (use \"git flower resume%s\" to go on with a run)\n", which)
	}
	return b.String()
}

// landingSteps tell how results that were reached are landed, or that all are.
func landingSteps(reached []runSummary, in landed, words string) string {
	switch {
	case slices.ContainsFunc(reached, func(r runSummary) bool { return !in.runs[r.Name] }):
		return fmt.Sprintf("  (use \"git flower land%s\" to merge a result into your branch)\n", words)
	case len(reached) == 1:
		return fmt.Sprintf("  ('%s' has the result already)\n", in.branch)
	}
	return fmt.Sprintf("  ('%s' has all results already)\n", in.branch)
}
