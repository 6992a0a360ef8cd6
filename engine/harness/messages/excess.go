package messages

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Limits of one answer. A model's longest, 128,000 tokens, is below a megabyte of
// text, and a tenth of what is on the wire is text when each token is an event.
const (
	maxBlocks = 4096
	maxReply  = 8 << 20  // bytes of content
	maxBody   = 64 << 20 // bytes of a response, an error's included
)

// errExcess means an answer that no model gives: the endpoint is out of order,
// and asking it again and again costs.
var errExcess = errors.New("answer goes beyond every limit")

func excess(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errExcess, fmt.Sprintf(format, args...))
}

// A boundedTransport lets no response be longer than maxBody.
type boundedTransport struct{ http.RoundTripper }

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil && response.Body != nil {
		response.Body = &boundedBody{response.Body, maxBody}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, excess("more than %d bytes", maxBody)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// boundedClient is the client with bounded responses; the given one stays as it is.
func boundedClient(c *http.Client) *http.Client {
	own := *c
	if own.Transport == nil {
		own.Transport = http.DefaultTransport
	}
	own.Transport = boundedTransport{own.Transport}
	return &own
}
