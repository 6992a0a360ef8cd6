package process

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A Running is a command that goes on beside its caller. Its methods may be
// called from several goroutines at once.
type Running struct {
	job    *job
	out    *recent
	cancel context.CancelFunc
	done   chan struct{}

	// Written before done is closed.
	exit int
	err  error
}

// Start starts c and returns at once. Of what it prints the newest c.Limit
// bytes are kept. It ends when its shell does, when its time is up, when ctx
// ends or when End is called, and everything it started ends with it. Somebody
// must call End: only then has everything been waited for.
func Start(ctx context.Context, c Command) (*Running, error) {
	out := newRecent(c.limit())
	j, err := start(ctx, c, out)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Running{job: j, out: out, cancel: cancel, done: make(chan struct{})}
	go r.watch(ctx, c)
	return r, nil
}

func (r *Running) watch(ctx context.Context, c Command) {
	defer close(r.done)
	defer r.cancel()
	r.job.wait(ctx, c.Timeout) // why it is over makes no difference to what follows
	r.err = r.job.end()
	r.job.finish()
	r.err = errors.Join(r.err, c.setAside(r.out))
	r.exit = r.job.exitCode()
}

// Done is closed when the command and everything it started have ended, and
// all of its output can be read.
func (r *Running) Done() <-chan struct{} { return r.done }

// ExitCode is what the shell ended with, 128+n when ended by signal n; false
// while Done is open.
func (r *Running) ExitCode() (int, bool) {
	select {
	case <-r.done:
		return r.exit, true
	default:
		return 0, false
	}
}

// End ends the command with everything it started, and waits for it: three
// seconds at most, of which two are the grace. The error says that something
// could not be ended. Safe to call again.
func (r *Running) End() error {
	r.cancel()
	<-r.done
	return r.err
}

// Since returns the output from byte offset on. from is where it begins: later
// than offset when so much was printed that what was there is no longer kept.
func (r *Running) Since(offset int64) (out []byte, from int64) { return r.out.since(offset) }

// A recent keeps the last bytes of a stream. It never holds more than its limit.
type recent struct {
	mu sync.Mutex
	capture
}

func newRecent(limit int) *recent { return &recent{capture: capture{limit: limit}} }

// Write never fails.
func (r *recent) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total += int64(len(p))
	r.keep(p)
	return len(p), nil
}

func (r *recent) since(offset int64) ([]byte, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := slices.Concat(r.tail[r.next:], r.tail[:r.next])
	first := r.total - int64(len(kept))
	from := min(max(offset, first), r.total)
	return kept[from-first:], from
}
