package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// grace is what a process gets between SIGTERM and SIGKILL.
	grace = 2 * time.Second
	// lastWait is how long a killed process may take to be gone, and how long
	// a pipe that somebody out of reach holds open is still read.
	lastWait = time.Second
)

// Run runs c and returns what it did. That it failed or ran out of time is told
// in the Result; an error means that it could not be started, that ctx ended
// (the Result then holds what there was until then), or that something it
// started could not be ended.
func Run(ctx context.Context, c Command) (Result, error) {
	began := time.Now()
	out := newCapture(c.limit())
	j, err := start(ctx, c, out)
	if err != nil {
		return Result{}, err
	}
	timedOut, stopped := j.wait(ctx, c.Timeout)
	ended := j.end()
	j.finish()
	ended = errors.Join(ended, c.setAside(out))
	r := Result{
		Output: out.text(), Bytes: out.total, Digest: out.digest(), Truncated: out.truncated(),
		ExitCode: j.exitCode(), TimedOut: timedOut, Duration: time.Since(began),
	}
	return r, errors.Join(stopped, ended)
}

// A job is a command that runs.
type job struct {
	cmd    *exec.Cmd
	family family
	output *os.File // our end of the pipe
	out    io.Writer
	read   chan struct{} // closed when output is at its end
	exited chan struct{} // closed when the shell has been waited for
}

// limit is how many bytes of output are kept.
func (c Command) limit() int {
	if c.Limit <= 0 {
		return DefaultLimit
	}
	return c.Limit
}

func start(ctx context.Context, c Command, out io.Writer) (*job, error) {
	if !filepath.IsAbs(c.Dir) {
		return nil, fmt.Errorf("cannot run a command: directory '%s' is not absolute", c.Dir)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j, err := c.spawn(out)
	if err != nil {
		return nil, fmt.Errorf("cannot run a command in '%s': %w", c.Dir, err)
	}
	return j, nil
}

func (c Command) spawn(out io.Writer) (*job, error) {
	name := cmp.Or(c.Shell, "sh")
	shell, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	mark := newMark()
	cmd := &exec.Cmd{Path: shell, Args: []string{name, "-c", c.Script}}
	cmd.Dir = c.Dir
	cmd.Env = append(c.Env[:len(c.Env):len(c.Env)], "PWD="+c.Dir, mark+"="+c.Dir)
	cmd.Stdout, cmd.Stderr = w, w
	ownSession(cmd)
	if err := c.start(cmd); err != nil {
		r.Close()
		return nil, err
	}
	j := &job{
		cmd: cmd, family: newFamily(cmd.Process.Pid, mark), output: r, out: out,
		read: make(chan struct{}), exited: make(chan struct{}),
	}
	go j.copyOutput()
	go j.reap()
	return j, nil
}

// start starts cmd, behind the fence if there is one.
func (c Command) start(cmd *exec.Cmd) error {
	if c.Fence == nil || !c.Fence.On() {
		return cmd.Start()
	}
	l, err := c.Fence.Wrap(append([]string{cmd.Path}, cmd.Args[1:]...))
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args, cmd.ExtraFiles = l.Path, l.Args, l.Files
	cmd.Env = append(cmd.Env, l.Env...)
	c.Fence.Attr(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		l.Cancel()
		return err
	}
	if err := l.Started(); err != nil {
		cmd.Process.Kill()
		return errors.Join(err, ignoreExit(cmd.Wait()))
	}
	return nil
}

// setAside moves away what the command must not leave behind, and says so where it
// printed.
func (c Command) setAside(out io.Writer) error {
	if c.Fence == nil {
		return nil
	}
	told, err := c.Fence.Never.SetAside()
	for _, words := range told {
		fmt.Fprintf(out, "\n[%s]\n", words)
	}
	return err
}

// ignoreExit drops what says that a process was killed, which we know.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

func (j *job) copyOutput() {
	defer close(j.read)
	io.Copy(j.out, j.output) // ends with the stream or when finish closes it
}

func (j *job) reap() {
	defer close(j.exited)
	j.cmd.Wait() // what went wrong is in ProcessState
}

// wait waits for the shell. It reports whether its time was up first, or
// returns ctx's error if that ended first.
func (j *job) wait(ctx context.Context, limit time.Duration) (timedOut bool, err error) {
	var up <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		up = timer.C
	}
	select {
	case <-j.exited:
		return false, nil
	case <-up:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// end ends everything that is left of the command, the shell included.
func (j *job) end() error {
	if err := j.family.end(); err != nil {
		return err
	}
	<-j.exited
	return nil
}

// EndLeft ends what commands run by an earlier process of ours, one that was
// killed, still do in dir or below it. On Linux these are the processes whose
// environment carries a mark of Run and that were started there, have their
// working directory there or hold a file open there, with their descendants;
// elsewhere nothing can be found and nothing is done.
func EndLeft(dir string) error { return leftIn(dir).end() }

// EndStartedIn ends, as EndLeft, what was started in dir itself with a variable,
// "NAME=value", in its environment. In a directory that others use too the
// variable tells whose commands these are.
func EndStartedIn(dir, variable string) error { return startedIn(dir, variable).end() }

// EndStray ends, as EndLeft, what was started below dir in a folder that is no
// longer there.
func EndStray(dir string) error { return strayFrom(dir).end() }

// end asks all members to end, and after the grace makes them.
func (f family) end() error {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	began := time.Now()
	for {
		hard := time.Since(began) >= grace
		left, again := f.signal(hard)
		if left == 0 && !again {
			return nil
		}
		if left > 0 && time.Since(began) >= grace+lastWait {
			return fmt.Errorf("cannot end a command: %d of its processes are left", left)
		}
		<-poll.C
	}
}

// exitCode is -1 while the shell cannot be ended.
func (j *job) exitCode() int {
	select {
	case <-j.exited:
		return exitCode(j.cmd.ProcessState)
	default:
		return -1
	}
}

// finish reads what is left of the output.
func (j *job) finish() {
	timer := time.NewTimer(lastWait)
	defer timer.Stop()
	select {
	case <-j.read:
	case <-timer.C:
	}
	j.output.Close()
	<-j.read
}
