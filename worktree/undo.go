package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"git-flower/gitstate/gitcmd"
)

// A landing is a merge into a checkout that was found clean.
type landing struct {
	git    gitcmd.Git // at the top of the checkout
	before string     // its HEAD
	tree   string     // what the merge makes
	added  []string   // files the merge makes; nothing stood there
	kept   []string   // files of HEAD it changes or removes
}

// touches fills in what the merge touches, when tree is what it makes.
func (p *Pool) touches(ctx context.Context, l *landing, tree string) error {
	out, err := p.objects().Read(ctx, "diff-tree", "-r", "-z", "--name-status", "--no-renames", l.before, tree)
	fields := splitZ(out)
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "A" {
			l.added = append(l.added, fields[i+1])
		} else {
			l.kept = append(l.kept, fields[i+1])
		}
	}
	return err
}

// undo brings the checkout back to its HEAD after a merge that failed, and
// returns why it did. When HEAD has moved, the merge has come to its end after
// all, and undo returns nil.
func (l *landing) undo(ctx context.Context, failed error) error {
	g := l.git.With("core.hooksPath=/dev/null")
	head, err := g.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err == nil && head != l.before {
		return nil
	}
	if _, bad := g.Write(ctx, "reset", "--merge", "-q"); bad != nil {
		err = errors.Join(err, bad)
	}
	if gitcmd.ExitCode(failed) < 0 {
		err = errors.Join(err, l.putBack(ctx, g))
	}
	return errors.Join(failed, err)
}

// putBack restores what a git that was stopped on its way had touched: its index
// knows nothing of the files it had written.
func (l *landing) putBack(ctx context.Context, g gitcmd.Git) error {
	var errs []error
	for _, name := range l.added {
		errs = append(errs, l.remove(name))
	}
	if len(l.kept) > 0 {
		_, err := g.WriteIn(ctx, lines(l.kept), "--literal-pathspecs", "restore", "--source=HEAD", "--staged", "--worktree",
			"--pathspec-from-file=-", "--pathspec-file-nul")
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// remove takes a file away that the merge made, and folders that it leaves empty.
func (l *landing) remove(name string) error {
	at := func(name string) string { return filepath.Join(l.git.Dir(), filepath.FromSlash(name)) }
	info, err := os.Lstat(at(name))
	if err != nil || info.IsDir() {
		return nil
	}
	if err := os.Remove(at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(at(dir)) != nil {
			break
		}
	}
	return nil
}
