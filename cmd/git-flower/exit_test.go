package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"git-flower/gitstate"
	"git-flower/gitstate/gitcmd"
)

func TestExitCodes(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct {
		err    error
		code   int
		prefix string
	}{
		{end(endNo, io.EOF, "h"), 1, "error: "},
		{end(endPerson, io.EOF, "h"), 2, "error: "},
		{end(endLimit, io.EOF, "h"), 3, "error: "},
		{end(endLater, io.EOF, "h"), 75, "error: "},
		{end(endFatal, io.EOF, "h"), 128, "fatal: "},
		{end(endUsage, io.EOF, "h"), 129, "error: "},
		{io.EOF, 128, "fatal: "},
		{fmt.Errorf("while closing: %w", end(endNo, io.EOF, "h")), 1, "error: "},
		{errors.Join(end(endPerson, io.EOF, "h"), io.ErrShortWrite), 2, "error: "},
		{fmt.Errorf("run 'x': %w", gitstate.ErrNotFound), 128, "fatal: "},
		{fmt.Errorf("run 'x': %w", gitstate.ErrFormat), 128, "fatal: "},
		{fmt.Errorf("run 'x': %w", gitstate.ErrAmbiguous), 2, "error: "},
		{&gitstate.LockedError{Run: "x", PID: 7}, 128, "fatal: "},
		{fmt.Errorf("%w", gitcmd.ErrNoGit), 128, "fatal: "},
	} {
		d.reset()
		if got := conclude(t.Context(), d.env, c.err); got != c.code {
			t.Errorf("%v: exit %d, want %d", c.err, got, c.code)
		}
		said := d.err.String()
		if !strings.HasPrefix(said, c.prefix) || strings.Count(said, "hint: ") == 0 || d.out.Len() > 0 {
			t.Errorf("%v: said %q", c.err, said)
		}
	}
	d.reset()
	if got := conclude(t.Context(), d.env, nil); got != 0 || d.err.Len() > 0 {
		t.Errorf("success: exit %d, said %q", got, d.err.String())
	}
}

func TestExitCodesOfSignals(t *testing.T) {
	d := newDesk(t)
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(signalError{signal})
		for _, err := range []error{ctx.Err(), fmt.Errorf("git log: %w", ctx.Err()), io.EOF} {
			d.reset()
			if got := conclude(ctx, d.env, err); got != want || !strings.Contains(d.err.String(), "hint: ") {
				t.Errorf("%v after %v: exit %d, want %d; said %q", err, signal, got, want, d.err.String())
			}
		}
		if got := conclude(ctx, d.env, nil); got != 0 {
			t.Errorf("success in spite of %v: exit %d", signal, got)
		}
		if got := conclude(ctx, d.env, end(endNo, io.EOF, "h")); got != 1 {
			t.Errorf("a conclusion in spite of %v: exit %d", signal, got)
		}
	}
}

// A context that ended for another reason is no signal.
func TestCancelledWithoutSignalIsFatal(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := conclude(ctx, d.env, ctx.Err()); got != 128 {
		t.Errorf("exit %d", got)
	}
}

func TestSignalEndsTheContextWithItsCause(t *testing.T) {
	ctx, stop := untilSignal(t.Context(), new(atomic.Bool).Load, func() {})
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		t.Skip("needs signals: ", err)
	}
	<-ctx.Done()
	var by signalError
	if !errors.As(context.Cause(ctx), &by) || by.code() != 143 {
		t.Errorf("cause %v", context.Cause(ctx))
	}
}

// An editor's Ctrl-C is not ours. The signal that ends us has what is there saved,
// the next one is told so, and a third is no longer caught.
func TestInterruptWhileAnEditorRuns(t *testing.T) {
	arrived := make(chan os.Signal, 1)
	var editing atomic.Bool
	editing.Store(true)
	caught := make(chan error, 1)
	reset := 0
	impatient := make(chan int)
	go func() {
		signalWait{heed: editing.Load, reset: func() { reset++ }, cancel: func(err error) { caught <- err }, impatient: func() { impatient <- reset }}.wait(arrived)
		close(caught)
	}()
	arrived <- os.Interrupt
	arrived <- syscall.SIGTERM
	var by signalError
	if err := <-caught; !errors.As(err, &by) || by.signal != syscall.SIGTERM {
		t.Errorf("caught %v", err)
	}
	arrived <- syscall.SIGTERM
	if resets := <-impatient; resets != 0 {
		t.Error("the second signal would have ended what is being saved")
	}
	if _, more := <-caught; more || reset != 1 {
		t.Errorf("another one was caught: %v, %d resets", more, reset)
	}
}

// Git has the terminal's signals too and passes them on: what comes twice is
// meant once.
func TestSignalsThatGitPassesOn(t *testing.T) {
	for _, twice := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		arrived := make(chan os.Signal)
		heeded, caught, reset := 0, 0, 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			signalWait{
				heed: func() bool { heeded++; return true }, reset: func() { reset++ },
				cancel: func(error) { caught++ }, echo: time.Hour,
			}.wait(arrived)
		}()
		arrived <- twice
		arrived <- twice
		close(arrived)
		<-done
		want := [3]int{0, 1, 1}
		if twice == os.Interrupt {
			want = [3]int{1, 0, 0}
		}
		if got := [3]int{heeded, caught, reset}; got != want {
			t.Errorf("%v: heeded, ended, reset: %v, want %v", twice, got, want)
		}
	}
}

func TestSaidTextIsClean(t *testing.T) {
	d := newDesk(t)
	conclude(t.Context(), d.env, errors.New("run '\x1b]0;evil\x07x\u202e': broken\nsecond line"))
	if got := d.err.String(); strings.ContainsAny(got, "\x1b\x07\u202e") || !strings.HasPrefix(got, "fatal: run 'x': broken\nsecond line\n") {
		t.Errorf("said %q", got)
	}
}

func TestGitsOwnPrefixIsNotDoubled(t *testing.T) {
	d := newDesk(t)
	conclude(t.Context(), d.env, errors.New("fatal: not a git repository"))
	if got := d.err.String(); !strings.HasPrefix(got, "fatal: not a git repository\n") {
		t.Errorf("said %q", got)
	}
}
