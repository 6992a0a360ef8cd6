package main

import (
	"context"
	"fmt"
	"slices"

	"git-flower/gitstate"
)

func fsckCommand() *command {
	return &command{
		name: "fsck", group: plumbing, summary: "check the records of runs",
		synopsis: []string{"[<run>...]", "--canonical [<run>...]"},
		prose: `
Checks every promise of the format on the given runs, or on all: each record is
readable and has one encoding, documents are never changed, counters grow, the
commits that records name are present. Prints one line for each problem: run,
commit, check, what is wrong. Nothing is repaired.

With --canonical, prints each run's history without costs, times, session ids
and machines instead: runs that did the same print the same.`,
		options: []option{{long: "canonical", text: "print a history that can be compared"}},
		exits:   exits(1, 2),
		args:    -1,
		run:     runFsck,
	}
}

func runFsck(ctx context.Context, env *Env, c *call) error {
	store, err := env.Store(ctx)
	if err != nil {
		return err
	}
	names := c.args
	if len(names) == 0 {
		if names, err = allNames(ctx, store); err != nil {
			return err
		}
	}
	problems := 0
	for _, name := range names {
		if c.is("canonical") {
			if err := store.Canonical(ctx, name, env.Out); err != nil {
				return err
			}
			continue
		}
		found, err := store.Fsck(ctx, name)
		if err != nil {
			return err
		}
		problems += len(found)
		if err := printProblems(env, found); err != nil {
			return err
		}
	}
	if problems > 0 {
		return endf(endNo, `"git log flower/run/<run>" shows the records; a clone that is whole can be fetched from`,
			"%d problems in the records", problems)
	}
	return nil
}

// allNames are the names of all runs, in an order that says nothing about when
// they were made, so that --canonical can be compared.
func allNames(ctx context.Context, store *gitstate.Store) ([]string, error) {
	all, err := store.Runs(ctx)
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names, err
}

func printProblems(env *Env, found []gitstate.Problem) error {
	for _, p := range found {
		commit := string(p.Commit)
		if commit == "" {
			commit = "-" // it is the refs that are wrong
		}
		line := fmt.Sprintf("%s %s %s: %s\n", oneLine(p.Run), commit, oneLine(p.Check), oneLine(p.Text))
		if err := write(env.Out, line); err != nil {
			return err
		}
	}
	return nil
}
