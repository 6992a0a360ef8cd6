package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"git-flower/gitstate"
)

func stopCommand() *command {
	return &command{
		name: "stop", group: everyday, personal: true, args: 1,
		summary:  "have a driven run stop at a save point",
		synopsis: []string{"[<run>]"},
		prose: `Asks the process that drives a run to stop, as SIGTERM does: it records what
there is, ends what it started, and 'resume' goes on from there. Waits until it
has ended, a minute at most. Where nobody drives the run there is nothing to
stop, which is no failure.`,
		exits: exits(1, 2, 75),
		run:   runStop,
	}
}

// stopPatience is how long a driver may take to save what its workers have
// done: a snapshot of a large dirty tree takes seconds, a minute is ample.
const stopPatience = time.Minute

func runStop(ctx context.Context, env *Env, c *call) error {
	store, run, err := env.drivenRun(ctx, c.arg(0))
	if err != nil {
		return err
	}
	held, err := heldBy(ctx, store, run.Name())
	if err != nil {
		return err
	}
	if held == nil {
		return write(env.Out, fmt.Sprintf("no process drives run %s\n", run.Name()))
	}
	if held.Machine != store.Machine() {
		return endf(endFatal, "stop it there", "run '%s' is driven on another machine", run.Name())
	}
	if err := terminate(held.PID); err != nil {
		return fmt.Errorf("stop process %d: %w", held.PID, err)
	}
	return env.awaitEnd(ctx, store, run.Name(), held.PID)
}

// heldBy tells which process holds a run's lock, nil when none does. A lock
// that is new may still bear its last holder's number; so it is read until it
// says the same twice and that process lives.
func heldBy(ctx context.Context, store *gitstate.Store, run string) (*gitstate.LockedError, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	last := 0
	for {
		lock, err := store.Lock(ctx, run)
		if err == nil {
			return nil, lock.Close()
		}
		var held *gitstate.LockedError
		if !errors.As(err, &held) {
			return nil, err
		}
		if held.PID != 0 && held.PID == last && (held.Machine != store.Machine() || alive(held.PID)) {
			return held, nil
		}
		last = held.PID
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// awaitEnd waits until the process that was asked to stop no longer holds the lock.
func (e *Env) awaitEnd(ctx context.Context, store *gitstate.Store, run string, pid int) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(stopPatience)
	defer late.Stop()
	for {
		lock, err := store.Lock(ctx, run) // not the process: one that has ended stays visible until its parent looks
		var held *gitstate.LockedError
		switch {
		case err == nil:
			return errors.Join(lock.Close(), e.stopped(ctx, run, pid))
		case !errors.As(err, &held):
			return err
		case held.PID != pid && held.PID != 0: // somebody has resumed it
			return e.stopped(ctx, run, pid)
		}
		select {
		case <-tick.C:
		case <-late.C:
			return endf(endLater, "it goes on ending; \"git flower status\" tells when it has", "process %d still drives run '%s' after %s", pid, run, stopPatience)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (e *Env) stopped(ctx context.Context, run string, pid int) error {
	if err := write(e.Out, fmt.Sprintf("process %d has stopped driving run %s\n", pid, run)); err != nil {
		return err
	}
	e.hint(ctx, fmt.Sprintf("\"git flower resume %s\" goes on", run))
	return nil
}
