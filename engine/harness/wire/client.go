package wire

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// CheckBaseURL checks the address of an API; empty is fine. No error holds a password.
func CheckBaseURL(raw string) error {
	if raw == "" {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil {
		return errors.New("the address is no URL") // its text may hold a password
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("address '%s' is not an http or https URL", u.Redacted())
	}
	return nil
}

// NewHTTPClient makes a client that follows no redirects: Go would send x-api-key along to
// whatever host an answer names.
func NewHTTPClient() *http.Client {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		c.Transport = t.Clone()
	}
	return c
}
