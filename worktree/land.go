package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// A LandSpec asks to merge a join into the branch that the user has checked out.
type LandSpec struct {
	Join    string
	Base    string // the run's; changes that KeepChanges made it from may lie in the checkout
	Branch  string // "refs/heads/main" when it may be no other; empty is any
	Message string // of the merge commit, or of the one commit of a squash
	Squash  bool   // all changes as one commit with one parent
	NoFF    bool   // a merge commit also where a fast-forward would do
}

// A LandResult is where the user's branch went.
type LandResult struct {
	Branch      string // "refs/heads/main"
	Before      string
	After       string // equal to Before when it held the join already
	FastForward bool
	Stat        string   // diffstat from Before to After
	Replaced    []string // changed files of the checkout that Base holds, and in whose place the result is
	Held        bool     // the checkout held the result already, and Replaced are its files that no branch had
}

// Land merges a join into the checked-out branch in the user's checkout, with
// the user's own configuration and hooks, since it is the user who lands. It
// refuses what it could not undo: ErrBare, ErrUnborn, ErrDetached,
// *InProgressError, *BranchError, *DirtyError, *StagedError, *OverwriteError, and
// *ConflictError when the two do not merge by themselves. After any error, also a
// hook's, checkout and branch are as they were. Once git has begun to merge, the
// end of ctx no longer stops it.
//
// Uncommitted changes are no obstacle when they are those that spec.Base keeps,
// all of them and no other: the result, which was made from them, takes their
// place. Neither are they when they are the result itself, as after a run in
// place. Where this process is killed on the way the next Open puts them back. A
// checkout that a run in place works in is a *TakenError.
func (p *Pool) Land(ctx context.Context, spec LandSpec) (LandResult, error) {
	r, err := p.land(ctx, spec)
	if err != nil {
		return r, fmt.Errorf("cannot land '%s': %w", spec.Join, err)
	}
	return r, nil
}

func (p *Pool) land(ctx context.Context, spec LandSpec) (LandResult, error) {
	join, err := p.commitHere(ctx, spec.Join)
	if err != nil {
		return LandResult{}, err
	}
	spec.Join = join
	if spec.Message = strings.Trim(plain(spec.Message), "\n"); spec.Message == "" {
		spec.Message = "land " + join
	}
	if _, err := os.Lstat(p.asideIn()); err == nil {
		return LandResult{}, &InterruptedError{Dir: p.asideIn()}
	}
	g, r, err := p.checkoutReady(ctx)
	if err == nil && spec.Branch != "" && r.Branch != spec.Branch {
		err = &BranchError{Want: spec.Branch, Have: r.Branch}
	}
	if err != nil {
		return r, err
	}
	leave, err := p.notTaken(g.Dir())
	if err != nil {
		return r, err
	}
	defer leave()
	old, held, err := p.replaceable(ctx, g, r.Before, spec)
	if err != nil {
		return r, err
	}
	r.Held = held
	l, err := p.plan(ctx, g, spec, &r)
	if err = errors.Join(err, ctx.Err()); err != nil || l == nil {
		return r, err
	}
	ctx = context.WithoutCancel(ctx) // a git that is stopped now may leave its lock
	if err := p.carryOut(ctx, l, spec, r.FastForward, old); err != nil {
		return r, err
	}
	r.Replaced = old.paths()
	return p.landed(ctx, g, r)
}

// carryOut merges, after what is to be replaced was put aside.
func (p *Pool) carryOut(ctx context.Context, l *landing, spec LandSpec, fastForward bool, old *replacement) error {
	if old != nil {
		if err := old.putAside(ctx, spec, l.tree); err != nil {
			return err
		}
	}
	if err := l.fits(ctx); err != nil {
		return old.putBack(ctx, err)
	}
	if err := merge(ctx, l.git, spec, fastForward); err != nil {
		if err := l.undo(ctx, err); err != nil {
			return old.putBack(ctx, err)
		}
	}
	crashPoint("worktree-land-merged")
	return old.done()
}

// plan finds out what is to be done, and whether it can be. It returns nil when
// the branch has it all.
func (p *Pool) plan(ctx context.Context, g gitcmd.Git, spec LandSpec, r *LandResult) (*landing, error) {
	r.After = r.Before
	need, err := p.needed(ctx, r.Before, spec.Join)
	if err != nil || len(need) == 1 && need[0] == r.Before {
		return nil, err
	}
	tree, err := p.mergeable(ctx, r.Before, spec.Join)
	if err != nil {
		return nil, err
	}
	if at, err := p.treeOf(ctx, r.Before); err != nil || at == tree && spec.Squash {
		return nil, err // by other commits
	}
	r.FastForward = len(need) == 1 && !spec.Squash && !spec.NoFF
	l := &landing{git: g, before: r.Before, tree: tree}
	return l, p.touches(ctx, l, tree)
}

func (p *Pool) landed(ctx context.Context, g gitcmd.Git, r LandResult) (LandResult, error) {
	var err error
	if r.After, err = g.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return r, err
	}
	r.Stat, err = p.Diffstat(ctx, r.Before, r.After)
	return r, err
}

// checkoutReady makes sure that the user's checkout can be merged into, and
// returns git at its top.
func (p *Pool) checkoutReady(ctx context.Context) (gitcmd.Git, LandResult, error) {
	g, r := p.c.Git, LandResult{}
	top, err := g.Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil || top == "" {
		return g, r, ErrBare
	}
	g = g.In(top)
	if r.Branch, err = g.Line(ctx, "symbolic-ref", "-q", "HEAD"); err != nil {
		return g, r, ErrDetached
	}
	if r.Before, err = g.Line(ctx, "rev-parse", "--verify", "-q", "HEAD^{commit}"); err != nil {
		return g, r, ErrUnborn
	}
	if op := operationIn(p.c.GitDir); op != "" {
		return g, r, &InProgressError{Operation: op}
	}
	return g, r, nil
}

// dirtyPaths reads 'status --porcelain=v1 -z --no-renames'.
func dirtyPaths(fields []string) []string {
	var paths []string
	for _, field := range fields {
		if len(field) > 3 {
			paths = append(paths, field[3:])
		}
	}
	return paths
}

// merge does what git does for a user.
func merge(ctx context.Context, g gitcmd.Git, spec LandSpec, fastForward bool) error {
	switch {
	case fastForward:
		_, err := g.Write(ctx, "merge", "--ff-only", "--no-squash", "--commit", "--no-stat", spec.Join)
		return err
	case spec.Squash:
		return squash(ctx, g, spec)
	}
	_, err := g.Write(ctx, "merge", "--no-ff", "--no-squash", "--commit", "--no-edit", "--cleanup=whitespace", "--no-stat", "-m", spec.Message, spec.Join)
	return err
}

func squash(ctx context.Context, g gitcmd.Git, spec LandSpec) error {
	if _, err := g.Write(ctx, "merge", "--squash", "--ff", "--no-stat", spec.Join); err != nil {
		return err
	}
	_, err := g.Write(ctx, "commit", "--no-edit", "--cleanup=whitespace", "-m", spec.Message)
	return err
}
