package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"git-flower/worktree/process"
)

// Kept caches are what commands have left in the caches of a throw-away tree at
// the commit a run began at, before any worker's code could run there:
//
//	<State>/warm/<key>
//
// Later throw-away trees of the run begin with a copy. Nothing writes to what is
// kept: a check runs what workers wrote, and could plant there what the next
// check would believe.

// warmKept is how many are kept at most, for as many runs: the newest.
const warmKept = 3

// copiers is how many files are copied at once.
const copiers = 4

func (p *Pool) warmDir() string { return filepath.Join(p.c.State, "warm") }

// warmPath is where a run's caches are kept, by the commit it began at.
func (p *Pool) warmPath(run, base string) string {
	sum := sha256.Sum256([]byte(run + "\x00" + base))
	return filepath.Join(p.warmDir(), hex.EncodeToString(sum[:8]))
}

// KeepCaches takes the caches out of a throw-away tree in which commands have run
// and keeps them for CheckoutWarm of the same run. It is for a tree at the commit
// the run began at: nothing that a worker wrote may have run in it. The tree is of
// no more use, but to be released. What is kept already stays as it is.
func (p *Pool) KeepCaches(t *Tree, run string) error {
	if !p.c.Fence.On() {
		return nil // commands have the user's own caches
	}
	s, err := p.slotOf(t)
	if err != nil {
		return err
	}
	defer s.busy.Unlock()
	if err := p.keepCaches(s, p.warmPath(run, t.Base)); err != nil {
		return fmt.Errorf("cannot keep the caches of tree '%s': %w", s.name, err)
	}
	return nil
}

func (p *Pool) keepCaches(s *slot, to string) error {
	if s.owner.State != stateScratch {
		return errors.New("it is a worker's")
	}
	if err := process.EndLeft(s.dir); err != nil {
		return err
	}
	if by := occupied(s); by != "" {
		return fmt.Errorf("it is still used by %s", by)
	}
	if err := os.MkdirAll(p.warmDir(), 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if err := os.Rename(p.caches(s, true), to); err != nil {
		return err
	}
	now := time.Now() // the file system's clock, whatever Config.Now says
	if err := os.Chtimes(to, now, now); err != nil {
		return err
	}
	return p.forgetWarm(warmKept)
}

// forgetWarm removes all kept caches but the newest.
func (p *Pool) forgetWarm(keep int) error {
	entries, err := os.ReadDir(p.warmDir())
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(changedAt(b), changedAt(a)) })
	var errs []error
	for _, e := range entries[min(keep, len(entries)):] {
		errs = append(errs, p.discard(filepath.Join(p.warmDir(), e.Name())))
	}
	return errors.Join(errs...)
}

// changedAt is when an entry was changed, in nanoseconds; 0 if it is gone.
func changedAt(e fs.DirEntry) int64 {
	info, err := e.Info()
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// CheckoutWarm is Checkout for checks of a run, with a copy of the caches that
// KeepCaches has kept of it at protect.From. Without any, with no room for the
// copy, or when it fails the caches are empty.
func (p *Pool) CheckoutWarm(ctx context.Context, run, commit string, protect ProtectSpec) (*Tree, error) {
	base, err := p.commitHere(ctx, protect.From)
	if err != nil {
		return nil, fmt.Errorf("cannot check out '%s': %w", commit, err)
	}
	return p.checkoutFrom(ctx, commit, protect, p.warmPath(run, base))
}

// warmUp makes the caches of a slot that has none: a copy of what is kept, if
// there is some. That they are warm is never worth an error.
func (p *Pool) warmUp(ctx context.Context, s *slot, kept string) error {
	if kept == "" || !p.c.Fence.On() {
		return nil
	}
	now := time.Now()
	if os.Chtimes(kept, now, now) != nil {
		return nil // there is none
	}
	if err := p.copyTree(ctx, kept, p.caches(s, true)); err != nil {
		return errors.Join(ctx.Err(), p.discard(p.caches(s, true)))
	}
	return nil
}

// copyTree copies folders, files and links. What a folder or a file may be used
// for is not copied but that it can be run. It does without when the copy would
// take more than half of the room.
func (p *Pool) copyTree(ctx context.Context, from, to string) error {
	var files []string
	var size uint64
	err := filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case d.Type() == fs.ModeSymlink:
			return copyLink(at, filepath.Join(to, name))
		case d.Type().IsRegular():
			files = append(files, name)
			size += uint64(info.Size()) + block
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if free, err := p.free(); err == nil && free.Bytes/2 < size {
		return errors.New("no room")
	}
	return copyFiles(ctx, from, to, files)
}

func copyLink(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(target, to)
}

func copyFiles(ctx context.Context, from, to string, files []string) error {
	errs := make([]error, copiers)
	var wg sync.WaitGroup
	for i := range copiers {
		wg.Go(func() {
			for n := i; n < len(files) && errs[i] == nil && ctx.Err() == nil; n += copiers {
				errs[i] = copyWithMode(filepath.Join(from, files[n]), filepath.Join(to, files[n]))
			}
		})
	}
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

func copyWithMode(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if err := copyFile(from, to); err != nil {
		return err
	}
	return os.Chmod(to, 0o600|info.Mode().Perm()&0o111)
}
