package worktree

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"git-flower/gitstate/gitcmd"
)

// fill makes the slot's files those of a tree object. A slot that was clean at
// some commit is changed where it differs; any other is made anew.
func (p *Pool) fill(ctx context.Context, s *slot, was owner, tree string, want cone) error {
	f, err := p.facts(ctx)
	if err != nil {
		return err
	}
	alike := was.Cone == want.name() && s.cone == want && s.written == f.conversions
	if was.clean() && alike && p.reuse(ctx, s, was.Base, tree) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.wipe(s); err != nil {
		return err
	}
	s.written = f.conversions
	if err := p.room(ctx, tree, 1); err != nil {
		return err
	}
	if err := errors.Join(p.aim(s, want), os.Mkdir(s.tree(), 0o700)); err != nil {
		return err
	}
	return p.checkOut(ctx, s, tree)
}

// checkOut brings files and our index to a tree object.
func (p *Pool) checkOut(ctx context.Context, s *slot, tree string) error {
	f, err := p.facts(ctx)
	if err != nil {
		return err
	}
	index, err := s.copyIndex(false)
	if err != nil {
		return err
	}
	g := p.trusted(s, index)
	if f.config["checkout.workers"] == "" {
		g = g.With("checkout.workers=2")
	}
	stale, err := otherAttributes(ctx, g, index, tree)
	if err == nil {
		_, err = g.Write(ctx, "read-tree", "--reset", "-u", tree)
	}
	encoded := false
	if err == nil {
		encoded, err = encodes(ctx, g)
	}
	if err == nil && (stale || encoded) {
		err = writeAgain(ctx, g, tree, encoded)
	}
	if err != nil {
		return errors.Join(err, removeIndex(index))
	}
	return s.keepIndex(index)
}

// attributeFiles are where a tree says how its files are checked out.
var attributeFiles = []string{"--", ".gitattributes", "**/.gitattributes"}

// otherAttributes reports whether a tree has other attributes than an index, unless
// that is new. A file whose blob stays is not written by git then, though it may
// have to hold other bytes.
func otherAttributes(ctx context.Context, g gitcmd.Git, index, tree string) (bool, error) {
	if _, err := os.Lstat(index); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	out, err := g.Read(ctx, append([]string{"diff-index", "--cached", "--name-only", "-z", tree}, attributeFiles...)...)
	return len(out) > 0, err
}

// encodes reports whether attributes of an index ask for an encoding. A parallel
// checkout may not apply it (seen with git 2.39), and says so only in passing.
func encodes(ctx context.Context, g gitcmd.Git) (bool, error) {
	_, err := g.Read(ctx, append([]string{"grep", "--cached", "-q", "-e", "working-tree-encoding"}, attributeFiles...)...)
	if gitcmd.ExitCode(err) == 1 {
		return false, nil // nothing of the kind
	}
	return err == nil, err
}

// writeAgain writes all files of a tree: an index that has forgotten them takes
// none of them for one that is right.
func writeAgain(ctx context.Context, g gitcmd.Git, tree string, alone bool) error {
	if alone {
		g = g.With("checkout.workers=1")
	}
	_, err := g.Write(ctx, "read-tree", "--empty")
	if err == nil {
		_, err = g.Write(ctx, "read-tree", "--reset", "-u", tree)
	}
	return err
}

// reuse brings a slot that is clean at a commit to a tree object. What was
// prepared under our lock is not looked at again: who could write there could
// write into a tree in use as well.
func (p *Pool) reuse(ctx context.Context, s *slot, base, tree string) error {
	proven := s.proven
	s.proven = false
	if at, err := p.treeOf(ctx, base); err != nil || at != tree {
		if err := p.checkOut(ctx, s, tree); err != nil {
			return err
		}
	} else if proven {
		return nil
	}
	return p.nothingBut(ctx, s, s.index())
}

var errTouched = errors.New("the tree is not as it was left")

// nothingBut makes sure, by names, sizes and times, that a tree holds what an
// index says and nothing else but what its setup made.
func (p *Pool) nothingBut(ctx context.Context, s *slot, index string) error {
	return atOnce(
		func() error { return p.asCommitted(ctx, s, index) },
		func() error {
			extra, err := p.extra(ctx, s, index)
			if err == nil && len(extra) > 0 {
				err = errTouched
			}
			return err
		},
	)
}

// asCommitted makes sure that no file is another one than an index says.
func (p *Pool) asCommitted(ctx context.Context, s *slot, index string) error {
	f, err := p.facts(ctx)
	if err != nil {
		return err
	}
	g := &gathering{git: p.trusted(s, index), root: s.tree(), converts: f.converts()}
	out, err := g.git.Read(ctx, "diff-files", "-z", "--raw", "--no-abbrev", "--ignore-submodules=dirty")
	if err != nil || len(out) == 0 {
		return err
	}
	same, err := g.asWritten(ctx, rawEntries(out))
	if err == nil && 2*len(same) != len(splitZ(out)) {
		err = errTouched
	}
	return err
}

// atOnce does several things side by side and waits for all.
func atOnce(things ...func() error) error {
	errs := make([]error, len(things))
	var wg sync.WaitGroup
	for i, thing := range things {
		wg.Go(func() { errs[i] = thing() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// clean takes everything out of a tree that belongs neither to a commit nor to
// what the setup made, and proves it by reading all of it. It returns nil only with the proof.
func (p *Pool) clean(ctx context.Context, s *slot, commit string) error {
	if err := removeIfThere(filepath.Join(s.tree(), ".git")); err != nil {
		return err
	}
	if err := p.checkOut(ctx, s, commit); err != nil {
		return err
	}
	if err := p.sweep(ctx, s); err != nil {
		return err
	}
	return p.prove(ctx, s, commit)
}

// prove compares the content of every file with a commit, through an index that
// knows nothing yet, and makes that index the slot's.
func (p *Pool) prove(ctx context.Context, s *slot, commit string) error {
	index, err := s.copyIndex(true)
	if err != nil {
		return err
	}
	err = p.proveWith(ctx, s, index, commit)
	if err == nil {
		err = p.nothingBut(ctx, s, index)
	}
	if err != nil {
		return errors.Join(err, removeIndex(index))
	}
	return s.keepIndex(index)
}

func (p *Pool) proveWith(ctx context.Context, s *slot, index, commit string) error {
	g := p.trusted(s, index)
	if _, err := g.Write(ctx, "read-tree", commit); err != nil {
		return err
	}
	if err := p.mask(ctx, s, index, commit); err != nil {
		return err
	}
	_, err := g.Write(ctx, "update-index", "-q", "--refresh")
	return err
}

// wipe empties a slot.
func (p *Pool) wipe(s *slot) error {
	s.cone = cone{}
	return errors.Join(p.discard(s.tree()), p.discard(s.git()), p.discard(s.coneDir()), removeIfThere(s.index()), s.forgetSetup(), p.dropCopies(s))
}

// discard removes a folder of ours for good. It is out of the way at once; what
// cannot be removed now, because a killed process's git still writes there, is
// removed by a later Open.
func (p *Pool) discard(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var name [8]byte
	rand.Read(name[:]) // a name nobody has, not a folder that another Open may empty
	away := filepath.Join(p.trashDir(), hex.EncodeToString(name[:]))
	if err := os.Rename(path, away); err != nil {
		return fmt.Errorf("cannot clear '%s': %w", path, err)
	}
	removeAll(away)
	return nil
}

// removeAll is os.RemoveAll for folders that a worker may have made unreadable.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	opened := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(at, 0o700)
		}
		return nil
	})
	return errors.Join(opened, os.RemoveAll(path))
}

// emptyTrash removes what earlier processes could not. What one that lives is
// removing may go twice.
func (p *Pool) emptyTrash() error {
	entries, err := os.ReadDir(p.trashDir())
	for _, e := range entries {
		removeAll(filepath.Join(p.trashDir(), e.Name()))
	}
	return err
}
