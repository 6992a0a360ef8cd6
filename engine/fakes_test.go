package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"git-flower/gitstate"
	"git-flower/worktree"
	"git-flower/worktree/process"
)

// errKilled stands for SIGKILL: nothing after it happens.
var errKilled = errors.New("killed")

// memoryState is a run without a repository. die, when not nil, is asked before
// and after each append.
type memoryState struct {
	mu    sync.Mutex
	h     gitstate.History
	kinds []string
	refs  map[string]gitstate.ObjectID
	moved []gitstate.ObjectID // by KeepWork, in order
	die   func(moment string) bool
	// foreign is appended by somebody else before the next append, once.
	foreign *gitstate.Record
}

func newMemoryState(request string) *memoryState {
	s := &memoryState{
		h:    gitstate.History{Name: "x", ID: "0123456789abcdef", Base: "c0", Tip: "t0", Ledger: map[string][]gitstate.LedgerRow{}},
		refs: map[string]gitstate.ObjectID{},
	}
	s.keep(gitstate.Record{Kind: gitstate.KindRequest, Subject: request, Body: request, Meta: gitstate.Meta{Code: "c0"}})
	return s
}

func (s *memoryState) keep(r gitstate.Record) {
	for _, d := range append([]gitstate.Doc{{Kind: r.Kind, Meta: r.Meta, Body: r.Body}}, r.With...) {
		d.Counter = len(s.h.Docs) + 1
		d.Hash = fmt.Sprintf("%012x", d.Counter)
		s.h.Docs = append(s.h.Docs, d)
	}
	for name, data := range r.Files {
		name, ledger := strings.CutPrefix(name, "ledger/")
		if !ledger {
			continue // of the bench, which no decision looks at
		}
		wake := strings.TrimSuffix(name, ".json")
		var rows []gitstate.LedgerRow
		if err := json.Unmarshal(data, &rows); err != nil {
			panic(err)
		}
		s.h.Ledger[wake] = rows
	}
	for _, u := range r.Refs {
		s.follow(u)
	}
	s.kinds = append(s.kinds, string(r.Kind))
	s.h.Tip = gitstate.ObjectID(fmt.Sprintf("t%d", len(s.kinds)))
}

func (s *memoryState) History() gitstate.History {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.h
	h.Docs = append([]gitstate.Doc(nil), h.Docs...)
	h.Ledger = maps.Clone(h.Ledger)
	return h
}

func (s *memoryState) Append(_ context.Context, r gitstate.Record) (gitstate.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.foreign != nil {
		f := *s.foreign
		s.foreign = nil
		s.keep(f)
		return gitstate.Entry{}, gitstate.ErrConflict
	}
	if s.die != nil && s.die("before "+string(r.Kind)) {
		return gitstate.Entry{}, errKilled
	}
	for _, u := range r.Refs {
		if s.refs[u.Name] != u.Old {
			return gitstate.Entry{}, fmt.Errorf("ref %s: %w", u.Name, gitstate.ErrConflict)
		}
	}
	s.keep(r)
	if s.die != nil && s.die("after "+string(r.Kind)) {
		return gitstate.Entry{}, errKilled
	}
	return gitstate.Entry{Kind: r.Kind, Meta: r.Meta, Commit: s.h.Tip}, nil
}

// follow moves a ref; a worker's is part of the history.
func (s *memoryState) follow(u gitstate.RefUpdate) {
	s.refs[u.Name] = u.New
	worker, ok := strings.CutPrefix(u.Name, "refs/flower/work/x/")
	if !ok {
		return
	}
	work := map[string]gitstate.ObjectID{worker: u.New}
	for other, id := range s.h.Work {
		if other != worker {
			work[other] = id
		}
	}
	if u.New == "" {
		delete(work, worker)
	}
	s.h.Work = work
}

func (s *memoryState) KeepWork(_ context.Context, worker string, old, tip gitstate.ObjectID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := "refs/flower/work/x/" + worker
	if s.refs[name] != old {
		return gitstate.ErrConflict
	}
	s.follow(gitstate.RefUpdate{Name: name, Old: old, New: tip})
	s.moved = append(s.moved, tip)
	return nil
}

func (s *memoryState) Reload(context.Context) error { return nil }

// story is what was recorded, in one line.
func (s *memoryState) story() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.kinds, " ")
}

// memoryTrees are trees without files: a commit is a number.
type memoryTrees struct {
	edits int // of a throw-away tree
	// finishing, when not nil, is called before a worker's work is taken in.
	finishing func(worker string)

	mu       sync.Mutex
	trees    map[string]*worktree.Tree // by worker
	finished int
	released []string
	conflict []string // files in which the next join conflicts
	stat     string
	changed  []string          // what the workers changed besides
	files    map[string]string // what stands in the base

	kept     func(t *worktree.Tree, what string) (commit string, err error) // a snapshot of "all" or of paths
	restored []string
	setup    string   // why the setup of every tree fails
	in       string   // a real directory below which trees are said to lie
	warm     []string // commits that were checked out with kept caches, and since when these are
	caches   []string // commits of whose trees the caches were kept
}

func (m *memoryTrees) Prepare(context.Context, string, int) error { return nil }

func (m *memoryTrees) Add(_ context.Context, s worktree.Spec) (*worktree.Tree, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.trees == nil {
		m.trees = map[string]*worktree.Tree{}
	}
	t := &worktree.Tree{Path: m.in + "/tree/" + s.Worker, Slot: s.Worker, Base: s.Base, SetupFailed: m.setup}
	m.trees[s.Worker] = t
	return t, nil
}

func (m *memoryTrees) Reopen(_ context.Context, s worktree.Spec) (*worktree.Tree, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.trees[s.Worker]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("no tree of '%s': %w", s.Worker, fs.ErrNotExist)
}

func (m *memoryTrees) Finish(_ context.Context, t *worktree.Tree, _ worktree.CommitMessage) (worktree.Result, error) {
	if m.finishing != nil {
		m.finishing(t.Slot)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finished++
	return worktree.Result{Tip: "work of " + t.Slot, Committed: true}, nil
}

func (m *memoryTrees) Release(_ context.Context, t *worktree.Tree) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.trees, t.Slot)
	m.released = append(m.released, t.Slot)
	return nil
}

func (m *memoryTrees) Snapshot(_ context.Context, t *worktree.Tree, parent string) (worktree.Snapshot, error) {
	return m.snapshot(t, parent, "all")
}

func (m *memoryTrees) SnapshotPaths(_ context.Context, t *worktree.Tree, parent string, paths []string) (worktree.Snapshot, error) {
	return m.snapshot(t, parent, strings.Join(paths, " "))
}

// snapshot is what the test says, else the parent.
func (m *memoryTrees) snapshot(t *worktree.Tree, parent, what string) (worktree.Snapshot, error) {
	m.mu.Lock()
	f := m.kept
	m.mu.Unlock()
	if f == nil {
		return worktree.Snapshot{Commit: parent}, nil
	}
	commit, err := f(t, what)
	return worktree.Snapshot{Commit: commit, Changed: commit != parent}, err
}

func (m *memoryTrees) Restore(ctx context.Context, s worktree.Spec, snapshot string) (*worktree.Tree, worktree.Restored, error) {
	t, err := m.Add(ctx, s)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restored = append(m.restored, s.Worker+" from "+snapshot)
	return t, worktree.Restored{LeftOut: []string{"node_modules/"}}, err
}

func (m *memoryTrees) Join(_ context.Context, s worktree.JoinSpec) (worktree.JoinResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if files := m.conflict; files != nil {
		m.conflict = nil
		return worktree.JoinResult{Conflicts: files}, nil
	}
	return worktree.JoinResult{Commit: s.Join + "+" + strings.TrimPrefix(s.Tip, "work of ")}, nil
}

func (m *memoryTrees) Diffstat(context.Context, string, string) (string, error) { return m.stat, nil }
func (m *memoryTrees) Changed(context.Context, string, string) ([]string, error) {
	return append([]string{"tests/a_test.sh", "src/a.c"}, m.changed...), nil
}

// Files are the same at every commit, but for those that were changed.
func (m *memoryTrees) Files(_ context.Context, commit string, paths []string) (map[string]worktree.File, error) {
	files := map[string]worktree.File{}
	for _, name := range paths {
		text, ok := m.files[name]
		if slices.Contains(m.changed, name) {
			text, ok = "made by "+commit, commit != "c0"
		}
		if ok {
			files[name] = worktree.File{ID: text, Plain: true, Text: text}
		}
	}
	return files, nil
}

func (m *memoryTrees) Checkout(_ context.Context, commit string, _ worktree.ProtectSpec) (*worktree.Tree, error) {
	if m.in != "" {
		return &worktree.Tree{Path: m.in + "/scene", Slot: "scene"}, nil
	}
	return &worktree.Tree{Path: commit, Slot: "scene"}, nil
}

// scenes gives the throw-away trees an interface of their own, since both are released.
type scenes struct{ *memoryTrees }

func (s scenes) CheckoutWarm(ctx context.Context, run, commit string, p worktree.ProtectSpec) (*worktree.Tree, error) {
	s.warm = append(s.warm, fmt.Sprintf("%s %s from %s", run, commit, p.From))
	return s.Checkout(ctx, commit, p)
}

func (s scenes) KeepCaches(t *worktree.Tree, run string) error {
	s.caches = append(s.caches, run+" "+t.Path)
	return nil
}

func (scenes) Release(context.Context, *worktree.Tree) error { return nil }

func (s scenes) TreeDigest(context.Context, *worktree.Tree) (string, error) {
	return fmt.Sprint(s.edits), nil
}

// scripted commands: what a command's exit code is in which tree.
type scripted func(script, dir string) int

func (f scripted) Run(_ context.Context, c process.Command) (process.Result, error) {
	return process.Result{ExitCode: f(c.Script, c.Dir), Digest: "d", Output: "it printed this\n"}, nil
}

// said counts transcripts as a store would: by what was said in the fake harness.
type said struct {
	mu sync.Mutex
	n  map[string]int
}

func (s *said) add(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n == nil {
		s.n = map[string]int{}
	}
	s.n[session]++
}

func (s *said) Len(_ context.Context, session string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n[session], nil
}

type answers []string

func (a *answers) Ask(context.Context, Question) (string, error) {
	if len(*a) == 0 {
		return "", ErrNobody
	}
	first := (*a)[0]
	*a = (*a)[1:]
	return first, nil
}

type memoryJournal []json.RawMessage

func (j *memoryJournal) Write(row json.RawMessage) error  { *j = append(*j, row); return nil }
func (j *memoryJournal) Read() ([]json.RawMessage, error) { return *j, nil }

// stillClock moves only when somebody waits.
type stillClock struct {
	mu  sync.Mutex
	now time.Time
	sum time.Duration
}

func newStillClock() *stillClock { return &stillClock{now: time.Unix(1_700_000_000, 0)} }

func (c *stillClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stillClock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.sum += d
	return context.Cause(ctx)
}
