package main

import (
	"context"
	"errors"
	"fmt"

	"git-flower/gitstate"
)

// fillRun begins a run and gives it count records of the kinds that a run has.
// Nothing is synced: this is not measured.
func fillRun(ctx context.Context, dir string, count int) error {
	store, err := gitstate.Open(ctx, dir, gitstate.Config{NoSync: true})
	if err != nil {
		return err
	}
	return errors.Join(fill(ctx, store, count), store.Close())
}

func fill(ctx context.Context, store *gitstate.Store, count int) error {
	base, err := store.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	run, err := store.Create(ctx, runName, gitstate.Record{Kind: gitstate.KindRequest,
		Subject: "add a --json flag to the list command", Body: "Add a --json flag to the list command."}, base)
	if err != nil {
		return err
	}
	for n := 1; n < count; n++ {
		if _, err := run.Append(ctx, priorRecord(n)); err != nil {
			return err
		}
	}
	return nil
}

// priorRecord is the nth record of a run that works in rounds.
func priorRecord(n int) gitstate.Record {
	round := 1 + n/4
	m := gitstate.Meta{Step: "work", Label: fmt.Sprintf("work#round%d", round), Round: round, Wake: "w1",
		Session: fmt.Sprintf("6f1c2a34-0000-4000-8000-%012d", n), Machine: "0123456789abcdef", Harness: "messages", Model: "claude-opus-5-5"}
	switch n % 4 {
	case 0:
		return gitstate.Record{Kind: gitstate.KindStep, Subject: m.Label + " is done", Meta: m, Body: "The round is worked."}
	case 1:
		m.Worker = "coder-1"
		return gitstate.Record{Kind: gitstate.KindSession, Subject: m.Label + " by coder-1", Meta: m}
	case 2:
		r := reportRecord(n)
		r.Meta.Round, r.Meta.Label = round, m.Label
		return r
	}
	m.Step, m.State = "judge", "not-yet"
	return gitstate.Record{Kind: gitstate.KindVerdict, Subject: "not yet: the test fails", Meta: m, Body: "not-yet\n\nThe test fails."}
}
