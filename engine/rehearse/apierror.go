package rehearse

import (
	"fmt"
	"io"
	"net/http"
)

// An apiError is an answer that is no message. Types and statuses are those
// of the API's errors page; a type the SDK's shared.ErrorType lacks
// (request_too_large) is from that page.
type apiError struct {
	status     int
	kind       string
	message    string
	retryAfter string
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.kind, e.message) }

// invalid refuses a request as the API's validation does.
func invalid(format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", message: fmt.Sprintf(format, args...)}
}

// kindOf names the error type that goes with a status.
func kindOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusPaymentRequired:
		return "billing_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusConflict:
		return "conflict_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case statusOverloaded:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// statusOverloaded is the API's own status for too many users at once.
const statusOverloaded = 529

// body is the error in the API's shape. Inside a stream it has no request id.
func (e *apiError) body(requestID string) string {
	var w struct {
		Type  string `json:"type"`
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		RequestID string `json:"request_id,omitempty"`
	}
	w.Type, w.Error.Type, w.Error.Message, w.RequestID = "error", e.kind, e.message, requestID
	b, _ := asJSON(w) // strings only
	return b
}

func (e *apiError) write(w http.ResponseWriter, requestID string) {
	w.Header().Set("Content-Type", "application/json")
	if e.retryAfter != "" {
		w.Header().Set("Retry-After", e.retryAfter)
	}
	w.WriteHeader(e.status)
	io.WriteString(w, e.body(requestID))
}
