package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"git-flower/gitstate"
	"git-flower/worktree"
)

// DefaultKeepEvery is how often a worker's whole tree is looked at (design 5).
const DefaultKeepEvery = time.Minute

const (
	// lookShare bounds what looking costs: a look that took a second is not
	// repeated within twenty (design 5).
	lookShare = 20
	// saveTime is how long the last snapshot of a worker that is cut off may take.
	saveTime = 2 * time.Minute
)

// A keeper makes snapshots of a worker's tree beside its work, which it never
// delays: of files that tools have written at once, of the whole tree now and
// then. What is wanted while one is made becomes the next. The worker's ref
// follows without a record.
type keeper struct {
	w      *worker
	wanted chan struct{} // something is to be kept
	cancel context.CancelFunc
	over   sync.WaitGroup

	mu     sync.Mutex
	paths  []string
	whole  bool
	took   time.Duration // the last look at everything
	failed bool          // the last snapshot, which was told
}

// keep begins to keep the worker's work, until stop.
func (w *worker) keep(ctx context.Context) *keeper {
	k := &keeper{w: w, wanted: make(chan struct{}, 1)}
	waiting, cancel := context.WithCancel(ctx)
	k.cancel = cancel
	k.over.Go(func() { k.run(ctx, waiting) })
	if w.e.c.KeepEvery > 0 {
		k.over.Go(func() { k.remind(waiting) })
	}
	return k
}

// stop waits for a snapshot that is being made and makes no other. It may be
// called twice.
func (k *keeper) stop() {
	k.cancel()
	k.over.Wait()
}

// edited asks for files that a tool has written.
func (k *keeper) edited(path string) {
	k.mu.Lock()
	k.paths = append(k.paths, path)
	k.mu.Unlock()
	k.ask()
}

// look asks for the whole tree.
func (k *keeper) look() {
	k.mu.Lock()
	k.whole = true
	k.mu.Unlock()
	k.ask()
}

func (k *keeper) ask() {
	select {
	case k.wanted <- struct{}{}:
	default:
	}
}

// remind asks for the whole tree now and then.
func (k *keeper) remind(ctx context.Context) {
	for k.w.e.deps.Clock.Wait(ctx, k.pause()) == nil {
		k.look()
	}
}

func (k *keeper) pause() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return max(k.w.e.c.KeepEvery, lookShare*k.took)
}

// run makes snapshots until waiting ends; one that is being made then is ended
// by ctx alone.
func (k *keeper) run(ctx, waiting context.Context) {
	for {
		select {
		case <-waiting.Done():
			return
		case <-k.wanted:
		}
		if waiting.Err() == nil {
			k.once(ctx)
		}
	}
}

func (k *keeper) once(ctx context.Context) {
	k.mu.Lock()
	paths, whole := k.paths, k.whole
	k.paths, k.whole = nil, false
	k.mu.Unlock()
	if len(paths) == 0 && !whole {
		return // what asked for this one is in the one before
	}
	began := k.w.e.deps.Clock.Now()
	err := k.w.snapshot(ctx, paths, whole)
	if ctx.Err() != nil {
		return // whoever ended it saves once more
	}
	k.mu.Lock()
	if whole {
		k.took = k.w.e.deps.Clock.Now().Sub(began)
	}
	again := k.failed
	k.failed = err != nil
	k.mu.Unlock()
	if err != nil && !again {
		k.w.notice(err.Error())
	}
}

// snapshot keeps what a worker has done so far on a ref of its own, so that the
// run can be carried on where its tree is not: of some paths, or of the whole tree. Where nothing differs from the worker's base there is no ref.
func (w *worker) snapshot(ctx context.Context, paths []string, whole bool) error {
	name := w.begun.Meta.Worker
	old := saved(w.e.deps.State.History(), name)
	var s worktree.Snapshot
	var err error
	if whole {
		s, err = w.e.deps.Snapshots.Snapshot(ctx, w.tree, string(old))
	} else {
		s, err = w.e.deps.Snapshots.SnapshotPaths(ctx, w.tree, string(old), paths)
	}
	if err == nil && s.Changed && (old != "" || s.Commit != string(w.begun.Meta.Code)) {
		err = w.e.deps.State.KeepWork(ctx, name, old, gitstate.ObjectID(s.Commit))
	}
	if err != nil {
		return fmt.Errorf("keep the unfinished work of '%s': %w", name, err)
	}
	return nil
}

// save is the last snapshot of a worker that is cut off.
func (w *worker) save(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	return w.snapshot(ctx, nil, true)
}

// saved is the newest snapshot of a worker's unfinished work, "" for none.
func saved(h gitstate.History, worker string) gitstate.ObjectID { return h.Work[worker] }

// restoredNote tells what a tree made from a snapshot is like.
func restoredNote(r worktree.Restored) string {
	var b strings.Builder
	b.WriteString("Your working tree was lost and has been made again from a snapshot of it.")
	if len(r.Merging) > 0 {
		fmt.Fprintf(&b, " The merge of %s is in progress again; its conflicts, where it has any, are the markers in the files.", strings.Join(r.Merging, ", "))
	}
	if len(r.LeftOut) == 0 {
		b.WriteString(" Nothing was left out of it.")
		return b.String()
	}
	b.WriteString(" What is not in it:\n\n- " + strings.Join(first(r.LeftOut, restoredListed), "\n- "))
	return b.String()
}

// restoredListed is how many paths a note lists; the snapshot's message has more.
const restoredListed = 30

// first are the first n of names, and how many more there are.
func first(names []string, n int) []string {
	if len(names) <= n {
		return names
	}
	return append(names[:n:n], fmt.Sprintf("and %d more", len(names)-n))
}
