package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// A JoinSpec asks to merge a worker's tip into what the workers made so far.
type JoinSpec struct {
	Join    string // the join so far; empty at first
	Tip     string // a worker's tip, in the user's objects, no snapshot
	Message string // of the merge commit, trailers included
}

// A JoinResult is the new join, or why there is none.
type JoinResult struct {
	Commit    string
	Conflicts []string // files that need a decision; Commit is then empty
}

// Join merges in objects alone: no checkout, no index and no ref is touched.
// One side that contains the other is the result.
func (p *Pool) Join(ctx context.Context, spec JoinSpec) (JoinResult, error) {
	r, err := p.join(ctx, spec)
	if err != nil {
		return r, fmt.Errorf("cannot join '%s' with '%s': %w", spec.Tip, spec.Join, err)
	}
	return r, nil
}

func (p *Pool) join(ctx context.Context, spec JoinSpec) (JoinResult, error) {
	tip, err := p.commitHere(ctx, spec.Tip)
	if err != nil || spec.Join == "" {
		return JoinResult{Commit: tip}, err
	}
	join, err := p.commit(ctx, spec.Join)
	if err != nil {
		return JoinResult{}, err
	}
	need, err := p.needed(ctx, join, tip)
	if err != nil {
		return JoinResult{}, err
	}
	if len(need) == 1 {
		return JoinResult{Commit: need[0]}, nil
	}
	tree, conflicts, err := p.mergeTree(ctx, join, tip)
	if err != nil || len(conflicts) > 0 {
		return JoinResult{Conflicts: conflicts}, err
	}
	message := strings.Trim(plain(spec.Message), "\n")
	if message == "" {
		message = "join"
	}
	commit, err := p.writeCommit(ctx, p.objects(), tree, message+"\n", join, tip)
	return JoinResult{Commit: commit}, err
}

// mergeTree merges two commits into a tree object.
func (p *Pool) mergeTree(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	f, err := p.facts(ctx)
	if err != nil {
		return "", nil, err
	}
	if !f.version.AtLeast(2, 38) {
		return p.mergeInTree(ctx, ours, theirs)
	}
	dir, err := p.attributes(ctx, ours)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out, err := p.objects().In(dir).Env("GIT_WORK_TREE="+dir).Write(ctx,
		"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	return readMerge(f, out, err)
}

// readMerge reads what 'merge-tree -z --name-only' printed: the tree, then the
// files in conflict. Its exit code alone does not tell a conflict from a fault.
func readMerge(f *facts, out []byte, failed error) (string, []string, error) {
	fields := splitZ(out)
	if len(fields) == 0 || !f.validID(fields[0]) {
		return "", nil, errors.Join(errors.New("git could not merge"), failed)
	}
	var conflicts []string
	for _, name := range fields[1:] {
		if name == "" {
			break
		}
		conflicts = append(conflicts, name)
	}
	if len(conflicts) == 0 && failed != nil {
		return "", nil, failed
	}
	return fields[0], conflicts, nil
}

// mergeInTree merges where git cannot without files (before 2.38): in a
// throw-away tree that nobody else has worked in.
func (p *Pool) mergeInTree(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	t, err := p.Checkout(ctx, ours, ProtectSpec{})
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, p.Release(context.WithoutCancel(ctx), t)) }()
	g := gitcmd.Foreign(t.Path, "GIT_DIR="+t.GitDir, "GIT_WORK_TREE="+t.Path,
		"GIT_OBJECT_DIRECTORY="+filepath.Join(p.c.CommonDir, "objects")).With(noLFS...)
	_, failed := g.Write(ctx, "merge", "--no-ff", "--no-commit", "--no-stat", "-q", theirs)
	out, err := g.Read(ctx, "diff", "--name-only", "-z", "--diff-filter=U")
	if conflicts = splitZ(out); err != nil || len(conflicts) > 0 {
		return "", conflicts, err
	}
	if failed != nil {
		return "", nil, failed
	}
	tree, err = g.Line(ctx, "write-tree")
	return tree, nil, err
}
