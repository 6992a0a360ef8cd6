package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"git-flower/engine/harness"
)

// An Error is an answer that says no: a response's, or an error event's.
type Error struct {
	Status int // zero for an event inside a stream
	Header http.Header
	Body   []byte
}

func (e *Error) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, bytes.TrimSpace(e.Body)))
}

// Faults classifies what broke a request.
type Faults struct {
	Secrets []string // credentials that no message may hold
	Now     func() time.Time
}

// Of is the fault that an error means; requestID is the response's, if there was one.
func (c Faults) Of(err error, requestID string) *harness.Fault {
	var api *Error
	if errors.As(err, &api) {
		return c.api(api, requestID)
	}
	f := &harness.Fault{Class: harness.Network, RequestID: requestID}
	var shape *ShapeError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var address *url.Error
	switch {
	case errors.Is(err, ErrExcess), errors.Is(err, bufio.ErrTooLong):
		f.Class = harness.Unknown
	case errors.As(err, &shape):
		f.Class = harness.Invalid
	case errors.As(err, &syntax), errors.As(err, &kind):
		f.Message = "stream holds an event that is not what the API sends"
	case errors.As(err, &address):
		err = address.Err // without the address, which may hold a password
	}
	if f.Message == "" {
		f.Message = c.Clean(err.Error())
	}
	return f
}

func (c Faults) api(e *Error, requestID string) *harness.Fault {
	said := e.said()
	f := &harness.Fault{Status: e.Status, Type: said.kind, RequestID: requestID}
	text := said.message
	if text == "" {
		text = strings.TrimSpace(string(e.Body))
	}
	if text == "" {
		text = http.StatusText(e.Status)
	}
	now := c.Now()
	f.Class = classify(f.Status, f.Type, said.code, text)
	f.RetryAfter = retryAfter(e.Header, now)
	if f.Class == harness.RateLimit || f.Class == harness.UsageLimit {
		if until, ok := limitEnds(e.Header, text, now); ok {
			f.Class, f.RetryAfter = harness.UsageLimit, max(0, until.Sub(now))
		}
	}
	f.Message = c.Clean(text)
	return f
}

// Gate is the fault when the gate refused.
func (c Faults) Gate(err error) *harness.Fault {
	class := harness.Broken
	if errors.Is(err, harness.ErrBudget) {
		class = harness.Budget
	}
	return &harness.Fault{Class: class, Message: c.Clean(err.Error())}
}

// Declined is the fault of an answer that is whole and yet none: the model
// refused, or its window was full. Nil: it is neither.
func (c Faults) Declined(t *Tally, requestID string) *harness.Fault {
	switch t.Stop {
	case "refusal":
		text := "the model declined to answer"
		if t.Refusal != "" {
			text = c.Clean(text + ": " + t.Refusal)
		}
		return &harness.Fault{Class: harness.Refused, RequestID: requestID, Message: text}
	case "model_context_window_exceeded":
		return &harness.Fault{Class: harness.PromptTooLong, RequestID: requestID, Message: "the answer reached the end of the model's window"}
	}
	return nil
}

// said is what the body of an error answer holds, each empty when it does not.
type said struct{ kind, message, code string }

func (e *Error) said() said {
	within := func(raw json.RawMessage, key string) json.RawMessage {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(raw, &fields)
		return fields[key]
	}
	text := func(raw json.RawMessage) (s string) {
		_ = json.Unmarshal(raw, &s)
		return s
	}
	problem := within(e.Body, "error")
	return said{text(within(problem, "type")), text(within(problem, "message")), text(within(within(problem, "details"), "error_code"))}
}

// Phrases that mean a plan's or a workspace's limit rather than a rate.
var usageLimit = regexp.MustCompile(`(?i)usage limit|hit your limit|spend(ing)? limit|limit reached.*resets?|you will regain access`)

var credit = regexp.MustCompile(`(?i)credit balance is too low`)

func classify(status int, kind, code, text string) harness.Class {
	switch {
	case (status == 400 || status == 413 || kind == "invalid_request_error") && harness.TooLong(text):
		return harness.PromptTooLong
	case strings.HasSuffix(code, "spend_limit_reached"):
		return harness.UsageLimit
	case status != 529 && status < 500 && status != 401 && usageLimit.MatchString(text):
		return harness.UsageLimit
	case kind == "billing_error", status == 402, credit.MatchString(text):
		return harness.Auth
	}
	if c, ok := byType(kind); ok {
		return c
	}
	return byStatus(status)
}

func byType(kind string) (harness.Class, bool) {
	switch kind {
	case "authentication_error", "permission_error":
		return harness.Auth, true
	case "invalid_request_error", "not_found_error", "request_too_large":
		return harness.Invalid, true
	case "rate_limit_error":
		return harness.RateLimit, true
	case "overloaded_error":
		return harness.Overloaded, true
	case "api_error", "timeout_error", "conflict_error":
		return harness.ServerError, true
	}
	return harness.Unknown, false
}

func byStatus(status int) harness.Class {
	switch {
	case status == 401 || status == 403 || status == 407:
		return harness.Auth
	case status == 408 || status == 409 || status == 425:
		return harness.ServerError
	case status == 429:
		return harness.RateLimit
	case status == 529:
		return harness.Overloaded
	case status >= 500:
		return harness.ServerError
	case status == 400: // the API names the type of its own; a gateway's may pass (86 in one run of the original)
		return harness.Unknown
	case status >= 400:
		return harness.Invalid
	}
	return harness.Unknown
}

// retryAfter reads how long the server asks to wait, in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms > 0 {
		return bounded(ms / 1000)
	}
	v := h.Get("retry-after")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return bounded(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// bounded keeps an absurd number of seconds from overflowing.
func bounded(seconds float64) time.Duration {
	const month = 31 * 24 * time.Hour
	if seconds > month.Seconds() {
		return month
	}
	return time.Duration(seconds * float64(time.Second))
}

var secret = regexp.MustCompile(`sk-ant-[A-Za-z0-9_-]+|(?i:bearer)\s+[A-Za-z0-9._~+/=-]{8,}|://[^/\s@]+@`)

// Clean makes a message one line of at most 500 characters without credentials.
func (c Faults) Clean(text string) string {
	for _, s := range c.Secrets {
		if len(s) >= 4 {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	text = secret.ReplaceAllString(text, "***")
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if r := []rune(text); len(r) > 500 {
		text = string(r[:500]) + "…"
	}
	return text
}
