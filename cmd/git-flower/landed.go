package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/gitcmd"
)

// landed are the runs whose results the checked-out branch holds: none where no
// branch is checked out.
type landed struct {
	branch string
	runs   map[string]bool
}

// findLanded looks at one run's result, or at those of all runs where it is empty.
// A result that was squashed into the branch is not found.
func findLanded(ctx context.Context, store *gitstate.Store, run string) (landed, error) {
	if store.Layout().TopLevel == "" {
		return landed{}, nil
	}
	ref, err := store.Git().Line(ctx, "symbolic-ref", "-q", "HEAD")
	if gitcmd.ExitCode(err) == 1 { // detached
		return landed{}, nil
	}
	if err != nil {
		return landed{}, fmt.Errorf("find the branch: %w", err)
	}
	head, err := store.Resolve(ctx, "HEAD")
	if errors.Is(err, gitstate.ErrNotFound) {
		return landed{}, nil
	}
	if err != nil {
		return landed{}, err
	}
	out, err := store.Git().Read(ctx, "for-each-ref", "--merged="+string(head), "--format=%(refname:lstrip=3)", strings.TrimSuffix(joinRef(run), "/"))
	if err != nil {
		return landed{}, fmt.Errorf("look which results the branch holds: %w", err)
	}
	l := landed{branch: branchName(ref), runs: map[string]bool{}}
	for name := range strings.FieldsSeq(string(out)) {
		l.runs[name] = true
	}
	return l, nil
}

// words tell that the branch has a run's result; empty where it has not.
func (l landed) words(run string) string {
	if !l.runs[run] {
		return ""
	}
	return fmt.Sprintf("\n'%s' has the result already\n", l.branch)
}
