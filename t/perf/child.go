package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// childWord makes this program do one thing in a process of its own, where
// memory or system calls are counted.
const childWord = "-child"

func runChild(ctx context.Context, args []string, out io.Writer) error {
	switch {
	case args[0] == "append" && len(args) == 3:
		return childAppend(ctx, args[1], args[2] == "nosync", out)
	case args[0] == "turns" && len(args) == 4:
		return childTurns(ctx, args[1], args[2], args[3], out)
	case args[0] == "job" && len(args) == 6:
		return childJob(ctx, job{driver: args[1], url: args[2], key: args[3], dir: args[4], claude: args[5]}, out)
	case args[0] == "demo" && len(args) == 3:
		return childDemo(ctx, args[1], args[2], out)
	}
	return fmt.Errorf("unknown child %q", args)
}

// childAppend appends one record and prints its commit.
func childAppend(ctx context.Context, dir string, noSync bool, out io.Writer) error {
	a, err := openAppender(ctx, dir, noSync)
	if err != nil {
		return err
	}
	if err := errors.Join(a.append(ctx, 1_000_000), a.close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, a.run.Tip())
	return err
}
