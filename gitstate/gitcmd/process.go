package gitcmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
)

// A Process is a git command that stays alive and is spoken to, such as
// 'cat-file --batch' or 'update-ref --stdin'. It is not safe for concurrent use.
type Process struct {
	In  io.WriteCloser
	Out *bufio.Reader

	ctx  context.Context
	args []string
	cmd  *exec.Cmd
	errs bytes.Buffer
}

// Start starts a long-lived command. It lives until Close or until ctx ends.
func (g Git) Start(ctx context.Context, args ...string) (*Process, error) {
	p := &Process{ctx: ctx, args: args, cmd: g.command(ctx, args)}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, failure(ctx, args, "", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, failure(ctx, args, "", err)
	}
	p.cmd.Stderr = &p.errs
	if err := p.cmd.Start(); err != nil {
		return nil, failure(ctx, args, "", err)
	}
	p.In, p.Out = in, bufio.NewReaderSize(out, 1<<16)
	return p, nil
}

// Close ends the conversation, waits for git to exit and returns what it had
// to say, if it failed.
func (p *Process) Close() error {
	closed := p.In.Close()
	_, drained := io.Copy(io.Discard, p.Out)
	err := p.cmd.Wait()
	if err == nil {
		err = errors.Join(ignoreClosed(closed), drained)
	}
	return failure(p.ctx, p.args, p.errs.String(), err)
}

// ignoreClosed: a child that ended first has closed the pipe, and its own exit
// says more about it; the caller may have closed it to say that all is said.
func ignoreClosed(err error) error {
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed) || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
