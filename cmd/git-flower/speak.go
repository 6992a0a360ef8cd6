package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"git-flower/engine"
	"git-flower/engine/inbox"
	"git-flower/gitstate"
)

// Commands that add something to a run that another process may be driving:
// say, answer, edit. What is said is a record first; then whoever drives is
// woken.

func runOption() option {
	return option{long: "run", value: "<run>", text: "which run is meant, where several could be"}
}

func fileOption() option {
	return option{long: "file", short: "F", value: "<file>", text: "read the words from <file> ('-' for standard input)"}
}

// spoken finds the words of a command: args, a file, or standard input.
func (e *Env) spoken(ctx context.Context, c *call, args []string) (string, error) {
	text, given, err := e.words(ctx, c, args)
	if err == nil && !given {
		err = c.usagef("there are no words")
	}
	return text, err
}

// spokenTo finds the words of a command and the run that they are for.
func (e *Env) spokenTo(ctx context.Context, c *call) (words string, store *gitstate.Store, run *gitstate.Run, err error) {
	if words, err = e.spoken(ctx, c, c.args); err != nil {
		return "", nil, nil, err
	}
	store, run, err = e.choose(ctx, c.text("run"), unended)
	return words, store, run, err
}

// add appends a record that is worked out anew for every tip it is tried on,
// and returns its document.
func add(ctx context.Context, run *gitstate.Run, work func(gitstate.History) (gitstate.Record, error)) (gitstate.Doc, error) {
	for {
		h := run.History()
		rec, err := work(h)
		if err != nil {
			return gitstate.Doc{}, err
		}
		_, err = run.Append(ctx, rec)
		if errors.Is(err, gitstate.ErrConflict) {
			if err := run.Reload(ctx); err != nil {
				return gitstate.Doc{}, err
			}
			if run.Tip() != h.Tip {
				continue
			}
		}
		if err != nil {
			return gitstate.Doc{}, fmt.Errorf("record the words: %w", err)
		}
		docs := run.History().Docs
		return docs[len(docs)-1-len(rec.With)], nil
	}
}

// amend records what the person adds to what is wanted.
func amend(ctx context.Context, run *gitstate.Run, words string, now time.Time) (gitstate.Doc, error) {
	return add(ctx, run, func(gitstate.History) (gitstate.Record, error) { return engine.Amendment(words, now), nil })
}

// pass wakes whoever drives the run, and says that the words are safe and who
// takes them up.
func (e *Env) pass(ctx context.Context, store *gitstate.Store, run *gitstate.Run, d gitstate.Doc) error {
	name := run.Name()
	text := fmt.Sprintf("recorded in run %s as %s %s; ", name, d.Kind, number(d.Name()))
	pid := driverOf(store, name)
	if pid == 0 {
		if err := write(e.Out, text+"no process drives it now\n"); err != nil {
			return err
		}
		e.hint(ctx, fmt.Sprintf("\"git flower resume %s\" goes on with it", name))
		return nil
	}
	if err := inbox.Knock(inboxOf(store, name), string(d.Kind)); err != nil {
		say(e.Err, "warning", fmt.Sprintf("process %d is not woken and sees it at its next record: %v", pid, err))
	}
	taker := "takes it up"
	if d.Meta.Worker != "" {
		taker = "passes it to " + d.Meta.Worker
	}
	return write(e.Out, text+fmt.Sprintf("process %d drives it and %s\n", pid, taker))
}
