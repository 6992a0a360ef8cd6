package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// branchFile keeps, in the run's folder, the branch that was checked out when the
// run began. --land lands on no other.
const branchFile = "branch"

// keepBranch remembers the branch; an empty one is none.
func (w *wake) keepBranch(ctx context.Context) error {
	branch, err := w.store.Git().Line(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil && gitcmd.ExitCode(err) != 1 { // 1: detached
		return fmt.Errorf("find the branch: %w", err)
	}
	file := filepath.Join(w.store.Layout().RunDir(w.run.Name()), branchFile)
	if err := os.WriteFile(file, []byte(branch+"\n"), 0o644); err != nil {
		return fmt.Errorf("remember the branch: %w", err)
	}
	return nil
}

// keptBranch is the branch at the start; known is false for a run that came from
// another machine.
func (w *wake) keptBranch() (branch string, known bool, err error) {
	data, err := os.ReadFile(filepath.Join(w.store.Layout().RunDir(w.run.Name()), branchFile))
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read the branch that the run began on: %w", err)
	}
	return strings.TrimSuffix(string(data), "\n"), true, nil
}

// landWords say at the start what becomes of the result.
func (w *wake) landWords() string {
	branch, known, err := w.keptBranch()
	switch {
	case isRehearsed(w.run):
		return fmt.Sprintf("not by itself, since it is a rehearsal; \"git flower land --rehearsed %s\" does it", w.run.Name())
	case err != nil || !known || branch == "":
		return "when the goal is reached, if a person says on which branch"
	}
	return fmt.Sprintf("into '%s' when the goal is reached", branchName(branch))
}

// landIfAsked lands a reached result under --land. Whatever is in the way, the
// goal stays reached and a person is needed.
func (w *wake) landIfAsked(ctx context.Context) error {
	name := w.run.Name()
	switch {
	case !w.config.Land:
		return nil
	case isRehearsed(w.run):
		say(w.env.Err, "note", fmt.Sprintf("a rehearsal is not landed by --land; \"git flower land --rehearsed %s\" does it", name))
		return nil
	}
	env := *w.env
	if w.json {
		env.Out = env.Err // what is on standard output is JSON
	}
	branch, err := w.landingBranch()
	if err == nil {
		err = w.leaveCheckout()
	}
	if err == nil {
		err = land(ctx, &env, w.store, w.run, landOptions{branch: branch, shown: true})
	}
	if err == nil {
		return nil
	}
	hint := fmt.Sprintf("nothing of it is lost; see to that, then \"git flower land %s\"", name)
	var e *endError
	if errors.As(err, &e) && strings.Contains(e.hint, "git flower land") {
		hint = e.hint
	}
	return endf(endPerson, hint, "the goal is reached, but its result is not in your branch: %w", err)
}

// landingBranch is the only branch that may be landed on without a person.
func (w *wake) landingBranch() (string, error) {
	branch, known, err := w.keptBranch()
	if err != nil {
		return "", err
	}
	if !known || branch == "" {
		hint := fmt.Sprintf("check out the branch that it belongs on, then \"git flower land %s\"", w.run.Name())
		return "", endf(endPerson, hint, "no branch was checked out here when run '%s' began", w.run.Name())
	}
	return branch, nil
}
