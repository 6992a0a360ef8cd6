package engine

import (
	"context"
	"time"

	"git-flower/gitstate"
	"git-flower/worktree"
	"git-flower/worktree/process"
)

// State is the run's history on its ref.
type State interface {
	History() gitstate.History
	// Append returns gitstate.ErrConflict when the tip moved meanwhile.
	Append(ctx context.Context, r gitstate.Record) (gitstate.Entry, error)
	Reload(ctx context.Context) error
	// KeepWork moves the ref of a worker from old to tip without a record.
	KeepWork(ctx context.Context, worker string, old, tip gitstate.ObjectID) error
}

// Trees hands out workers' trees and takes their work in.
type Trees interface {
	// Prepare has n free trees lie ready at a commit.
	Prepare(ctx context.Context, base string, n int) error
	Add(ctx context.Context, s worktree.Spec) (*worktree.Tree, error)
	Reopen(ctx context.Context, s worktree.Spec) (*worktree.Tree, error)
	Finish(ctx context.Context, t *worktree.Tree, m worktree.CommitMessage) (worktree.Result, error)
	Release(ctx context.Context, t *worktree.Tree) error
}

// Snapshots keep what a worker has not committed yet.
type Snapshots interface {
	Snapshot(ctx context.Context, t *worktree.Tree, parent string) (worktree.Snapshot, error)
	SnapshotPaths(ctx context.Context, t *worktree.Tree, parent string, paths []string) (worktree.Snapshot, error)
	// Restore makes a tree from a snapshot, for a worker that has none.
	Restore(ctx context.Context, s worktree.Spec, snapshot string) (*worktree.Tree, worktree.Restored, error)
}

// Joins merges workers' results without a checkout.
type Joins interface {
	Join(ctx context.Context, s worktree.JoinSpec) (worktree.JoinResult, error)
	Diffstat(ctx context.Context, from, to string) (string, error)
	Changed(ctx context.Context, from, to string) ([]string, error)
	// Files reads those of the paths that a commit has.
	Files(ctx context.Context, commit string, paths []string) (map[string]worktree.File, error)
}

// Scenes are throw-away trees in which checks run and judges look.
type Scenes interface {
	Checkout(ctx context.Context, commit string, p worktree.ProtectSpec) (*worktree.Tree, error)
	// CheckoutWarm is Checkout for a run's checks, with the caches that were kept of
	// its first ones, on the commit it began at.
	CheckoutWarm(ctx context.Context, run, commit string, p worktree.ProtectSpec) (*worktree.Tree, error)
	KeepCaches(t *worktree.Tree, run string) error
	// TreeDigest names what a tree's files are now; the same files, the same name.
	TreeDigest(ctx context.Context, t *worktree.Tree) (string, error)
	Release(ctx context.Context, t *worktree.Tree) error
}

// Commands runs shell commands, for checks.
type Commands interface {
	Run(ctx context.Context, c process.Command) (process.Result, error)
}

// Trust decides whether the commands of a goal may run on this machine. Others can
// add a goal to a run while it is driven, so it is asked each time.
type Trust interface {
	// Accept returns ErrForeign when nobody has accepted them here.
	Accept(ctx context.Context, goal gitstate.Doc) error
}

// Transcripts tells whether a session's past is on this machine.
type Transcripts interface {
	Len(ctx context.Context, session string) (int, error)
}

// Human is the person, or the fact that nobody is there.
type Human interface {
	// Ask returns the person's words, or ErrNobody when none came in time.
	Ask(ctx context.Context, q Question) (string, error)
}

// A Question waits for a person.
type Question struct {
	Name    string // of its document
	From    string // who asks: a role or a worker
	Text    string
	Options []string
}

// Windows tells how many tokens the contexts of models hold.
type Windows interface {
	// Window is that of a model, zero when it is not known.
	Window(model string) int64
	// Overflowed notes that a model's window turned out to hold no more than so much.
	Overflowed(model string, window int64) error
}

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Wait returns after d, or earlier with the context's error.
	Wait(ctx context.Context, d time.Duration) error
}
