package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"git-flower/engine/harness"
)

// Chaos makes a harness as unreliable as a bad night: turns break off with
// faults of the kind that pass, at seeded points, and now and then a message
// comes that nobody knows. Whoever drives its sessions and carries broken turns
// on must come to the end it would have come to without.
//
// A break is an interruption of the inner session, so open calls are answered
// as interrupted ones.
type Chaos struct {
	harness.Harness
	Seed uint64
	// Every is after how many events, on average, a turn breaks off; at least 1.
	Every int
	// Breaks bounds how many turns of one session break off.
	Breaks int

	mu      sync.Mutex
	started uint64
}

// Start opens a session that will misbehave. The points at which it does depend
// on the seed and on how many sessions were started before.
func (c *Chaos) Start(ctx context.Context, o harness.Options) (harness.Session, error) {
	s, err := c.Harness.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.started++
	n := c.started
	c.mu.Unlock()
	return &chaotic{Session: s, random: rand.New(rand.NewPCG(c.Seed, n)), every: max(1, c.Every), left: c.Breaks}, nil
}

type chaotic struct {
	harness.Session
	random *rand.Rand
	every  int
	left   int
	held   harness.Event // comes after one that nobody knows
}

// Next passes events on, or breaks the turn off.
func (s *chaotic) Next(ctx context.Context) (harness.Event, error) {
	if e := s.held; e != nil {
		s.held = nil
		return e, nil
	}
	e, err := s.Session.Next(ctx)
	if err != nil || s.left == 0 || s.random.IntN(s.every) != 0 {
		return e, err
	}
	if _, over := e.(harness.Ended); over {
		return e, nil
	}
	s.left--
	if s.left%3 == 2 {
		s.held = e
		return harness.Raw{Data: []byte(`{"type":"weather","clouds":true}`)}, nil
	}
	return s.snap(ctx)
}

// snap interrupts the turn, drops what it still says, and ends it with a fault.
func (s *chaotic) snap(ctx context.Context) (harness.Event, error) {
	if err := s.Session.Interrupt(ctx); err != nil {
		return nil, err
	}
	for {
		e, err := s.Session.Next(ctx)
		if err != nil {
			return nil, err
		}
		ended, over := e.(harness.Ended)
		if !over {
			continue
		}
		if ended.Stop != harness.StopInterrupted {
			return ended, nil
		}
		classes := []harness.Class{harness.Network, harness.Overloaded, harness.ServerError, harness.RateLimit, harness.Unknown}
		class := classes[s.random.IntN(len(classes))]
		return harness.Ended{Fault: &harness.Fault{Class: class, Message: "chaos"}}, nil
	}
}

// Drive says something and carries the turn on, whatever breaks it off, until
// it ends otherwise; the last Ended is returned. It gives up after limit faults.
func Drive(ctx context.Context, s harness.Session, m harness.Message, limit int) (harness.Ended, error) {
	for range limit + 1 {
		if err := s.Send(ctx, m); err != nil {
			return harness.Ended{}, err
		}
		if m.ID == "" {
			m = harness.Message{} // saying it again would say it twice
		}
		ended, err := untilEnded(ctx, s)
		if err != nil || ended.Stop != harness.StopFault {
			return ended, err
		}
	}
	return harness.Ended{}, fmt.Errorf("still broken after %d faults", limit)
}

func untilEnded(ctx context.Context, s harness.Session) (harness.Ended, error) {
	for {
		e, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return harness.Ended{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return harness.Ended{}, err
		}
		if ended, ok := e.(harness.Ended); ok {
			return ended, nil
		}
	}
}
