package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

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
	file := c.text("file")
	switch {
	case len(args) > 0 && file != "":
		return "", c.usagef("words are given as arguments or with -F, not both")
	case len(args) == 1 && args[0] == "-":
		file = "-"
	case len(args) > 0:
		file = ""
	case file == "":
		return "", c.usagef("there are no words")
	}
	text := strings.Join(args, " ")
	var err error
	switch file {
	case "":
	case "-":
		text, err = e.readInput(ctx, maxRequest)
	default:
		var data []byte
		data, err = os.ReadFile(e.path(file))
		text = string(data)
	}
	if err != nil {
		return "", endf(endFatal, "", "read the words: %w", err)
	}
	if len(text) > maxRequest {
		return "", c.usagef("the words have more than %d bytes", maxRequest)
	}
	if strings.TrimSpace(text) == "" {
		return "", c.usagef("the words are empty")
	}
	return strings.TrimSpace(text), nil
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
