package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Limits of one answer. A model's longest, 128,000 tokens, is below a megabyte of
// text, and a tenth of what is on the wire is text when each token is an event.
const (
	MaxBlocks  = 4096
	MaxContent = 8 << 20  // bytes of content
	MaxBody    = 64 << 20 // bytes of a response, an error's included
)

// ErrExcess means an answer that no model gives: the endpoint is out of order,
// and asking it again and again costs.
var ErrExcess = errors.New("answer goes beyond every limit")

func excess(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrExcess, fmt.Sprintf(format, args...))
}

// A boundedTransport lets no response be longer than MaxBody.
type boundedTransport struct{ http.RoundTripper }

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil && response.Body != nil {
		response.Body = &boundedBody{response.Body, MaxBody}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, excess("more than %d bytes", MaxBody)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Bounded is the client with bounded responses; the given one stays as it is.
func Bounded(c *http.Client) *http.Client {
	own := *c
	if own.Transport == nil {
		own.Transport = http.DefaultTransport
	}
	own.Transport = boundedTransport{own.Transport}
	return &own
}
