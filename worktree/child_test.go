package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-flower/gitstate/gitcmd"
)

// childVariable makes the test binary live a worker's life and tell each step
// on a line; its value is the repository, childState the folder of the trees.
const (
	childVariable = "WORKTREE_TEST_CHILD"
	childState    = "WORKTREE_TEST_STATE"
	childWorker   = "WORKTREE_TEST_WORKER" // "coder-1" if unset
	childLand     = "WORKTREE_TEST_LAND"   // "<base> <join>": land instead
)

func child() int {
	if err := live(os.Getenv(childVariable), os.Getenv(childState)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// live goes on where an earlier one was killed.
func live(dir, state string) error {
	ctx := context.Background()
	gitDir := filepath.Join(dir, ".git")
	p, err := Open(ctx, Config{Git: gitcmd.New(dir), GitDir: gitDir, CommonDir: gitDir, State: state,
		NoSync: true, Now: func() time.Time { return time.Unix(1_700_000_000, 0).UTC() }})
	if err != nil {
		return err
	}
	fmt.Println("opened")
	if base, join, ok := strings.Cut(os.Getenv(childLand), " "); ok {
		_, err := p.Land(ctx, LandSpec{Base: base, Join: join, Message: "land it"})
		return err
	}
	base, err := p.commitHere(ctx, "refs/heads/main")
	if err != nil {
		return err
	}
	worker := cmp.Or(os.Getenv(childWorker), "coder-1")
	tree, err := reopenOrAdd(ctx, p, Spec{Run: "run", Worker: worker, Base: base})
	if err != nil {
		return err
	}
	fmt.Println("added", tree.Slot)
	if err := work(ctx, p, tree); err != nil {
		return err
	}
	check, err := p.Checkout(ctx, base, ProtectSpec{})
	if err != nil {
		return err
	}
	fmt.Println("checking", check.Slot)
	if err := p.Release(ctx, check); err != nil {
		return err
	}
	if err := p.Release(ctx, tree); err != nil {
		return err
	}
	fmt.Println("released")
	return nil
}

func reopenOrAdd(ctx context.Context, p *Pool, spec Spec) (*Tree, error) {
	tree, err := p.Reopen(ctx, spec)
	if errors.Is(err, fs.ErrNotExist) {
		return p.Add(ctx, spec)
	}
	return tree, err
}

func work(ctx context.Context, p *Pool, tree *Tree) error {
	for _, name := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(tree.Path, name), []byte(name), 0o644); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(tree.Path, "lib", "b.txt")); err != nil {
			return err
		}
		fmt.Println("wrote", name)
		snap, err := p.Snapshot(ctx, tree, "")
		if err != nil {
			return err
		}
		fmt.Println("kept", snap.Commit)
		got, err := p.Finish(ctx, tree, CommitMessage{Subject: name})
		if err != nil {
			return err
		}
		fmt.Println("finished", got.Tip)
	}
	return nil
}
