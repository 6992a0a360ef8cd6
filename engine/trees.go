package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"git-flower/gitstate"
	"git-flower/worktree"
)

// treeOf is a worker's tree: the one it has, or a new one at its base, and what
// the worker must be told about it.
func (e *Engine) treeOf(ctx context.Context, begun gitstate.Doc) (*worktree.Tree, string, error) {
	spec := e.spec(begun.Meta.Worker, string(begun.Meta.Code))
	defer e.waiting(ctx, Event{Worker: begun.Meta.Worker, Text: "a tree that is being prepared"}, 0)()
	tree, err := e.deps.Trees.Reopen(ctx, spec)
	if err == nil {
		return tree, replacedNote(begun), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("open the tree of '%s': %w", begun.Meta.Worker, err)
	}
	n, err := e.deps.Transcripts.Len(ctx, begun.Meta.Session)
	if err != nil {
		return nil, "", fmt.Errorf("look for the transcript of '%s': %w", begun.Meta.Worker, err)
	}
	if tip := saved(e.deps.State.History(), begun.Meta.Worker); tip != "" {
		return e.restored(ctx, begun, tip)
	}
	if tree, err = e.deps.Trees.Add(ctx, spec); err != nil {
		return nil, "", fmt.Errorf("prepare a tree for '%s': %w", begun.Meta.Worker, err)
	}
	note, err := e.setUp(ctx, begun, tree)
	if n == 0 && len(begun.Meta.From) == 0 || err != nil {
		return tree, note, err
	}
	return tree, strings.TrimSpace("Your working tree was lost and has been made anew at the commit you started from. What you changed in it is gone; look, and do it again.\n\n" + note), nil
}

// restored makes a worker's tree from its newest snapshot, and tells the person.
func (e *Engine) restored(ctx context.Context, begun gitstate.Doc, tip gitstate.ObjectID) (*worktree.Tree, string, error) {
	name := begun.Meta.Worker
	tree, r, err := e.deps.Snapshots.Restore(ctx, e.spec(name, string(begun.Meta.Code)), string(tip))
	if err != nil {
		return nil, "", fmt.Errorf("restore the tree of '%s': %w", name, err)
	}
	text := fmt.Sprintf("the tree of %s was made again from its snapshot %s", name, tip.Short())
	if len(r.LeftOut) > 0 {
		text += "; not in it: " + strings.Join(first(r.LeftOut, restoredListed), ", ")
	}
	e.emit(Event{Kind: EventNotice, Step: begun.Meta.Step, Label: begun.Meta.Label, Worker: name, Text: text})
	note, err := e.setUp(ctx, begun, tree)
	return tree, strings.TrimSpace(restoredNote(r) + "\n\n" + note), err
}

// setUp tells of a new tree whose setup did not succeed: a person by a record, the
// worker by what is returned.
func (e *Engine) setUp(ctx context.Context, begun gitstate.Doc, t *worktree.Tree) (note string, err error) {
	if t.SetupFailed == "" {
		return "", nil
	}
	m := begun.Meta
	_, err = e.record(ctx, gitstate.Record{
		Kind: gitstate.KindNotice, Subject: "the setup of the tree of " + m.Worker + " failed",
		Body: "The command of flower.setup did not succeed: " + t.SetupFailed,
		Meta: gitstate.Meta{Step: m.Step, Label: m.Label, Round: m.Round, Worker: m.Worker},
	})
	return "The command that should have prepared your working tree failed, so that what it installs may be missing: " + t.SetupFailed, err
}

func (e *Engine) spec(worker, base string) worktree.Spec {
	return worktree.Spec{Run: e.deps.State.History().Name, Worker: worker, Base: base}
}
