package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// A program is started over and over in one folder. Others are run through the
// packages that own the doors; here the start itself is what is measured.
type program struct {
	name string
	dir  string
	env  []string // added to the environment
	lead []string // words before the arguments, such as git's -c
	wrap []string // a command that runs the program, such as strace
}

// read runs the program to its end and returns its standard output.
func (p program) read(ctx context.Context, stdin string, args ...string) (string, error) {
	out, _, err := p.both(ctx, stdin, args...)
	return out, err
}

func (p program) both(ctx context.Context, stdin string, args ...string) (out, errs string, err error) {
	words := append(append(append([]string{}, p.wrap...), p.name), append(append([]string{}, p.lead...), args...)...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	// Asked, not killed: git takes its lock files away, the product its children.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Dir = p.dir
	if len(p.env) > 0 {
		cmd.Env = append(os.Environ(), p.env...)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("run '%s': %w: %.400s", strings.Join(words, " "), err, stderr.String())
	}
	return stdout.String(), stderr.String(), nil
}
