package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"git-flower/engine/rehearse"
)

// A strictModel is a rehearsal that notes when it was asked and when it had
// answered.
type strictModel struct {
	url    string
	model  *rehearse.Server
	server *http.Server
	ended  chan error

	mu    sync.Mutex
	asked []span
}

type span struct{ from, to time.Time }

func serveStrict(ctx context.Context, script *rehearse.Script) (*strictModel, error) {
	model, err := rehearse.Start(ctx, script, rehearse.Config{})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, model.Close())
	}
	m := &strictModel{url: "http://" + listener.Addr().String(), model: model, ended: make(chan error, 1)}
	m.server = &http.Server{Handler: m}
	go func() { m.ended <- m.server.Serve(listener) }()
	return m, nil
}

func (m *strictModel) key() string { return m.model.Key() }

func (m *strictModel) close() error {
	err := errors.Join(m.model.Close(), m.server.Close())
	if served := <-m.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (m *strictModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := time.Now()
	m.model.ServeHTTP(w, r)
	if r.Method == http.MethodPost {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked = append(m.asked, span{from, time.Now()})
	}
}

// gap is the median time from an answer to the next request. There must have been
// so many requests, and all must have been good.
func (m *strictModel) gap(requests int) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if problems := append(m.model.Problems(), m.model.Refusals()...); len(problems) > 0 {
		return 0, fmt.Errorf("the model refused a request: %s", problems[0])
	}
	if len(m.asked) != requests || requests < 2 {
		return 0, fmt.Errorf("the model was asked %d times, not %d", len(m.asked), requests)
	}
	var gaps []time.Duration
	for i, s := range m.asked[1:] {
		gaps = append(gaps, s.from.Sub(m.asked[i].to))
	}
	return median(gaps), nil
}
