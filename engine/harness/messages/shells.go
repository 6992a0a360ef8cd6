package messages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"git-flower/worktree/process"
)

// Limits of what goes on in the background of one session.
const (
	shellsRunning = 16      // at once
	shellsKept    = 32      // whose output can still be read
	shellOutput   = 256_000 // bytes kept of each, the newest
)

// shells are the background commands of one session. They are numbered over
// the session's whole life, so that a number never means two of them.
type shells struct {
	start func(context.Context, process.Command) (*process.Running, error)

	mu      sync.Mutex
	kept    []*backShell // oldest first
	last    int          // the newest number
	earlier int          // up to here they were an earlier process's
	told    int          // the newest number in the transcript
	closed  bool
}

// A backShell is one command in the background.
type backShell struct {
	number int
	*process.Running
	killed bool

	reading sync.Mutex
	read    int64 // how much of its output the model has had
}

func (b *backShell) id() string { return "bash_" + strconv.Itoa(b.number) }

// state is what has become of it, in words that follow its id.
func (b *backShell) state() string {
	code, ended := b.ExitCode()
	switch {
	case !ended:
		return "is running"
	case b.killed:
		return "was killed"
	default:
		return fmt.Sprintf("has ended with exit code %d", code)
	}
}

// begin starts a command that outlives the call.
func (s *shells) begin(ctx context.Context, c process.Command) (*backShell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the session is closed")
	}
	if s.running() >= shellsRunning {
		return nil, fmt.Errorf("%d shells are running in the background, which is as many as there may be: end one with KillShell first", shellsRunning)
	}
	c.Timeout, c.Limit = 0, shellOutput
	r, err := s.start(context.WithoutCancel(ctx), c)
	if err != nil {
		return nil, fmt.Errorf("run command: %w", err)
	}
	s.last++
	b := &backShell{number: s.last, Running: r}
	s.kept = append(s.kept, b)
	s.forget()
	return b, nil
}

func (s *shells) running() int {
	n := 0
	for _, b := range s.kept {
		if _, ended := b.ExitCode(); !ended {
			n++
		}
	}
	return n
}

// forget drops the oldest that have ended, with their output.
func (s *shells) forget() {
	s.kept = slices.DeleteFunc(s.kept, func(b *backShell) bool {
		_, ended := b.ExitCode()
		return ended && b.number <= s.last-shellsKept
	})
}

// find is the shell of that id, or an error that tells what has become of it.
func (s *shells) find(id string) (*backShell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.kept {
		if b.id() == id {
			return b, nil
		}
	}
	digits, ours := strings.CutPrefix(id, "bash_")
	n, err := strconv.Atoi(digits)
	switch {
	case !ours || err != nil || n < 1 || n > s.last:
		return nil, fmt.Errorf("there is no shell '%s'; %s", head(id, 100), s.list())
	case n <= s.earlier:
		return nil, fmt.Errorf("shell '%s' ended with the process that started it: this session was broken off and carried on since. "+
			"What it had not yet told is lost. Start it again if it is still needed", id)
	default:
		return nil, fmt.Errorf("shell '%s' ended long ago and its output is no longer kept", id)
	}
}

func (s *shells) list() string {
	if len(s.kept) == 0 {
		return "none was started"
	}
	var all []string
	for _, b := range s.kept {
		all = append(all, b.id()+" "+b.state())
	}
	return "these are known: " + strings.Join(all, ", ")
}

// kill ends a shell and reports what it was doing before.
func (s *shells) kill(b *backShell) (before string, err error) {
	s.mu.Lock()
	before = b.state()
	_, ended := b.ExitCode()
	b.killed = b.killed || !ended
	s.mu.Unlock()
	return before, b.End()
}

// news is the newest number when the transcript does not have it yet, else zero.
func (s *shells) news() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == s.told {
		return 0
	}
	s.told = s.last
	return s.last
}

// recall takes over how many an earlier process had started. It ended them, or
// was killed and left them to whoever uses the directory next.
func (s *shells) recall(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.earlier, s.told = n, n, n
}

// close ends all of them, side by side, and waits.
func (s *shells) close() error {
	s.mu.Lock()
	s.closed = true
	kept := slices.Clone(s.kept)
	s.mu.Unlock()
	failed := make([]error, len(kept))
	var all sync.WaitGroup
	for i, b := range kept {
		all.Go(func() { failed[i] = b.End() })
	}
	all.Wait()
	return errors.Join(failed...)
}
