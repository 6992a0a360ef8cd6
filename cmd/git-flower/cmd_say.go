package main

import (
	"context"
	"slices"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
)

func sayCommand() *command {
	return &command{
		name: "say", group: everyday, personal: true, args: -1,
		summary:  "add to what is wanted of a run",
		synopsis: []string{"[--run <run>] [--to <worker>] [--] <words>...", "[--run <run>] [--to <worker>] -F <file>", "[--run <run>] [--to <worker>] -"},
		prose: `Adds words to what is wanted, at any time and from any terminal. They are
recorded first and reach the goal, the judge and whoever works; when the goal
was made without them, its checks are derived anew. A process that drives the
run takes them up at once; otherwise 'resume' does.

With --to they are for one worker that is at work, and for nobody else: the goal
stays as it is. 'watch' shows when they are queued and taken.`,
		options: []option{runOption(), {long: "to", value: "<worker>", text: "say it to one worker that is at work, to nobody else"}, fileOption()},
		exits:   exits(1, 2),
		run:     runSay,
	}
}

func runSay(ctx context.Context, env *Env, c *call) error {
	words, store, run, err := env.spokenTo(ctx, c)
	if err != nil {
		return err
	}
	worker := c.text("to")
	if c.given("to") && worker == "" {
		return c.usagef("option '--to' names no worker")
	}
	d, err := add(ctx, run, func(h gitstate.History) (gitstate.Record, error) {
		if worker == "" {
			return engine.Amendment(words, env.Now()), nil
		}
		return engine.AmendmentTo(worker, words, env.Now()), checkAtWork(h, worker)
	})
	if err != nil {
		return err
	}
	return env.pass(ctx, store, run, d)
}

// checkAtWork refuses words that nobody would hear, and says who would.
func checkAtWork(h gitstate.History, worker string) error {
	var names []string
	for _, d := range engine.AtWork(h) {
		names = append(names, d.Meta.Worker)
	}
	if slices.Contains(names, worker) {
		return nil
	}
	if len(names) == 0 {
		return endf(endNo, `"git flower say <words>" speaks to the run`, "worker '%s' is not at work, and nobody else is", worker)
	}
	return endf(endNo, `"git flower say <words>" speaks to the run`, "worker '%s' is not at work; at work: %s", worker, strings.Join(names, ", "))
}
