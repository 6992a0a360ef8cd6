package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := untilSignal(context.Background())
	code := run(ctx, os.Args[1:], newEnv(os.Stdin, os.Stdout, os.Stderr))
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends, with the signal as its cause, at the
// first signal that asks us to end. A second one finds the default action and
// ends the process at once. SIGPIPE keeps its meaning, so that "| head" is quiet.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup asked to live on
		signals = append(signals, syscall.SIGHUP)
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, signals...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if s, ok := <-arrived; ok {
			signal.Reset(signals...)
			cancel(signalError{s})
		}
	}()
	return ctx, func() { signal.Stop(arrived); close(arrived); <-done; cancel(nil) }
}
