package gitstate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Run is a handle on one run. It keeps the run's documents and tree entries in
// memory, so that an append reads nothing. It is safe for concurrent use, and
// looking at it waits for nothing: not for an append, which may wait for a lock of
// git's.
type Run struct {
	store  *Store
	moving sync.Mutex // held while the run is added to or read anew
	mu     sync.Mutex // held while at is looked at or replaced
	at     state
}

// A state is a run at one tip. It is never changed, only replaced.
type state struct {
	history History
	unix    int64 // the tip's date
	root    *folder
}

// Name is the run's readable name.
func (r *Run) Name() string { return r.now().history.Name }

// ID is the run's identity, 16 hex digits.
func (r *Run) ID() string { return r.now().history.ID }

// Tip is the newest record that this handle knows.
func (r *Run) Tip() ObjectID { return r.now().history.Tip }

// History returns what the tip holds. It belongs to the caller.
func (r *Run) History() History {
	h := r.now().history
	h.Docs = slices.Clone(h.Docs)
	h.Ledger = maps.Clone(h.Ledger)
	h.Work = maps.Clone(h.Work)
	return h
}

func (r *Run) now() state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

// become replaces the state, once that has changed so. The caller holds moving.
func (r *Run) become(at state) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = at
}

// Reload reads the run's tip anew, after ErrConflict or when another process
// may have added something.
func (r *Run) Reload(ctx context.Context) error {
	r.moving.Lock()
	defer r.moving.Unlock()
	known := r.now().history
	p, err := r.store.find(ctx, known.Name)
	if err != nil {
		return err
	}
	at, err := r.store.load(ctx, p)
	if err != nil {
		return fmt.Errorf("read run '%s': %w", known.Name, err)
	}
	if at.history.ID != known.ID {
		return fmt.Errorf("run '%s' is another one now: %w", known.Name, ErrNotFound)
	}
	r.become(at)
	return nil
}

// Append adds one record to the tip that this handle knows. When the run has
// moved in the meantime it is ErrConflict and the handle stays as it was: Reload
// and decide again. When it returns without error, the record is on disk.
func (r *Run) Append(ctx context.Context, rec Record) (Entry, error) {
	r.moving.Lock()
	defer r.moving.Unlock()
	entry, err := r.append(ctx, r.now(), rec)
	if err != nil {
		return Entry{}, fmt.Errorf("append %s to run '%s': %w", rec.Kind, r.Name(), err)
	}
	return entry, nil
}

func (r *Run) append(ctx context.Context, at state, rec Record) (Entry, error) {
	d, err := r.store.draft(ctx, at, rec)
	if err != nil {
		return Entry{}, err
	}
	updates, err := rec.updates()
	if err != nil {
		return Entry{}, err
	}
	own := RefUpdate{Name: runRefs + at.history.Name, New: d.entry.Commit, Old: at.history.Tip}
	if err := r.store.commit(ctx, d, append(updates, own)); err != nil {
		return Entry{}, err
	}
	d.next.history.follow(updates)
	r.become(d.next)
	return d.entry, nil
}

// KeepWork moves the ref of a worker of the run by itself, without a record: from
// old, "" when there is none, to tip, which contains old. Snapshots come by the
// minute, and the records are for what happened. When the ref is not at old it is
// ErrConflict.
func (r *Run) KeepWork(ctx context.Context, worker string, old, tip ObjectID) error {
	r.moving.Lock()
	defer r.moving.Unlock()
	at := r.now()
	updates := []RefUpdate{{Name: workRefs + at.history.Name + "/" + worker, Old: old, New: tip}}
	if err := r.store.refMover(ctx).move(ctx, updates); err != nil {
		return fmt.Errorf("keep the work of '%s' in run '%s': %w", worker, at.history.Name, err)
	}
	at.history.follow(updates)
	r.become(at)
	return nil
}

// follow takes over where workers' refs have been moved to.
func (h *History) follow(updates []RefUpdate) {
	work := maps.Clone(h.Work)
	for _, u := range updates {
		worker, ok := strings.CutPrefix(u.Name, workRefs+h.Name+"/")
		switch {
		case !ok:
		case u.New == "":
			delete(work, worker)
		case work == nil:
			work = map[string]ObjectID{worker: u.New}
		default:
			work[worker] = u.New
		}
	}
	h.Work = work
}

// updates returns the refs that a record moves besides its run's own.
func (rec Record) updates() ([]RefUpdate, error) {
	for _, u := range rec.Refs {
		if isUnder(u.Name, runRefs) || isUnder(u.Name, baseRefs) {
			return nil, fmt.Errorf("ref '%s' is not a record's to move", u.Name)
		}
	}
	return slices.Clone(rec.Refs), nil
}

// commit stores a draft and moves the refs to it.
func (s *Store) commit(ctx context.Context, d draft, updates []RefUpdate) error {
	w, err := s.objectWriter(ctx)
	if err != nil {
		return err
	}
	if err := w.write(ctx, d.objects); err != nil {
		return err
	}
	crash("append-after-objects")
	if err := s.refMover(ctx).move(ctx, updates); err != nil {
		return err
	}
	crash("append-after-ref")
	return nil
}

// Create begins a run with its first record, which is a request. Where the name
// is taken it becomes name-2, name-3 and so on. The base may be "" in a
// repository without commits.
func (s *Store) Create(ctx context.Context, name string, rec Record, base ObjectID) (*Run, error) {
	r, err := s.create(ctx, name, rec, base)
	if err != nil {
		return nil, fmt.Errorf("create run '%s': %w", name, err)
	}
	return r, nil
}

func (s *Store) create(ctx context.Context, name string, rec Record, base ObjectID) (*Run, error) {
	if err := ValidName(name); err != nil {
		return nil, err
	}
	if rec.Kind != KindRequest {
		return nil, fmt.Errorf("a run begins with a request, not with a '%s'", rec.Kind)
	}
	if err := s.Settle(); err != nil {
		return nil, err
	}
	if base != "" {
		if _, err := s.reader.one(ctx, base, "commit"); err != nil {
			return nil, err
		}
	}
	first := state{history: History{ID: randomID(), Base: base}, root: &folder{}}
	d, err := s.draft(ctx, first, rec)
	if err != nil {
		return nil, err
	}
	updates, err := rec.updates()
	if err != nil {
		return nil, err
	}
	d.next.history.Name, err = s.begin(ctx, name, d, updates)
	if err != nil {
		return nil, err
	}
	return &Run{store: s, at: d.next}, nil
}

// begin looks for the first free name and creates the refs under it.
func (s *Store) begin(ctx context.Context, name string, d draft, further []RefUpdate) (string, error) {
	for n := 1; ; n++ {
		free := numbered(name, n)
		taken, err := s.taken(ctx, free)
		if err != nil {
			return "", err
		}
		if taken {
			continue
		}
		updates := append(slices.Clone(further), RefUpdate{Name: runRefs + free, New: d.entry.Commit})
		if base := d.next.history.Base; base != "" {
			updates = append(updates, RefUpdate{Name: baseRefs + free, New: base})
		}
		err = s.commit(ctx, d, updates)
		if errors.Is(err, ErrConflict) {
			if taken, looked := s.taken(ctx, free); looked == nil && taken {
				continue
			}
		}
		return free, err
	}
}

// taken says whether any ref of a run of that name is there, also of one whose
// records are gone.
func (s *Store) taken(ctx context.Context, name string) (bool, error) {
	var names []string
	for _, kind := range []string{"run", "base", "join", "work", "session"} {
		names = append(names, allRefs+kind+"/"+name)
	}
	values, err := refValues(ctx, s.plain, names...)
	return len(values) > 0, err
}
