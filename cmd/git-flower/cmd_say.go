package main

import (
	"context"

	"git-flower/engine"
	"git-flower/gitstate"
)

func sayCommand() *command {
	return &command{
		name: "say", group: everyday, args: -1,
		summary:  "add to what is wanted of a run",
		synopsis: []string{"[--run <run>] [--] <words>...", "[--run <run>] -F <file>", "[--run <run>] -"},
		prose: `Adds words to what is wanted, at any time and from any terminal. They are
recorded first and reach the goal, the judge and whoever works; when the goal
was made without them, its checks are derived anew. A process that drives the
run takes them up at once; otherwise 'resume' does.`,
		options: []option{runOption(), fileOption()},
		exits:   exits(1, 2),
		run:     runSay,
	}
}

func runSay(ctx context.Context, env *Env, c *call) error {
	words, err := env.spoken(ctx, c, c.args)
	if err != nil {
		return err
	}
	store, err := env.Store(ctx)
	if err != nil {
		return err
	}
	run, err := choose(ctx, store, c.text("run"), unended)
	if err != nil {
		return err
	}
	d, err := add(ctx, run, func(gitstate.History) (gitstate.Record, error) {
		return engine.Amendment(words, env.Now()), nil
	})
	if err != nil {
		return err
	}
	return env.pass(ctx, store, run, d)
}
