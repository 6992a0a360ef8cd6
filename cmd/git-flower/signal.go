package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// echo is how long after a signal the same one counts as its repetition. Who
// calls us as 'git flower' has git as parent: a terminal sends Ctrl-C and its
// hang-up to both, and git passes on to us what it gets. It is longer than git
// takes for that on a busy machine, and hardly longer than it takes to press two
// keys one after the other.
const echo = 300 * time.Millisecond

// untilSignal returns a context that ends, with the signal as its cause, at the
// first signal that asks us to end. What is there is saved then, and workers'
// commands are ended; a second signal is told so, and a third finds the default
// action and ends the process at once. An interrupt that is heeded, by an editor
// or by a run that takes the person's words, ends nothing.
// SIGPIPE keeps its meaning, so that "| head" is quiet.
func untilSignal(parent context.Context, heed func() bool, impatient func()) (context.Context, func()) {
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
		w := signalWait{heed: heed, impatient: impatient, reset: func() { signal.Reset(signals...) }, cancel: cancel, echo: echo}
		w.wait(arrived)
	}()
	return ctx, func() { signal.Stop(arrived); close(arrived); <-done; cancel(nil) }
}

// A signalWait waits for the signal that ends the process.
type signalWait struct {
	heed      func() bool             // takes care of an interrupt, or does not
	cancel    context.CancelCauseFunc // told of the signal that ends us
	impatient func()                  // told of the one after it
	reset     func()                  // gives signals their default action back
	echo      time.Duration
}

// wait hands the first signal that is meant for us to cancel, and the second to
// impatient. Then signals get their default action back.
func (w signalWait) wait(arrived <-chan os.Signal) {
	var heeded time.Time
	for s := range arrived {
		switch {
		case s != os.Interrupt:
		case time.Since(heeded) < w.echo:
			continue
		case w.heed():
			heeded = time.Now()
			continue
		}
		w.cancel(signalError{s})
		w.quiet(arrived)
		if _, open := <-arrived; open {
			w.impatient()
			w.quiet(arrived)
		}
		w.reset()
		return
	}
}

// quiet takes what may still be the echo of a signal.
func (w signalWait) quiet(arrived <-chan os.Signal) {
	over := time.NewTimer(w.echo)
	defer over.Stop()
	for open := true; open; {
		select {
		case _, open = <-arrived:
		case <-over.C:
			return
		}
	}
}
