package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
)

func editCommand() *command {
	return &command{
		name: "edit", group: everyday, personal: true, args: 2,
		summary:  "change a run's brief, goal or handoff by hand",
		synopsis: []string{"brief [<run>]", "goal [<run>]", "handoff [<run>]"},
		prose: `Opens git's editor on the current brief, goal or handoff and records what comes
back in its place. A text that lacks a section is not recorded; it stays in the file
that is named, to be put right.

From a brief that was edited the goal and its checks are derived anew. A goal that
was edited counts as it stands; the work is judged by it from then on. A handoff
can be edited until a session takes it up, which reads it as it then stands;
"git flower handoff --stop" has one written and stops.`,
		exits: exits(1, 2),
		run:   runEdit,
	}
}

func runEdit(ctx context.Context, env *Env, c *call) error {
	kind := gitstate.Kind(c.arg(0))
	if kind != gitstate.KindBrief && kind != gitstate.KindGoal && kind != gitstate.KindHandoff {
		return c.usagef("say which document: brief, goal or handoff")
	}
	store, run, err := env.choose(ctx, c.arg(1), unended)
	if err != nil {
		return err
	}
	old, ok := engine.Editable(run.History(), kind)
	if !ok && kind == gitstate.KindHandoff {
		return none(run, "handoff that a session is still to take up")
	} else if !ok {
		return none(run, string(kind))
	}
	file, err := editable(store, kind)
	if err != nil {
		return err
	}
	text, err := env.editDocument(ctx, file, old)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == strings.TrimSpace(old.Body) {
		if err := os.Remove(file); err != nil {
			return err
		}
		return write(env.Out, fmt.Sprintf("the %s of run %s is as it was; nothing is recorded\n", kind, run.Name()))
	}
	d, err := replaceDocument(ctx, run, old, text)
	if err != nil {
		return endf(endFatal, fmt.Sprintf("your text is in '%s'", file), "edit the %s of run '%s': %w", kind, run.Name(), err)
	}
	return errors.Join(env.pass(ctx, store, run, d), os.Remove(file))
}

// editDocument has the person edit a document in a file. When the editor fails, the
// file stays if something was written there.
func (e *Env) editDocument(ctx context.Context, file string, old gitstate.Doc) (string, error) {
	text, err := e.edited(ctx, file, old.Body+"\n")
	if err == nil {
		return text, nil
	}
	if left, unread := os.ReadFile(file); unread == nil && string(left) == old.Body+"\n" {
		return "", errors.Join(err, os.Remove(file))
	}
	return "", endf(endFatal, fmt.Sprintf("what was written is in '%s'", file), "%w", err)
}

// replaceDocument records a text in place of the document that it was made from.
func replaceDocument(ctx context.Context, run *gitstate.Run, old gitstate.Doc, text string) (gitstate.Doc, error) {
	return add(ctx, run, func(h gitstate.History) (gitstate.Record, error) {
		if now, _ := engine.Editable(h, old.Kind); now.Name() != old.Name() {
			return gitstate.Record{}, errors.New("it was changed by somebody else, or taken up by a session, meanwhile")
		}
		return engine.Edited(h, old.Kind, text)
	})
}

// editable makes a file of its own for each editor: two may be open, and a text
// that could not be taken must not be overwritten.
func editable(store *gitstate.Store, kind gitstate.Kind) (string, error) {
	f, err := os.CreateTemp(store.Layout().GitDir, "FLOWER_"+strings.ToUpper(string(kind))+"-*.md")
	if err != nil {
		return "", fmt.Errorf("make a file to edit: %w", err)
	}
	return f.Name(), f.Close()
}
