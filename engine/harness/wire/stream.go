package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"
)

// Errors of an answer that did not come to its end.
var (
	ErrStalled    = errors.New("no event for too long")
	ErrUnfinished = errors.New("stream ended before the message did")
)

// A ShapeError is an answer that no retry will mend: the address is not an API's.
type ShapeError struct{ Status, Type string }

func (e *ShapeError) Error() string {
	return fmt.Sprintf("endpoint answered '%s' with '%s', not with what was asked for", e.Status, e.Type)
}

// Is says whether a response is one that holds a message, in this media type:
// "text/event-stream" or "application/json".
func Is(r *http.Response, mediaType string) error {
	kind := r.Header.Get("Content-Type")
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(kind, mediaType) {
		return &ShapeError{r.Status, kind}
	}
	return nil
}

// Read takes a response's events until the message ends, and shows each to
// also, after it was counted. Pings are left out: a server that only pings has
// stalled.
func (t *Tally) Read(r *http.Response, also func(*Event)) error {
	if err := Is(r, "text/event-stream"); err != nil {
		return err
	}
	for d := ssestream.NewDecoder(r); !t.Finished; {
		if !d.Next() {
			return cmp.Or(d.Err(), ErrUnfinished)
		}
		e, err := event(d.Event(), r.Header)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		if err := t.Take(e); err != nil {
			return err
		}
		also(e)
	}
	return nil
}

// ReadMessage takes a response that holds the whole message at once. fed is
// called whenever bytes come.
func (t *Tally) ReadMessage(r *http.Response, fed func()) error {
	if err := Is(r, "application/json"); err != nil {
		return err
	}
	body, err := io.ReadAll(feeding{r.Body, fed})
	if err != nil {
		return err
	}
	return t.takeMessage(body, r.Header)
}

// feeding calls a function for whatever is read.
type feeding struct {
	io.Reader
	fed func()
}

func (f feeding) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if n > 0 {
		f.fed()
	}
	return n, err
}

// event decodes an event; nil when it says nothing.
func event(e ssestream.Event, h http.Header) (*Event, error) {
	data := bytes.TrimSuffix(e.Data, []byte("\n"))
	switch {
	case e.Type == "error":
		return nil, &Error{Header: h, Body: data}
	case e.Type == "", e.Type == "ping", len(data) == 0:
		return nil, nil
	}
	var v Event
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return &v, nil
}

// Watched is a context that ends with the cause ErrStalled when fed was not
// called for so long. stop must be called.
func Watched(parent context.Context, limit time.Duration) (ctx context.Context, fed, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	watch := time.AfterFunc(limit, func() { cancel(ErrStalled) })
	return ctx, func() { watch.Reset(limit) }, func() {
		watch.Stop()
		cancel(nil)
	}
}

// Cause is why a request in a Watched context failed.
func Cause(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), ErrStalled) {
		return ErrStalled
	}
	return err
}
