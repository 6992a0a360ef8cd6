package rehearse

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxBody is the Messages API's limit on a request (errors page).
const maxBody = 32 << 20

// Config says how a server runs. The zero value works.
type Config struct {
	// Key is the only one the server accepts; empty makes a random one.
	Key string
	// Listen is the address, 127.0.0.1:0 when empty.
	Listen string
	// Log, when not nil, is told every exchange, from several goroutines.
	Log func(Exchange)
	// Now is the clock for the cache's life; nil is time.Now.
	Now func() time.Time
	// After starts a timer for delays; nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// An Exchange is a request that was served.
type Exchange struct {
	Method, Path string
	Header       http.Header // of the request
	Body         []byte      // of the request, as it came
	Status       int         // of the response; zero when the connection was cut before any
	Scene        string      // that was played, empty when none
	Turn         int         // of the scene, from 1
	Error        string      // why it was refused, empty when it was not
	RequestID    string
}

// A Server plays a script.
type Server struct {
	script *Script
	config Config
	url    string
	http   *http.Server
	serve  sync.WaitGroup // the accepting goroutine
	ctx    context.Context
	stop   context.CancelFunc

	handling sync.WaitGroup
	requests atomic.Int64
	tally    tally
	cache    cache

	mu       sync.Mutex
	closed   bool
	problems []string
	refusals []string
}

// Start listens and serves until Close. When ctx ends, delays and stalls end.
func Start(ctx context.Context, script *Script, c Config) (*Server, error) {
	if script == nil {
		return nil, errors.New("start rehearsal: no script")
	}
	if c.Key == "" {
		var b [16]byte
		rand.Read(b[:]) // never fails
		c.Key = "sk-rehearsal-" + hex.EncodeToString(b[:])
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.After == nil {
		c.After = time.After
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("start rehearsal: %w", err)
	}
	s := &Server{script: script, config: c, url: "http://" + l.Addr().String()}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	s.serve.Go(func() { s.http.Serve(l) })
	return s, nil
}

// URL is the server's address, without a path.
func (s *Server) URL() string { return s.url }

// Key is what clients must send, as x-api-key or as Bearer.
func (s *Server) Key() string { return s.config.Key }

// Problems lists the requests that no scene fitted and the turns that could
// not be written, oldest first. A test ends by asserting that there are none.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Refusals lists the requests that were refused for their form, oldest first.
func (s *Server) Refusals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refusals)
}

// Close stops listening, ends delays and stalls and waits for the handlers.
// It may be called twice.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.handling.Wait()
	err := s.http.Close()
	s.serve.Wait()
	return err
}

// enter counts a handler in, unless the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.handling.Add(1)
	return true
}

func (s *Server) now() time.Time { return s.config.Now() }

// sleep waits, unless the client goes away or the server closes.
func (s *Server) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-s.config.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keepLists bounds the memory of problems and refusals.
const keepLists = 1000

func (s *Server) note(list *[]string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*list) < keepLists {
		*list = append(*list, text)
	}
}
