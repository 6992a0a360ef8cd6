package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// A recorder passes requests on and answers back, and compares each request with the
// one before it in the same session.
type recorder struct {
	proxy *httputil.ReverseProxy
	// at is told of each request, the nth, before it is passed on and once more when it
	// is answered. When it says so, the connection is cut.
	at func(n int, s *seen, answered bool) (cut bool)

	lag int // how many of a session's newest answers a kill may cost

	mu       sync.Mutex
	wake     int // how often the driver has been started again
	requests int
	sessions map[[32]byte]*seen
	order    []*seen
}

func newRecorder(to string, lag int) (*recorder, error) {
	target, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	r := &recorder{lag: lag, sessions: map[[32]byte]*seen{}, at: func(int, *seen, bool) bool { return false }}
	r.proxy = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) },
		ModifyResponse: tapped, ErrorLog: log.New(io.Discard, "", 0)} // outages are on purpose
	return r, nil
}

// doneKey is the context's key of what is told an answer's stream.
type doneKey struct{}

func tapped(resp *http.Response) error {
	if done, ok := resp.Request.Context().Value(doneKey{}).(func(string)); ok && resp.StatusCode == http.StatusOK {
		resp.Body = &tap{ReadCloser: resp.Body, done: done}
	}
	return nil
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if !strings.HasSuffix(req.URL.Path, "/messages") {
		r.proxy.ServeHTTP(w, req)
		return
	}
	n, wake, s := r.note(body)
	if r.at(n, s, false) {
		panic(http.ErrAbortHandler)
	}
	ctx := context.WithoutCancel(req.Context())
	if s != nil {
		ctx = context.WithValue(ctx, doneKey{}, func(stream string) {
			a := answerOf([]byte(stream))
			r.mu.Lock()
			defer r.mu.Unlock()
			s.take(a, wake != r.wake)
		})
	}
	r.proxy.ServeHTTP(stays{w}, req.WithContext(ctx))
	if r.at(n, s, true) {
		panic(http.ErrAbortHandler)
	}
}

// stays does not tell when the client goes away: what has come is passed on whole, since
// the model refuses half a request, and that is a finding.
type stays struct{ http.ResponseWriter }

// Unwrap lets answers be flushed.
func (s stays) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// restarted notes that the driver is started again: what it loads it may change, and
// it may not have heard the newest answers.
func (r *recorder) restarted() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wake++
	for _, s := range r.order {
		for _, a := range s.newest {
			s.doubt(a)
		}
		s.newest = nil
	}
}

// note counts a request and returns its number, who made it and its session, nil for none.
func (r *recorder) note(body []byte) (n, wake int, s *seen) {
	all, opening := partsOf(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	if opening == 0 {
		return r.requests, r.wake, nil
	}
	key := sessionKey(all, opening)
	s = r.sessions[key]
	if s == nil {
		s = newSeen(all[opening-1].raw, r.lag)
		r.sessions[key] = s
		r.order = append(r.order, s)
	}
	s.add(all, opening, r.wake)
	return r.requests, r.wake, s
}

// sessionKey tells sessions apart by their rules and the first words of each.
func sessionKey(all []part, opening int) [32]byte {
	return sha256.Sum256([]byte(all[opening-1].raw + all[opening].raw))
}

// each is called with every session while nothing changes.
func (r *recorder) each(f func(*seen)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.order {
		f(s)
	}
}

// asks tells whether a kill comes at a request.
func (r *recorder) asks(k kill, n int, s *seen, answered bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return k.comes(n, s, answered)
}
