package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"git-flower/worktree/fence"
)

// A Program is a program to talk with over its standard input and output.
type Program struct {
	Path  string // absolute
	Args  []string
	Dir   string        // working directory, absolute
	Env   []string      // the whole environment, "KEY=value"
	Limit int           // bytes of standard error kept, the newest; zero means DefaultLimit
	Fence *fence.Policy // what it is held to; nil, and one that holds nothing, mean the user's rights
}

// A Peer is a Program that runs. Writing and reading may be done by different
// goroutines; whoever opens a Peer calls End.
type Peer struct {
	cmd    *exec.Cmd
	held   Command // what it is held to
	family family
	in     *os.File
	out    *os.File
	errors *recent
	read   chan struct{} // closed when standard error is at its end
	exited chan struct{}

	end   sync.Once
	ended error
}

// Open starts a program and returns at once. On Linux it is asked to end
// (SIGTERM) when this process dies, however that comes about.
func Open(ctx context.Context, p Program) (*Peer, error) {
	if !filepath.IsAbs(p.Dir) || !filepath.IsAbs(p.Path) {
		return nil, fmt.Errorf("cannot start '%s' in '%s': a path is not absolute", p.Path, p.Dir)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	peer, err := p.open()
	if err != nil {
		return nil, fmt.Errorf("cannot start '%s' in '%s': %w", p.Path, p.Dir, err)
	}
	return peer, nil
}

func (p Program) open() (*Peer, error) {
	var ours, theirs [3]*os.File
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:], theirs[:])
			return nil, err
		}
		ours[i], theirs[i] = r, w
		if i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	mark := newMark()
	cmd := &exec.Cmd{Path: p.Path, Args: append([]string{p.Path}, p.Args...), Dir: p.Dir}
	cmd.Env = append(p.Env[:len(p.Env):len(p.Env)], "PWD="+p.Dir, mark+"="+p.Dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	ownSession(cmd)
	diesWithUs(cmd)

	peer := &Peer{cmd: cmd, held: Command{Fence: p.Fence}, in: ours[0], out: ours[1], errors: newRecent(Command{Limit: p.Limit}.limit()),
		read: make(chan struct{}), exited: make(chan struct{})}
	started := make(chan error)
	go peer.live(peer.held, started)
	err := <-started
	closeAll(theirs[:])
	if err != nil {
		closeAll(ours[:])
		return nil, err
	}
	peer.family = newFamily(cmd.Process.Pid, mark)
	go func() {
		defer close(peer.read)
		io.Copy(peer.errors, ours[2]) // ends with the stream or when End closes it
		ours[2].Close()
	}()
	return peer, nil
}

func closeAll(lists ...[]*os.File) {
	for _, files := range lists {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
}

// live starts the program and waits for it, on one thread: to the kernel the
// parent that a program dies with is the thread that started it.
func (p *Peer) live(c Command, started chan<- error) {
	defer keepThread()()
	defer close(p.exited)
	err := c.start(p.cmd)
	started <- err
	if err == nil {
		p.cmd.Wait() // what went wrong is in ProcessState
	}
}

// Read reads from the program's standard output.
func (p *Peer) Read(b []byte) (int, error) { return p.out.Read(b) }

// Write writes to the program's standard input.
func (p *Peer) Write(b []byte) (int, error) { return p.in.Write(b) }

// Exited is closed when the program has ended. What it printed can still be read.
func (p *Peer) Exited() <-chan struct{} { return p.exited }

// ExitCode is what the program ended with, 128+n when ended by signal n; -1
// while Exited is open.
func (p *Peer) ExitCode() int {
	select {
	case <-p.exited:
		return exitCode(p.cmd.ProcessState)
	default:
		return -1
	}
}

// Errors is the newest of what the program printed on standard error.
func (p *Peer) Errors() string {
	out, _ := p.errors.since(0)
	return string(wholeStart(out))
}

// End ends the program and everything it started, and waits for them: what does
// not end when asked is made to after two seconds. Standard output is at its end
// then. The error says that something could not be ended. Safe to call again.
func (p *Peer) End() error {
	p.end.Do(func() {
		if p.ended = p.family.end(); p.ended == nil {
			<-p.exited
		}
		p.in.Close()                                    // not before: a program may do more when its input ends than when it is told to end
		p.out.SetReadDeadline(time.Now().Add(lastWait)) // somebody out of reach may hold it open
		timer := time.NewTimer(lastWait)
		defer timer.Stop()
		select {
		case <-p.read:
		case <-timer.C:
		}
		p.ended = errors.Join(p.ended, p.held.setAside(p.errors))
	})
	return p.ended
}

// Close ends the program; after it nothing more can be read.
func (p *Peer) Close() error { return errors.Join(p.End(), p.out.Close()) }
