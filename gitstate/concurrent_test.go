package gitstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// TestOneWinsForEachTip lets handles that know the same tip append at once.
func TestOneWinsForEachTip(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	first := create(t, open(t, dir, Config{NoSync: true}), "x")
	const writers = 6
	var runs [writers]*Run
	for i := range runs {
		r, err := open(t, dir, Config{NoSync: true}).Run(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		runs[i] = r
	}
	for round := range 5 {
		var errs [writers]error
		var group sync.WaitGroup
		for i, r := range runs {
			group.Go(func() {
				_, errs[i] = r.Append(t.Context(), Record{Kind: KindNotice, Subject: fmt.Sprintf("%d from %d", round, i)})
			})
		}
		group.Wait()
		won := 0
		for i, r := range runs {
			switch {
			case errs[i] == nil:
				won++
			case !errors.Is(errs[i], ErrConflict):
				t.Fatal(errs[i])
			}
			if err := r.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r.Tip() != runs[0].Tip() {
				t.Fatalf("'%s' and '%s'", r.Tip(), runs[0].Tip())
			}
		}
		if won != 1 {
			t.Fatalf("round %d: %d writers won", round, won)
		}
	}
	if err := first.Reload(t.Context()); err != nil || len(first.History().Docs) != 6 {
		t.Errorf("%d documents, %v", len(first.History().Docs), err)
	}
}

// TestNoAppendIsLost lets writers retry until each has appended all of its own.
func TestNoAppendIsLost(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{NoSync: true})
	create(t, s, "x")
	const writers, each = 4, 8
	errs := make([]error, writers)
	var group sync.WaitGroup
	for i := range writers {
		own := open(t, dir, Config{NoSync: true})
		group.Go(func() { errs[i] = appendAll(t.Context(), own, i, each) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, d := range r.History().Docs {
		seen[d.Body]++
	}
	for i := range writers {
		for j := range each {
			if n := seen[fmt.Sprintf("%d.%d", i, j)]; n != 1 {
				t.Errorf("record %d of writer %d is there %d times", j, i, n)
			}
		}
	}
	problems, err := s.Fsck(t.Context(), "x")
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	sound(t, dir)
}

func appendAll(ctx context.Context, s *Store, writer, n int) error {
	r, err := s.Run(ctx, "x")
	for j := 0; j < n && err == nil; j++ {
		for {
			_, err = r.Append(ctx, Record{Kind: KindReport, Subject: "done", Body: fmt.Sprintf("%d.%d", writer, j)})
			if !errors.Is(err, ErrConflict) {
				break
			}
			if err = r.Reload(ctx); err != nil {
				return err
			}
		}
	}
	return err
}

// TestOneHandleServesSeveralGoroutines appends through one handle at once: each
// append waits for the one before.
func TestOneHandleServesSeveralGoroutines(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{NoSync: true})
	r := create(t, s, "x")
	var group sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		group.Go(func() { _, errs[i] = r.Append(t.Context(), Record{Kind: KindNotice, Subject: "x"}) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil || len(entries(t, s, "x")) != 11 {
		t.Errorf("%d records, %v", len(entries(t, s, "x")), err)
	}
}

// TestCreatorsOfOneNameGetNamesOfTheirOwn begins runs of the same name at once.
func TestCreatorsOfOneNameGetNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	const n = 5
	names := make([]string, n)
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		s := open(t, dir, Config{NoSync: true})
		base := head(t, s)
		group.Go(func() {
			r, err := s.Create(t.Context(), "same", Record{Kind: KindRequest, Subject: "x", Body: "x"}, base)
			if errs[i] = err; err == nil {
				names[i] = r.Name()
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	for _, want := range []string{"same", "same-2", "same-3", "same-4", "same-5"} {
		if !seen[want] {
			t.Errorf("the names are %v", names)
		}
	}
}

// TestARefLockThatStaysIsNoConflict holds the lock file of a run's ref.
func TestARefLockThatStaysIsNoConflict(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	tip := r.Tip()
	lock := filepath.Join(dir, ".git", "refs", "flower", "run", "x.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := r.Append(ctx, Record{Kind: KindNotice, Subject: "x"})
	if err == nil || errors.Is(err, ErrConflict) || r.Tip() != tip {
		t.Fatalf("%v, tip '%s'", err, r.Tip())
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	add(t, r, Record{Kind: KindNotice, Subject: "x"})
}

// TestAPassingRefLockIsWaitedFor removes the lock once git has begun to wait.
func TestAPassingRefLockIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	lock := filepath.Join(dir, ".git", "refs", "flower", "run", "x.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	objects := func() string { return run(t, dir, "count-objects") }
	before := objects()
	done := make(chan error, 1)
	go func() { // waited for below
		_, err := r.Append(t.Context(), Record{Kind: KindNotice, Subject: "x"})
		done <- err
	}()
	for objects() == before && len(done) == 0 { // the objects come before the ref
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestALockOfADeadProcessIsWaitedFor: a child that was forked and is not yet
// another program holds the lock a moment longer than the process that was killed.
func TestALockOfADeadProcessIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{})
	l, err := s.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(l.file.Name(), fmt.Appendf(nil, "%d\n%s\n", dead.Process.Pid, s.Machine()), 0o666); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { closed <- l.Close() })
	again, err := s.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-closed, again.Close()); err != nil {
		t.Error(err)
	}
}

func TestALockHasOneHolder(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	a, b := open(t, dir, Config{}), open(t, dir, Config{})
	l, err := a.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Lock(t.Context(), "x")
	var held *LockedError
	if !errors.As(err, &held) || held.PID != os.Getpid() || held.Run != "x" || held.Machine != a.Machine() {
		t.Fatalf("%+v", err)
	}
	other, err := b.Lock(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, err = b.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(b.Layout().RunDir("x"), "lock")); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
	if _, err := b.Lock(t.Context(), "../x"); !errors.Is(err, ErrName) {
		t.Errorf("'../x': %v", err)
	}
}

// Who only looks does not wait for an append that waits for a lock of git's.
func TestLookingWaitsForNoAppend(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := create(t, open(t, dir, Config{NoSync: true}), "x")
	lock := filepath.Join(dir, ".git", "refs", "flower", "run", "x.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	was := r.Tip()
	var appended sync.WaitGroup
	defer appended.Wait()
	appended.Go(func() {
		if _, err := r.Append(t.Context(), Record{Kind: KindNotice, Subject: "late"}); err != nil {
			t.Error(err)
		}
	})
	for r.moving.TryLock() { // it has not begun
		r.moving.Unlock()
		runtime.Gosched()
	}
	looked := make(chan ObjectID, 1)
	go func() { looked <- r.History().Tip }()
	select {
	case tip := <-looked:
		if tip != was {
			t.Error("the record was there before its lock was")
		}
	case <-time.After(10 * time.Second):
		t.Error("a look waited for the append")
	}
	if err := os.Remove(lock); err != nil {
		t.Error(err)
	}
}
