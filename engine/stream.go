package engine

import "sync"

// A Stream hands events to consumers, each through a bounded queue of its own:
// one that is slow or panics loses events, never the run.
type Stream struct {
	mu        sync.Mutex
	consumers []*consumer
}

type consumer struct {
	queue   chan Event
	done    chan struct{}
	mu      sync.Mutex
	dropped int
}

// Subscribe starts to hand events to f, from one goroutine, in order, at most
// queue of them waiting. The goroutine ends with Close.
func (s *Stream) Subscribe(queue int, f func(Event)) {
	c := &consumer{queue: make(chan Event, queue), done: make(chan struct{})}
	s.mu.Lock()
	s.consumers = append(s.consumers, c)
	s.mu.Unlock()
	go func() {
		defer close(c.done)
		for ev := range c.queue {
			c.deliver(f, ev)
		}
	}()
}

func (c *consumer) deliver(f func(Event), ev Event) {
	defer func() {
		if recover() != nil {
			c.lose()
		}
	}()
	f(ev)
}

func (c *consumer) lose() {
	c.mu.Lock()
	c.dropped++
	c.mu.Unlock()
}

// Emit queues an event for every consumer and never waits.
func (s *Stream) Emit(ev Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.consumers {
		select {
		case c.queue <- ev:
		default:
			c.lose()
		}
	}
}

// Close lets the consumers finish what is queued and returns how many events
// were lost. No Emit may follow.
func (s *Stream) Close() (lost int) {
	s.mu.Lock()
	consumers := s.consumers
	s.consumers = nil
	s.mu.Unlock()
	for _, c := range consumers {
		close(c.queue)
		<-c.done
		lost += c.dropped
	}
	return lost
}
