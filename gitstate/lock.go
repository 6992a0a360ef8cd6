package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Lock is held by the kernel for this process, until Close or its end however
// that comes. The file stays: a name that goes while another process waits for
// it would let two in.
type Lock struct {
	file *os.File
	text string // who holds it
}

// errHeld is what tryLock says when another process holds the lock.
var errHeld = errors.New("held by another process")

// Lock makes this process the one that drives a run. When another does, it is
// a *LockedError, at once.
func (s *Store) Lock(ctx context.Context, name string) (*Lock, error) {
	l, err := s.lock(ctx, name)
	var held *LockedError
	if err != nil && !errors.As(err, &held) {
		return nil, fmt.Errorf("lock run '%s': %w", name, err)
	}
	return l, err
}

func (s *Store) lock(ctx context.Context, name string) (*Lock, error) {
	if err := errors.Join(ctx.Err(), ValidName(name)); err != nil {
		return nil, err
	}
	if err := s.Settle(); err != nil {
		return nil, err
	}
	path := filepath.Join(s.Layout().RunDir(name), "lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := s.take(ctx, name, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l := &Lock{file: f}
	if err := l.sign(s.Machine()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// How long a lock may outlive its process. What was killed between fork and exec
// leaves a child that holds the lock until it is another program.
const (
	lockLinger = 2 * time.Second
	lockLook   = 2 * time.Millisecond
)

// take takes the lock on f. Held by a process of this machine that is gone, it
// comes free by itself and is waited for.
func (s *Store) take(ctx context.Context, run string, f *os.File) error {
	err := tryLock(f)
	for end := time.Now().Add(lockLinger); errors.Is(err, errHeld); err = tryLock(f) {
		held := holder(run, f)
		if held.PID == 0 || held.Machine != s.Machine() || !gone(held.PID) || time.Now().After(end) {
			return held
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockLook):
		}
	}
	return err
}

// sign writes who holds the lock: process, machine and, where it can be told,
// when the process began, each with a newline.
func (l *Lock) sign(machine string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	born, _ := bornAt(os.Getpid())
	l.text = strconv.Itoa(os.Getpid()) + "\n" + machine + "\n" + born + "\n"
	_, err := l.file.WriteAt([]byte(l.text), 0)
	return err
}

// free is the line after those of sign once the lock was let go by a process that
// lives on.
const free = "free"

// Driver is the process of this machine that drives a run, zero when none does.
// It only looks at what the lock's holder has written, since to try the lock
// would keep a driver from taking it: the process has not let the lock go and
// lives, it is no zombie that nobody has waited for, and it is not another one that got the same number.
// Where a system does not tell the latter two, being alive must do.
func (s *Store) Driver(run string) int {
	if ValidName(run) != nil {
		return 0
	}
	f, err := os.Open(filepath.Join(s.Layout().RunDir(run), "lock"))
	if err != nil {
		return 0
	}
	defer f.Close()
	held := holder(run, f)
	if held.PID < 1 || held.free || held.Machine != s.Machine() || gone(held.PID) {
		return 0
	}
	if born, ok := bornAt(held.PID); !ok || held.born != "" && born != "" && held.born != born {
		return 0
	}
	return held.PID
}

// holder reads who holds a lock.
func holder(run string, f *os.File) *LockedError {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 256))
	if err != nil {
		return &LockedError{Run: run}
	}
	lines := append(strings.Split(string(data), "\n"), "", "", "", "") // of another version it may have fewer
	n, err := strconv.Atoi(lines[0])
	if err != nil {
		n = 0
	}
	return &LockedError{Run: run, PID: n, Machine: lines[1], born: lines[2], free: lines[3] == free}
}

// Close lets the run go. Whoever adds to the run from then on is not told that
// somebody takes it up.
func (l *Lock) Close() error {
	_, err := l.file.WriteAt([]byte(free+"\n"), int64(len(l.text)))
	return errors.Join(err, unlock(l.file), l.file.Close())
}
