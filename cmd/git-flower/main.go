package main

import (
	"context"
	"os"

	"git-flower/worktree/fence"
)

func main() {
	fence.Main()
	env := newEnv(os.Stdin, os.Stdout, os.Stderr)
	ctx, stop := untilSignal(context.Background(), env.heedInterrupt, env.impatient)
	code := 0
	if err := env.inBackground(os.Stdout); err != nil {
		code = conclude(ctx, env, err)
	} else {
		code = run(ctx, os.Args[1:], env)
	}
	stop()
	os.Exit(code)
}
