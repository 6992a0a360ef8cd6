package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"git-flower/gitstate/gitcmd"
)

const (
	runRefs  = "refs/flower/run/"
	baseRefs = "refs/flower/base/"
	workRefs = "refs/flower/work/"
	allRefs  = "refs/flower/"

	// lockWait is how long git itself waits for a ref's lock file, and lockPatience
	// how long a whole transaction is tried again while somebody holds one. Git
	// holds such a lock for milliseconds, 'git pack-refs' for some hundred.
	lockWait     = time.Second
	lockPatience = 20 * time.Second
)

// A mover moves refs through one long-lived 'git update-ref --stdin', which
// starts with the first move. A failed transaction ends the process, and the
// next one starts another.
type mover struct {
	git    gitcmd.Git
	common string // git directory that the refs lie in
	noSync bool
	mu     sync.Mutex
	p      *gitcmd.Process
}

// move makes all of the updates or none. Where a ref is not at the old value
// that was expected, it is ErrConflict.
func (m *mover) move(ctx context.Context, updates []RefUpdate) error {
	for _, u := range updates {
		if err := u.check(); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for {
		old := m.p != nil // a process that may have been lost since the last move
		err := m.transaction(ctx, updates)
		again := false
		if err != nil {
			again, err = m.judge(ctx, updates, err, old)
		}
		switch {
		case err == nil:
			return m.sync(updates)
		case !again, !pause(ctx, time.Duration(rand.Int64N(int64(50*time.Millisecond)))):
			return err
		}
	}
}

// pause waits and reports whether ctx still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (u RefUpdate) check() error {
	if !strings.HasPrefix(u.Name, allRefs) || strings.ContainsAny(u.Name, "\x00\n ") {
		return fmt.Errorf("'%q' is not a ref of a run", u.Name)
	}
	for _, id := range []ObjectID{u.New, u.Old} {
		if id != "" && !isObjectID(id) {
			return fmt.Errorf("ref '%s': '%.80s' is not an object id", u.Name, id)
		}
	}
	if u.New == "" && u.Old == "" {
		return fmt.Errorf("ref '%s' is to move from nothing to nothing", u.Name)
	}
	return nil
}

// transaction speaks one transaction with the process.
func (m *mover) transaction(ctx context.Context, updates []RefUpdate) error {
	if m.p == nil {
		p, err := m.git.Start(context.WithoutCancel(ctx), "update-ref", "--create-reflog", "-m", "git flower", "--no-deref", "--stdin", "-z")
		if err != nil {
			return err
		}
		m.p = p
	}
	var b strings.Builder
	b.WriteString("start\x00")
	for _, u := range updates {
		b.WriteString(u.command())
	}
	b.WriteString("prepare\x00commit\x00")
	if _, err := io.WriteString(m.p.In, b.String()); err != nil {
		return m.fail(err)
	}
	for _, want := range []string{"start: ok\n", "prepare: ok\n", "commit: ok\n"} {
		got, err := m.p.Out.ReadString('\n')
		if err != nil {
			return m.fail(err)
		}
		if got != want {
			return m.fail(fmt.Errorf("git update-ref said '%.200s'", got))
		}
	}
	return nil
}

func (u RefUpdate) command() string {
	switch {
	case u.Old == "":
		return "create " + u.Name + "\x00" + string(u.New) + "\x00"
	case u.New == "":
		return "delete " + u.Name + "\x00" + string(u.Old) + "\x00"
	}
	return "update " + u.Name + "\x00" + string(u.New) + "\x00" + string(u.Old) + "\x00"
}

func (m *mover) fail(err error) error {
	p := m.p
	m.p = nil
	if closed := p.Close(); closed != nil {
		return closed
	}
	return err
}

// judge finds out what a failed transaction has done by looking at the refs,
// not at git's words: it happened, or a ref has another value than expected, or
// neither, and then it may be tried again if somebody held a lock or the process
// was an old one.
func (m *mover) judge(ctx context.Context, updates []RefUpdate, failed error, old bool) (again bool, err error) {
	names := make([]string, len(updates))
	for i, u := range updates {
		names[i] = u.Name
	}
	now, err := refValues(context.WithoutCancel(ctx), m.git, names...)
	if err != nil {
		return false, errors.Join(failed, err)
	}
	done := true
	for _, u := range updates {
		done = done && now[u.Name] == u.New
	}
	if done {
		return false, nil
	}
	for _, u := range updates {
		if now[u.Name] != u.Old {
			return false, fmt.Errorf("%w: '%s' is at '%s', not at '%s'", ErrConflict, u.Name, now[u.Name], u.Old)
		}
	}
	return ctx.Err() == nil && (old || heldLock(failed)), failed
}

// heldLock tells a lock that somebody holds from every other failure.
func heldLock(err error) bool {
	var e *gitcmd.Error
	return errors.As(err, &e) && strings.Contains(e.Stderr, ".lock'") && strings.Contains(e.Stderr, "File exists")
}

// refValues reads where refs are, those that exist.
func refValues(ctx context.Context, git gitcmd.Git, names ...string) (map[string]ObjectID, error) {
	out, err := git.Read(ctx, append([]string{"for-each-ref", "--format=%(refname) %(objectname)", "--"}, names...)...)
	if err != nil {
		return nil, err
	}
	values := map[string]ObjectID{}
	for line := range strings.Lines(string(out)) {
		name, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		values[name] = ObjectID(id)
	}
	return values, nil
}

// sync makes the refs durable where they are files of their own. Git syncs the
// file before it renames it (core.fsync=reference, since 2.36), but not the folder.
func (m *mover) sync(updates []RefUpdate) error {
	if m.noSync {
		return nil
	}
	var folders []string
	for _, u := range updates {
		dir := filepath.Dir(filepath.Join(m.common, filepath.FromSlash(u.Name)))
		if !exists(dir) {
			continue
		}
		folders = append(folders, dir)
		if u.Old == "" {
			folders = append(folders, filepath.Dir(dir), filepath.Join(m.common, "refs"))
		}
	}
	return syncFolders(folders)
}

func (m *mover) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.p == nil {
		return nil
	}
	p := m.p
	m.p = nil
	return p.Close()
}
