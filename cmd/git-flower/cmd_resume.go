package main

import (
	"context"
	"fmt"

	"git-flower/engine"
	"git-flower/gitstate"
)

func resumeCommand() *command {
	return &command{
		name: "resume", group: everyday, personal: true, args: 1,
		summary:  "go on with a run from its last record",
		synopsis: []string{"[<options>] [<run>]"},
		prose: `Goes on with a run where its records end, after a crash, a limit, an
interruption, or with something new to say. The words of -m are recorded first;
they reach the goal and the coordinator. A run that a killed process drove is
taken over; one that a living process drives is refused. Options that 'start'
was given hold on unless given anew.

A goal that was fetched brings commands. They are shown and run only once you
have accepted them on this machine: when asked on a terminal, else by --trust.`,
		options: append([]option{
			{long: "message", short: "m", value: "<words>", text: "add to what is wanted"},
			{long: "trust", value: "<commit>", text: "accept the commands that the record <commit> holds"},
		}, runOptions()...),
		exits: exits(1, 2, 3, 75),
		run:   runResume,
	}
}

func runResume(ctx context.Context, env *Env, c *call) error {
	store, run, err := env.choose(ctx, c.arg(0), unended)
	if err != nil {
		return err
	}
	return resumeRun(ctx, env, c, store, run, c.text("message"))
}

// resumeRun goes on with a run, with words added to what is wanted unless there
// are none. The call may be one of 'start', whose options mean the same.
func resumeRun(ctx context.Context, env *Env, c *call, store *gitstate.Store, run *gitstate.Run, words string) error {
	if _, err := store.Git().CheckVersion(ctx); err != nil {
		return err
	}
	w, err := env.wakeOf(ctx, c, store, run)
	if err != nil {
		return err
	}
	w.trust, w.resumes = c.text("trust"), true
	if err := w.config.checkDetach(); err != nil {
		return err
	}
	if words != "" {
		if _, err := amend(ctx, run, words, env.Now()); err != nil {
			return err
		}
	}
	if err := w.clarifyAgain(ctx, c); err != nil {
		return err
	}
	if err := w.sayMoved(); err != nil {
		return err
	}
	if w.config.Detach {
		return w.inTrees(ctx, func(ctx context.Context) error { return w.goOnDetached(ctx, c) })
	}
	return w.goOn(ctx)
}

// wakeOf is this process's part in a run that is there: with the options that it was
// begun with, and its kind of model.
func (e *Env) wakeOf(ctx context.Context, c *call, store *gitstate.Store, run *gitstate.Run) (*wake, error) {
	dir := store.Layout().RunDir(run.Name())
	config, err := e.resumedConfig(ctx, c, dir, run.History())
	if err != nil {
		return nil, err
	}
	if begun := begunIn(run.History(), store.Machine()); begun != "" {
		if _, given := c.setting("harness"); !given {
			config.Harness = begun
		}
	}
	script, err := resumedScript(e, c, run, dir)
	if err != nil {
		return nil, err
	}
	source, err := e.source(ctx, config, script)
	if err != nil {
		return nil, err
	}
	return &wake{env: e, config: config, store: store, run: run, json: c.is("json"), source: source}, nil
}

// clarifyAgain records the wish to have the request clarified again, unless
// another process drives the run.
func (w *wake) clarifyAgain(ctx context.Context, c *call) error {
	if !w.config.ClarifyAgain {
		return nil
	}
	if held, err := heldBy(ctx, w.store, w.run.Name()); err != nil {
		return err
	} else if held != nil {
		return held
	}
	_, asked := c.setting("clarify-again")
	wish, due := engine.ClarifyAgain(w.run.History(), asked, w.env.Now())
	if !due {
		return nil
	}
	if _, err := w.run.Append(ctx, wish); err != nil {
		return fmt.Errorf("record that the request is to be clarified again: %w", err)
	}
	return nil
}

// resumedScript: a run keeps its kind of model. What a scripted model began
// must not be finished with money by mistake, nor the other way round.
func resumedScript(env *Env, c *call, run *gitstate.Run, dir string) ([]byte, error) {
	switch rehearsed := isRehearsed(run); {
	case !rehearsed && c.given("rehearse"):
		return nil, endf(endFatal, "leave --rehearse out", "run '%s' was not begun as a rehearsal", run.Name())
	case !rehearsed:
		return nil, nil
	case c.given("rehearse"):
		return readScript(env, c.text("rehearse"))
	}
	script, kept, err := keptScript(dir)
	if err == nil && !kept {
		say(env.Err, "note", "the rehearsal's script is not on this machine; the built-in one plays on, unless --rehearse=<script> names another")
	}
	return script, err
}
