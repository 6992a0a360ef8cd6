package main

import (
	"context"

	"git-flower/engine"
	"git-flower/gitstate"
)

func handoffCommand() *command {
	return &command{
		name: "handoff", group: everyday, personal: true, args: 1,
		summary:  "have a run's session hand over to a fresh one",
		synopsis: []string{"[--stop] [<run>]"},
		prose: `Has the session that a run goes on in write a handoff: what it is doing, what is
decided, what did not work, what comes next. A fresh session goes on from that with
an empty context. A run does so by itself when a context is nearly full.

Where a process drives the run, the handoff is written as soon as no answer and no
call is under way; workers go on. Otherwise the next 'resume' begins with it. Where
no session is under way there is nothing to hand over.`,
		options: []option{{long: "stop", text: "stop then, so that the handoff can be edited"}},
		exits:   exits(1, 2),
		run:     runHandoff,
	}
}

func runHandoff(ctx context.Context, env *Env, c *call) error {
	store, run, err := env.choose(ctx, c.arg(0), unended)
	if err != nil {
		return err
	}
	d, err := add(ctx, run, func(h gitstate.History) (gitstate.Record, error) {
		r, err := engine.HandOver(h, c.is("stop"))
		return r, end(endNo, err, `"git flower status" tells how the run stands`)
	})
	if err != nil {
		return err
	}
	return env.pass(ctx, store, run, d)
}
