package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends, with the signal as its cause, at the
// first signal that asks us to end. A second one finds the default action and
// ends the process at once. An interrupt that is heeded, by an editor or by a run
// that takes the person's words, ends nothing.
// SIGPIPE keeps its meaning, so that "| head" is quiet.
func untilSignal(parent context.Context, heed func() bool) (context.Context, func()) {
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
		waitForSignal(arrived, heed, func() { signal.Reset(signals...) }, cancel)
	}()
	return ctx, func() { signal.Stop(arrived); close(arrived); <-done; cancel(nil) }
}

// waitForSignal hands the first signal that is meant for us to cancel; before
// that the next one gets its default action back.
func waitForSignal(arrived <-chan os.Signal, heed func() bool, reset func(), cancel context.CancelCauseFunc) {
	for s := range arrived {
		if s != os.Interrupt || !heed() {
			reset()
			cancel(signalError{s})
			return
		}
	}
}
