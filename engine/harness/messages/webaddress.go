package messages

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	webTime      = 30 * time.Second // for one page with its redirects
	webConnect   = 10 * time.Second
	webRedirects = 5
	webHeader    = 256 << 10 // bytes
	webURL       = 2000      // characters
)

// notPublic are ranges inside the global ones that lead to no public server, or
// to a cloud's own (the IANA special-purpose registries; 168.63.129.16 is Azure's).
var notPublic = [...]string{
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "168.63.129.16/32",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
}

// publicAddress says whether an address belongs to the public internet. Of IPv6
// only the range that is given out counts, 2000::/3.
func publicAddress(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	if a.Is6() && a.As16()[0]>>5 != 1 {
		return false
	}
	for _, text := range notPublic {
		if p, err := netip.ParsePrefix(text); err != nil || p.Contains(a) {
			return false
		}
	}
	return true
}

// newWebClient makes a client that connects to allowed addresses only. They are
// looked at when the connection is made, so that a name which resolves to
// something else the second time gains nothing; a proxy is not used, because
// what it connects to could not be looked at.
func newWebClient(allowed func(netip.Addr) bool) *http.Client {
	dialer := &net.Dialer{Timeout: webConnect, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !allowed(at.Addr()) {
			return fmt.Errorf("address '%s' is not on the public internet", address)
		}
		return nil
	}}
	return &http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true,
			TLSHandshakeTimeout: webConnect, MaxResponseHeaderBytes: webHeader},
		CheckRedirect: redirected,
	}
}

// redirected follows redirects within one host; others are shown.
func redirected(r *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	switch {
	case r.URL.User != nil:
		return errors.New("it leads to an address with credentials")
	case len(via) > webRedirects:
		return fmt.Errorf("more than %d redirects", webRedirects)
	case !sameHost(from, r.URL):
		return http.ErrUseLastResponse
	}
	return nil
}

// sameHost takes "www." for the same host, and https for http, never the reverse.
func sameHost(a, b *url.URL) bool {
	name := func(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") }
	if a.Scheme == "http" && b.Scheme == "https" {
		return name(a) == name(b) && a.Port() == "" && b.Port() == ""
	}
	return name(a) == name(b) && a.Scheme == b.Scheme && a.Port() == b.Port()
}

// webAddress checks what the model gave as an address.
func webAddress(raw string) (*url.URL, error) {
	if len(raw) > webURL {
		return nil, fmt.Errorf("the URL has %d characters; at most %d are taken", len(raw), webURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("this is no URL") // its text may hold a password
	case u.User != nil:
		return nil, errors.New("a URL with credentials is not fetched")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, fmt.Errorf("'%s' is no http or https URL", raw)
	}
	return u, nil
}
