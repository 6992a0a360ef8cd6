package rehearse

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// An exchange being served.
type exchange struct {
	Exchange
	w   http.ResponseWriter
	req *http.Request
	ctx context.Context // ends with the client or the server
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handling.Done()
	ctx, cancel := context.WithCancel(req.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	x := &exchange{w: w, req: req, ctx: ctx}
	x.Method, x.Path, x.Header = req.Method, req.URL.Path, req.Header
	x.RequestID = fmt.Sprintf("req_rehearsal%06d", s.requests.Add(1))
	x.Status = http.StatusOK
	w.Header().Set("Request-Id", x.RequestID)
	if s.config.Log != nil {
		defer func() { s.config.Log(x.Exchange) }()
	}
	if err := s.route(x); err != nil {
		s.refuse(x, err)
	}
}

func (s *Server) refuse(x *exchange, err *apiError) {
	x.Status, x.Error = err.status, err.Error()
	err.write(x.w, x.RequestID)
}

// route finds the endpoint. Everything below /v1 needs the key.
func (s *Server) route(x *exchange) *apiError {
	path := strings.TrimSuffix(x.Path, "/")
	if x.Method == http.MethodHead && !strings.HasPrefix(path, "/v1") {
		return nil // Claude Code looks whether the address answers
	}
	if !strings.HasPrefix(path, "/v1/") {
		return &apiError{status: http.StatusNotFound, kind: "not_found_error", message: "Not found"}
	}
	h, err := s.checkHeader(x.req)
	if err != nil {
		s.note(&s.refusals, err.Error())
		return err
	}
	post, get := x.Method == http.MethodPost, x.Method == http.MethodGet
	switch id, ofModel := strings.CutPrefix(path, "/v1/models/"); {
	case path == "/v1/messages" && post:
		return s.messages(x, h)
	case path == "/v1/messages/count_tokens" && post:
		return s.countTokens(x, h)
	case path == "/v1/models" && get:
		s.listModels(x.w)
		return nil
	case ofModel && get:
		writeJSON(x.w, s.script.model(id).info())
		return nil
	case path == "/v1/messages" || path == "/v1/messages/count_tokens" || path == "/v1/models" || ofModel:
		return &apiError{status: http.StatusMethodNotAllowed, kind: "invalid_request_error", message: "Method Not Allowed"}
	}
	return &apiError{status: http.StatusNotFound, kind: "not_found_error", message: "Not found"}
}

// checkHeader checks the key, the version and the betas.
func (s *Server) checkHeader(req *http.Request) (header, *apiError) {
	h := header{version: req.Header.Get("anthropic-version")}
	key, what := req.Header.Get("x-api-key"), "invalid x-api-key"
	if key == "" {
		var bearer bool
		key, bearer = strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		what = "Invalid bearer token"
		if !bearer {
			return h, &apiError{status: http.StatusUnauthorized, kind: "authentication_error", message: "x-api-key header is required"}
		}
	}
	if subtle.ConstantTimeCompare([]byte(key), []byte(s.config.Key)) != 1 {
		return h, &apiError{status: http.StatusUnauthorized, kind: "authentication_error", message: what}
	}
	switch h.version {
	case "":
		return h, invalid("anthropic-version: header is required")
	case "2023-01-01", "2023-06-01", newest:
		return h, h.readBetas(req.Header)
	}
	return h, invalid("anthropic-version: \"%s\" is not a valid version", h.version)
}

func (x *exchange) read() *apiError {
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.req.Body, maxBody))
	x.Body = body
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &apiError{status: http.StatusRequestEntityTooLarge, kind: "request_too_large", message: "Request exceeds the maximum size"}
	}
	if err != nil {
		return invalid("The request body could not be read")
	}
	return nil
}

// accept reads and checks a body, and what it adds up to.
func (s *Server) accept(x *exchange, h header, count bool) (*request, *chainer, *apiError) {
	if err := x.read(); err != nil {
		return nil, nil, err
	}
	r, err := s.script.parseRequest(x.Body, h, count)
	if err != nil {
		return nil, nil, err
	}
	c := r.chained()
	if n := c.tokens(); n > r.model.window && !count {
		return nil, nil, invalid("prompt is too long: %d tokens > %d maximum", n, r.model.window)
	}
	if err := r.checkThinking(c); err != nil {
		return nil, nil, err
	}
	return r, c, nil
}

func (s *Server) countTokens(x *exchange, h header) *apiError {
	_, c, err := s.accept(x, h, true)
	if err != nil {
		s.note(&s.refusals, err.Error())
		return err
	}
	writeJSON(x.w, map[string]int64{"input_tokens": c.tokens()})
	return nil
}

func (s *Server) messages(x *exchange, h header) *apiError {
	r, c, refused := s.accept(x, h, false)
	if refused != nil {
		s.note(&s.refusals, refused.Error())
		return refused
	}
	a, st, err := s.play(r, c)
	if st != nil {
		x.Scene, x.Turn = st.scene.name, st.number+1
	}
	if err != nil {
		s.note(&s.problems, err.Error())
		return invalid("rehearsal: %s", err)
	}
	return s.send(x, r, a)
}

// send puts the answer on the wire, or what happens to it there.
func (s *Server) send(x *exchange, r *request, a *answer) *apiError {
	if s.sleep(x.ctx, a.delay) != nil {
		return nil
	}
	if f := a.fault; a.failsAtOnce(r) {
		return &apiError{status: f.status, kind: f.errorType, message: f.message, retryAfter: f.retryAfter}
	}
	if r.stream {
		if a.fault != nil && a.fault.kind == "drop" && a.fault.after == 0 {
			x.Status = 0
			panic(http.ErrAbortHandler)
		}
		out := &wire{w: x.w, flush: http.NewResponseController(x.w).Flush, sleep: s.sleep}
		out.stream(x.ctx, a) // an error means that the client is gone
		return nil
	}
	s.sendWhole(x, a)
	return nil
}

// sendWhole answers a request that does not stream.
func (s *Server) sendWhole(x *exchange, a *answer) {
	if a.fault == nil {
		writeJSON(x.w, a.message())
		return
	}
	switch a.fault.kind {
	case "drop":
		x.Status = 0
		panic(http.ErrAbortHandler)
	case "stall":
		<-x.ctx.Done()
	default: // malformed, cut
		b, _ := asJSON(a.message())
		x.w.Header().Set("Content-Type", "application/json")
		io.WriteString(x.w, b[:len(b)/2])
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	b, err := asJSON(v)
	if err != nil {
		invalid("rehearsal: %s", err).write(w, "")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, b)
}
