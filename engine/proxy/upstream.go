package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"git-flower/engine/harness/wire"
)

// An answer is one of the API's, held back until it is whole.
type answer struct {
	wire.Tally
	header http.Header
	body   bytes.Buffer
}

func (a *answer) id() string { return a.header.Get("Request-Id") }

// give passes the answer on to the CLI, byte for byte.
func (a *answer) give(w http.ResponseWriter) {
	for name, values := range a.header {
		if passesBack(name) {
			w.Header()[name] = values
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(a.body.Len()))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(a.body.Bytes()) // when the CLI is gone, there is nobody to tell
}

// passesOn says which headers of the CLI's go to the API: what the API reads.
// Everything else stays here, credentials and what is between neighbours above all.
func passesOn(name string) bool {
	switch name {
	case "Content-Type", "Accept", "User-Agent":
		return true
	}
	return strings.HasPrefix(name, "Anthropic-")
}

// passesBack says which headers of the API's the CLI sees.
func passesBack(name string) bool {
	switch name {
	case "Content-Type", "Request-Id", "Retry-After", "Retry-After-Ms":
		return true
	}
	return strings.HasPrefix(name, "Anthropic-Ratelimit-")
}

// outgoing is the CLI's request as it goes to the API.
func (p *Proxy) outgoing(ctx context.Context, r *http.Request, body []byte) (*http.Request, error) {
	to := p.api.JoinPath(r.URL.Path)
	to.RawQuery = r.URL.RawQuery
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		if passesOn(name) {
			out.Header[name] = values
		}
	}
	out.Header.Set("Accept-Encoding", "identity") // what is compressed cannot be read on the way
	if p.c.APIKey != "" {
		out.Header.Set("X-Api-Key", p.c.APIKey)
	}
	if p.c.AuthToken != "" {
		out.Header.Set("Authorization", "Bearer "+p.c.AuthToken)
	}
	return out, nil
}

// send makes a request and reads its answer into a. The answer is what had come
// when the error, if any, ended it.
func (p *Proxy) send(out *http.Request, q *request, a *answer) error {
	return p.exchange(out, a, func(r *http.Response, fed func()) error {
		if q.stream {
			return a.Read(r, func(*wire.Event) { fed() })
		}
		return a.ReadMessage(r, fed)
	})
}

// countTokens asks for a number of tokens.
func (p *Proxy) countTokens(out *http.Request, a *answer) error {
	return p.exchange(out, a, func(r *http.Response, fed func()) error {
		if err := wire.Is(r, "application/json"); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, r.Body)
		return err
	})
}

// exchange makes a request, lets read read the answer, and keeps its bytes.
func (p *Proxy) exchange(out *http.Request, a *answer, read func(r *http.Response, fed func()) error) error {
	ctx, fed, stop := wire.Watched(out.Context(), p.c.Stall)
	defer stop()
	r, err := p.client.Do(out.WithContext(ctx))
	if err != nil {
		return wire.Cause(ctx, err)
	}
	defer r.Body.Close()
	a.header = r.Header
	if r.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return wire.Cause(ctx, err)
		}
		return &wire.Error{Status: r.StatusCode, Header: r.Header, Body: body}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, &a.body), r.Body}
	return wire.Cause(ctx, read(r, fed))
}
