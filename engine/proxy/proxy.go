package proxy

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/wire"
)

// A Config says where the API is.
type Config struct {
	BaseURL   string // of the API, with a path if a gateway needs one; empty: https://api.anthropic.com
	APIKey    string // sent as x-api-key
	AuthToken string // sent as Authorization: Bearer; exclusive with APIKey

	Models []harness.Model // take precedence over the table; they say which names mean one model

	HTTPClient *http.Client     // nil: one of our own; its redirects are never followed
	Stall      time.Duration    // how long the API may send nothing but pings; zero means 10 minutes
	Ping       time.Duration    // how long the CLI may hear nothing; zero means a minute
	Now        func() time.Time // nil: time.Now
}

const defaultStall = 10 * time.Minute

// A Proxy is listening. It may be used from several goroutines.
type Proxy struct {
	c      Config
	api    *url.URL
	client *http.Client
	faults wire.Faults
	addr   string

	ctx    context.Context // of every request
	cancel context.CancelFunc
	server *http.Server
	served chan struct{} // closed when nothing is accepted any more
	unhook func() bool

	work   sync.WaitGroup // connections, with the requests under way on them
	mu     sync.Mutex
	passes map[[sha256.Size]byte]*Pass // by their keys' sums, so that a lookup's time tells nothing
}

// Start listens on a port of its own, on loopback, until Close is called or ctx
// ends. It connects to nothing.
func Start(ctx context.Context, c Config) (*Proxy, error) {
	p, err := start(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	return p, nil
}

func start(ctx context.Context, c Config) (*Proxy, error) {
	api, err := c.complete()
	if err != nil {
		return nil, err
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{c: c, api: api, client: client(c.HTTPClient), addr: l.Addr().String(),
		faults: wire.Faults{Secrets: []string{c.APIKey, c.AuthToken}, Now: c.Now},
		served: make(chan struct{}), passes: map[[sha256.Size]byte]*Pass{}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return p.ctx }, ConnState: p.count}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(l) // it ends because it was closed
	}()
	p.unhook = context.AfterFunc(ctx, p.shut)
	return p, nil
}

// complete checks the configuration and fills in what was left to us.
func (c *Config) complete() (*url.URL, error) {
	if c.APIKey != "" && c.AuthToken != "" {
		return nil, errors.New("both a key and a token were given")
	}
	if err := wire.CheckBaseURL(c.BaseURL); err != nil {
		return nil, err
	}
	if c.BaseURL == "" {
		c.BaseURL = "https://api.anthropic.com"
	}
	if c.Ping <= 0 {
		c.Ping = defaultPing
	}
	if c.Stall <= 0 {
		c.Stall = defaultStall
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return url.Parse(c.BaseURL)
}

// client is the client with bounded responses that follows no redirects: Go
// would send x-api-key along to whatever host an answer names.
func client(c *http.Client) *http.Client {
	if c == nil {
		c = wire.NewHTTPClient()
	}
	c = wire.Bounded(c)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// URL is what the CLI connects to.
func (p *Proxy) URL() string { return "http://" + p.addr }

// Close ends requests under way and waits for them. Safe to call twice, but not
// from a Gate or from Client.Responded.
func (p *Proxy) Close() error {
	p.unhook()
	p.shut()
	<-p.served
	p.work.Wait()
	if p.c.HTTPClient == nil {
		p.client.CloseIdleConnections()
	}
	return nil
}

// shut lets no request in any more and ends those under way.
func (p *Proxy) shut() {
	p.cancel()
	_ = p.server.Close() // what it says of connections that it cuts is of no use
}

// count keeps account of connections, each of which has a goroutine.
func (p *Proxy) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		p.work.Add(1)
	case http.StateClosed, http.StateHijacked:
		p.work.Done()
	}
}

// Open lets a session in.
func (p *Proxy) Open(c Client) *Pass {
	s := &Pass{proxy: p, c: c, key: "sk-ant-api03-" + rand.Text() + rand.Text(), known: map[conversation]wire.Known{}}
	s.ctx, s.cancel = context.WithCancel(p.ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passes[sha256.Sum256([]byte(s.key))] = s
	return s
}

// pass is the one whose key a request bears, or nil.
func (p *Proxy) pass(h http.Header) *Pass {
	key := h.Get("X-Api-Key")
	if key == "" {
		key, _ = strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passes[sha256.Sum256([]byte(key))]
}

func (p *Proxy) forget(s *Pass) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.passes, sha256.Sum256([]byte(s.key)))
}

const (
	messagesPath = "/v1/messages"
	countPath    = "/v1/messages/count_tokens"
)

// ServeHTTP is one request of the CLI's. A web page that a browser loads may
// make any name lead here, but it cannot choose Host and Origin.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	counting := r.URL.Path == countPath
	switch {
	case r.Host != p.addr || r.Header.Get("Origin") != "":
		refuse(w, http.StatusForbidden, "permission_error", "requests come from this machine's own programs only")
		return
	case r.Method != http.MethodPost || r.URL.Path != messagesPath && !counting:
		refuse(w, http.StatusNotFound, "not_found_error", "nothing is here")
		return
	}
	s := p.pass(r.Header)
	if s == nil || !s.enter() {
		refuse(w, http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
		return
	}
	defer s.leave()
	s.serve(w, r, counting)
}
