package main

import (
	"context"
	"os"
)

func main() {
	env := newEnv(os.Stdin, os.Stdout, os.Stderr)
	ctx, stop := untilSignal(context.Background(), env.heedInterrupt)
	code := run(ctx, os.Args[1:], env)
	stop()
	os.Exit(code)
}
