package main

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
)

// paged hands a writer to print. On a terminal what is written passes git's
// pager, unless the command line says no or git already runs one for us. A
// reader who leaves early is no error.
func (e *Env) paged(ctx context.Context, c *call, print func(io.Writer) error) error {
	program, err := e.pagerProgram(ctx, c)
	if err != nil {
		return err
	}
	if program == "" {
		return print(e.Out)
	}
	e.trace.printf("pager: %s", program)
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", program) // it ends when its input does
	cmd.Stdout, cmd.Stderr = e.Out, e.Err
	cmd.Env = e.pagerEnvironment(cmd.Environ())
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return endf(endFatal, `use --no-pager, or set core.pager`, "cannot start pager '%s': %w", program, err)
	}
	printed := print(in)
	closed := in.Close()
	ended := cmd.Wait()
	e.trace.printf("pager: ended: %v", ended) // git takes no notice of its exit code either
	if code := cmd.ProcessState.ExitCode(); code == 126 || code == 127 {
		return endf(endFatal, "use --no-pager, or set core.pager", "cannot run pager '%s'", program)
	}
	if err := errors.Join(printed, closed); !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}

// pagerProgram is the shell command to page through, empty for none.
func (e *Env) pagerProgram(ctx context.Context, c *call) (string, error) {
	running, _ := e.lookup("GIT_PAGER_IN_USE")
	if !e.OutTerminal || running != "" || c.given("pager") && !c.is("pager") {
		return "", nil
	}
	program, ok := e.lookup("GIT_PAGER")
	if !ok {
		var err error
		if program, err = e.git().Without("GIT_PAGER").Line(ctx, "var", "GIT_PAGER"); err != nil {
			return "", err
		}
	}
	if program == "cat" {
		return "", nil
	}
	return program, nil
}

// pagerEnvironment adds what git sets for a pager unless the user has.
func (e *Env) pagerEnvironment(env []string) []string {
	for _, preset := range []string{"LESS=FRX", "LV=-c"} {
		name, _, _ := strings.Cut(preset, "=")
		if _, set := e.lookup(name); !set {
			env = append(env, preset)
		}
	}
	return env
}
