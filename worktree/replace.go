package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"git-flower/gitstate/gitcmd"
)

// A replacement is what a landing puts aside: changes that a run began with, that
// still lie uncommitted in the checkout, and that the run's result holds.
type replacement struct {
	pool  *Pool
	git   gitcmd.Git // the user's, at the top of the checkout
	head  string     // what is checked out
	added []string   // files that head does not hold
	kept  []string   // files of head that were changed or removed
	aside *aside     // while they are put aside
}

// replaceable finds out what of the checkout may be replaced. A checkout with any
// other change than those that KeepChanges recorded in base, or in which some of
// them are missing, is a *DirtyError; content that is staged and nowhere else is
// a *StagedError. It is nil where nothing has to be replaced. Held tells that the
// checkout's files are those of the join, whatever base holds.
func (p *Pool) replaceable(ctx context.Context, g gitcmd.Git, head string, spec LandSpec) (old *replacement, held bool, err error) {
	out, err := g.Read(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames")
	if err != nil {
		return nil, false, err
	}
	dirty := dirtyPaths(splitZ(out))
	same, err := p.inCheckout(ctx, head, spec.Join, dirty)
	if err == nil && len(same) > 0 {
		old, err = p.replacement(ctx, g, head, spec.Join, same)
		return old, old != nil, err
	}
	if err == nil {
		old, err = p.recorded(ctx, g, head, spec.Base, dirty)
	}
	return old, false, err
}

// inCheckout returns the names of the files in which a commit differs from head, when
// all of them are in the checkout as in the commit, and no other is dirty.
func (p *Pool) inCheckout(ctx context.Context, head, commit string, dirty []string) ([]string, error) {
	names, err := p.namesBetween(ctx, head, commit)
	if err != nil {
		return nil, err
	}
	for _, name := range dirty {
		if !slices.Contains(names, name) {
			return nil, nil
		}
	}
	_, other, err := p.compareWith(ctx, commit, names)
	var conflict *ConflictError
	if errors.As(err, &conflict) || len(other) > 0 {
		return nil, nil
	}
	return names, err
}

// recorded is what may be replaced of the changes that base holds.
func (p *Pool) recorded(ctx context.Context, g gitcmd.Git, head, base string, dirty []string) (*replacement, error) {
	before, err := p.KeptOn(ctx, base)
	if err != nil {
		return nil, err
	}
	if before == "" {
		return nil, dirtyError(dirty, false)
	}
	names, err := p.namesBetween(ctx, before, base)
	if err != nil {
		return nil, err
	}
	same, other, err := p.compareWith(ctx, base, names)
	if err != nil {
		return nil, err
	}
	if len(dirty) > 0 {
		for _, name := range dirty {
			if !slices.Contains(names, name) {
				other = append(other, name)
			}
		}
		if err := dirtyError(other, true); err != nil {
			return nil, err
		}
	}
	return p.replacement(ctx, g, head, base, same)
}

func dirtyError(paths []string, recorded bool) error {
	if len(paths) == 0 {
		return nil
	}
	return &DirtyError{Paths: paths, Besides: recorded}
}

// KeptOn returns the commit whose checkout KeepChanges kept in base, or nothing
// when base is any other commit.
func (p *Pool) KeptOn(ctx context.Context, base string) (string, error) {
	if base == "" {
		return "", nil
	}
	base, err := p.commitHere(ctx, base)
	if err != nil {
		return "", err
	}
	parents, err := p.objects().Line(ctx, "show", "-s", "--no-show-signature", "--format=%P", "--end-of-options", base)
	if err != nil {
		return "", err
	}
	if s, err := p.readSnapshot(ctx, base); err == nil && s.head == parents {
		return s.head, nil
	}
	return "", nil // whatever its message says
}

func (p *Pool) namesBetween(ctx context.Context, from, to string) ([]string, error) {
	out, err := p.objects().Read(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--end-of-options", from, to)
	return splitZ(out), err
}

// compareWith tells which of the names are in the checkout as in a commit, gone
// ones included, and which are not.
func (p *Pool) compareWith(ctx context.Context, commit string, names []string) (same, other []string, err error) {
	v, err := p.viewCheckout(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	differ, err := v.differing(ctx, commit)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if differ(name) {
			other = append(other, name)
		} else {
			same = append(same, name)
		}
	}
	return same, other, nil
}

// differing compares the files with a commit or tree and returns a function that
// says of a name whether its file is another one, or is there without being in it.
func (v *view) differing(ctx context.Context, commit string) (func(name string) bool, error) {
	if err := v.load(ctx, commit); err != nil {
		return nil, err
	}
	// Its exit code only says whether there was something to refresh.
	if _, err := v.git.Write(ctx, "update-index", "-q", "--refresh"); gitcmd.ExitCode(err) < 0 {
		return nil, err
	}
	out, err := v.git.Read(ctx, "diff-files", "-z", "--name-only")
	if err != nil {
		return nil, err
	}
	changed, err := v.trulyChanged(ctx, commit, splitZ(out))
	if err != nil {
		return nil, err
	}
	if out, err = v.git.Read(ctx, "ls-files", "-z"); err != nil {
		return nil, err
	}
	held := splitZ(out) // git's order, which is that of bytes
	return func(name string) bool {
		if _, found := slices.BinarySearch(held, name); found {
			return slices.Contains(changed, name)
		}
		info, err := os.Lstat(filepath.Join(v.top, filepath.FromSlash(name)))
		return err == nil && !info.IsDir()
	}, nil
}

// trulyChanged drops files that git-lfs keeps and whose content is the one that
// the commit points to.
func (v *view) trulyChanged(ctx context.Context, commit string, changed []string) ([]string, error) {
	g := &gathering{git: v.git, root: v.top, large: v.large}
	others, err := g.pointed(ctx, changed)
	if err != nil || len(others) == len(changed) {
		return changed, err
	}
	out, err := v.git.Read(ctx, "diff-index", "--cached", "-z", "--name-only", "--no-renames", commit)
	return append(others, splitZ(out)...), err
}

// replacement sorts what is to be replaced by what head holds of it.
func (p *Pool) replacement(ctx context.Context, g gitcmd.Git, head, base string, same []string) (*replacement, error) {
	out, err := p.objects().Read(ctx, "diff-tree", "-r", "-z", "--name-status", "--no-renames", head, base)
	if err != nil {
		return nil, err
	}
	r := &replacement{pool: p, git: g.With("core.hooksPath=/dev/null"), head: head}
	fields := splitZ(out)
	for i := 0; i+1 < len(fields); i += 2 {
		switch name := fields[i+1]; {
		case !slices.Contains(same, name):
		case fields[i] == "A":
			r.added = append(r.added, name)
		default:
			r.kept = append(r.kept, name)
		}
	}
	if len(r.added)+len(r.kept) == 0 {
		return nil, nil
	}
	return r, r.nothingStagedAlone(ctx)
}

func (r *replacement) nothingStagedAlone(ctx context.Context) error {
	only, err := (&view{users: r.git}).stagedOnly(ctx)
	if err == nil && len(only) > 0 {
		err = &StagedError{Paths: only}
	}
	return err
}

// putAside copies what is to be replaced and makes the checkout that of its HEAD.
func (r *replacement) putAside(ctx context.Context, spec LandSpec, tree string) (err error) {
	if r.aside, err = r.pool.openAside(ctx, asideNote{Head: r.head, Join: spec.Join, Tree: tree}, slices.Concat(r.added, r.kept)); err != nil {
		return err
	}
	crashPoint("worktree-land-copied")
	if err := r.clean(ctx); err != nil {
		return r.putBack(ctx, err)
	}
	crashPoint("worktree-land-cleaned")
	return nil
}

// clean is what the copies are made for.
func (r *replacement) clean(ctx context.Context) error {
	l := landing{git: r.git, before: r.head, added: r.added, kept: r.kept}
	if len(r.added) > 0 {
		if _, err := r.git.WriteIn(ctx, lines(r.added), "update-index", "-z", "--force-remove", "--stdin"); err != nil {
			return err
		}
	}
	if err := l.putBack(ctx, r.git); err != nil {
		return err
	}
	out, err := r.git.Read(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames")
	if err == nil {
		err = dirtyError(dirtyPaths(splitZ(out)), true)
	}
	return err
}

// putBack undoes putAside after a failure, which it returns.
func (r *replacement) putBack(ctx context.Context, failed error) error {
	if r == nil || r.aside == nil {
		return failed
	}
	return errors.Join(failed, r.aside.putBack(ctx), r.aside.close())
}

// done forgets the copies.
func (r *replacement) done() error {
	if r == nil || r.aside == nil {
		return nil
	}
	return errors.Join(r.aside.drop(), r.aside.close())
}

func (r *replacement) paths() []string {
	if r == nil {
		return nil
	}
	all := slices.Concat(r.added, r.kept)
	slices.Sort(all)
	return all
}
