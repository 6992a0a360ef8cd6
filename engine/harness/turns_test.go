package harness

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

func TestTurnsQueueWordsAndEndEachTurnOnce(t *testing.T) {
	var heard []string
	s := NewTurns(func(_ context.Context, turn *Turn) Ended {
		for _, m := range turn.Heard() {
			heard = append(heard, m.Text)
			turn.Emit(Text{m.Text})
		}
		return Ended{Stop: StopDone}
	})
	ctx := t.Context()
	for _, text := range []string{"a", "b"} {
		if err := s.Send(ctx, Message{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	want := []Event{Text{"a"}, Text{"b"}, Ended{Stop: StopDone}}
	for i, w := range want {
		if e, err := s.Next(ctx); err != nil || e != w {
			t.Fatalf("event %d: %v, %v; want %v", i, e, err, w)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(ctx); err != io.EOF {
		t.Fatalf("after close: %v", err)
	}
	if err := s.Send(ctx, Message{Text: "c"}); err == nil {
		t.Fatal("sent to a closed session")
	}
	if err := s.Close(); err != nil {
		t.Fatal("second close:", err)
	}
}

func TestWordsThatMissTheirTurnBeginTheNext(t *testing.T) {
	turns := 0
	var s *Turns
	s = NewTurns(func(ctx context.Context, turn *Turn) Ended {
		turns++
		turn.Heard()
		if turns == 1 {
			if err := s.Send(ctx, Message{Text: "late"}); err != nil {
				t.Error(err)
			}
		}
		return Ended{Stop: StopDone}
	})
	_ = s.Send(t.Context(), Message{Text: "first"})
	for range 2 {
		if e, err := s.Next(t.Context()); err != nil || e != (Ended{Stop: StopDone}) {
			t.Fatal(e, err)
		}
	}
	if turns != 2 {
		t.Fatalf("%d turns", turns)
	}
}

// blocked plays a turn that lasts until its context ends.
func blocked(ctx context.Context, turn *Turn) Ended {
	turn.Heard()
	turn.Emit(Text{"on it"})
	<-ctx.Done()
	return Ended{}
}

func TestInterruptEndsTheTurnAndTheSessionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewTurns(blocked)
		for range 2 {
			_ = s.Send(t.Context(), Message{Text: "go"})
			if e, err := s.Next(t.Context()); err != nil || e != (Text{"on it"}) {
				t.Fatal(e, err)
			}
			done := make(chan Event)
			go func() { e, _ := s.Next(t.Context()); done <- e }()
			synctest.Wait()
			_ = s.Interrupt(t.Context())
			if e := <-done; e != (Ended{Stop: StopInterrupted}) {
				t.Fatalf("got %v", e)
			}
		}
		_ = s.Interrupt(t.Context()) // resting: harmless
		_ = s.Send(t.Context(), Message{Text: "go"})
		if e, _ := s.Next(t.Context()); e != (Text{"on it"}) {
			t.Fatalf("an interrupt at rest reached the next turn: %v", e)
		}
		_ = s.Close()
	})
}

func TestInterruptBetweenSendAndNext(t *testing.T) {
	s := NewTurns(blocked)
	_ = s.Send(t.Context(), Message{Text: "go"})
	_ = s.Interrupt(t.Context())
	_, _ = s.Next(t.Context())
	if e, err := s.Next(t.Context()); err != nil || e != (Ended{Stop: StopInterrupted}) {
		t.Fatal(e, err)
	}
}

func TestNextsContextLeavesTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var causes []error
		s := NewTurns(func(ctx context.Context, turn *Turn) Ended {
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			return Ended{}
		})
		_ = s.Send(t.Context(), Message{Text: "go"})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { synctest.Wait(); cancel() }()
		if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if len(causes) != 1 || errors.Is(causes[0], ErrInterrupted) {
			t.Fatalf("causes %v", causes)
		}
		ctx, cancel = context.WithCancel(t.Context())
		cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal("resting:", err)
		}
	})
}

func TestCloseWaitsForTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := false
		s := NewTurns(func(ctx context.Context, turn *Turn) Ended {
			<-ctx.Done()
			out = true
			turn.Emit(Text{"nobody listens"})
			return Ended{}
		})
		_ = s.Send(t.Context(), Message{Text: "go"})
		done := make(chan error)
		go func() { _, err := s.Next(t.Context()); done <- err }()
		synctest.Wait()
		go func() { done <- s.Close() }()
		first, second := <-done, <-done
		if !out || (first != io.EOF && second != io.EOF) {
			t.Fatal(out, first, second)
		}
	})
}

func TestCloseEndsATurnThatNobodyPulls(t *testing.T) {
	s := NewTurns(blocked)
	_ = s.Send(t.Context(), Message{Text: "go"})
	_, _ = s.Next(t.Context())
	_ = s.Close() // hangs or leaks if the turn is not told
}
