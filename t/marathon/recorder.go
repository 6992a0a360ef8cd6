package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// A recorder passes requests on and compares each with the one before it in the
// same session.
type recorder struct {
	proxy *httputil.ReverseProxy

	mu       sync.Mutex
	sessions map[[32]byte]*seen
}

// seen is what is known of a session: the parts of its newest request.
type seen struct {
	main     bool // the coordinator's
	last     [][32]byte
	requests int
	rewrites int   // requests that do not begin with the one before
	common   int64 // characters that were sent before, at the beginning
	total    int64
}

func newRecorder(to string) (*recorder, error) {
	target, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	r := &recorder{sessions: map[[32]byte]*seen{}}
	r.proxy = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) },
		ErrorLog: log.New(io.Discard, "", 0)} // outages are on purpose
	return r, nil
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if strings.HasSuffix(req.URL.Path, "/messages") {
		r.note(body)
	}
	r.proxy.ServeHTTP(w, req)
}

// cacheMark is where a breakpoint stands. Within a text its quotes would be escaped.
var cacheMark = regexp.MustCompile(`,"cache_control":\{[^}]*\}`)

// parts are a request's pieces in the order of the prompt, breakpoints left out:
// those move on and are no content.
func parts(body []byte) []string {
	var req struct {
		Tools    []json.RawMessage `json:"tools"`
		System   json.RawMessage   `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(cacheMark.ReplaceAll(body, nil), &req) != nil {
		return nil
	}
	var all []string
	for _, t := range req.Tools {
		all = append(all, "tool "+string(t))
	}
	all = append(all, "system "+string(req.System))
	for _, m := range req.Messages {
		var blocks []json.RawMessage
		if json.Unmarshal(m.Content, &blocks) != nil {
			blocks = []json.RawMessage{m.Content}
		}
		for _, b := range blocks {
			all = append(all, m.Role+" "+string(b))
		}
	}
	return all
}

func (r *recorder) note(body []byte) {
	all := parts(body)
	hashes := make([][32]byte, len(all))
	opening := 0 // the first message's first part
	for i, p := range all {
		hashes[i] = sha256.Sum256([]byte(p))
		if opening == 0 && strings.HasPrefix(p, "user ") {
			opening = i
		}
	}
	if opening == 0 {
		return
	}
	key := sha256.Sum256([]byte(all[opening-1] + all[opening]))
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessions[key]
	if s == nil {
		s = &seen{main: strings.Contains(all[opening-1], "Role: coordinator")}
		r.sessions[key] = s
	}
	s.add(all, hashes)
}

func (s *seen) add(all []string, hashes [][32]byte) {
	same := 0
	for same < len(hashes) && same < len(s.last) && hashes[same] == s.last[same] {
		same++
	}
	if same < len(s.last) {
		s.rewrites++
	}
	var size int64
	for i, p := range all {
		size += int64(len(p))
		if i < same {
			s.common += int64(len(p))
		}
	}
	s.total += size

	s.last = hashes
	s.requests++
}

// hits is the part of all that was sent which the request before had sent too.
func (r *recorder) hits(main bool) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var common, total int64
	for _, s := range r.sessions {
		if !main || s.main {
			common += s.common
			total += s.total
		}
	}
	return float64(common) / float64(max(total, 1))
}

// rewritten is how many requests did not begin with the one before them.
func (r *recorder) rewritten() (n, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sessions {
		n += s.rewrites
		requests += s.requests
	}
	return n, requests
}
