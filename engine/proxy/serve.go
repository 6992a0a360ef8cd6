package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"git-flower/engine/harness"
	"git-flower/engine/harness/wire"
)

// maxRequest is the API's own limit of a request, in bytes.
const maxRequest = 32 << 20

// agentHeader is how the CLI names the subagent that a request is for.
const agentHeader = "X-Claude-Code-Agent-Id"

// serve answers one request of the session's. When the CLI went away, or the
// session was closed, nothing is answered, and nothing is at fault.
func (s *Pass) serve(w http.ResponseWriter, r *http.Request, counting bool) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	turn, fault := s.now()
	var a *answer
	wait := &waiting{w: w}
	if fault == nil {
		a, fault = s.perform(ctx, wait, r, turn, counting)
	}
	begun := wait.end()
	switch {
	case ctx.Err() != nil || a == nil && fault == nil:
		panic(http.ErrAbortHandler) // net/http's way to cut the connection
	case fault == nil && begun:
		_, _ = w.Write(a.body.Bytes())
	case fault == nil:
		a.give(w)
	case counting:
		forbid(w, fault, fault.Error())
	default:
		s.broke(turn, fault)
		if begun {
			wait.fail()
		} else {
			forbid(w, fault, "the turn is over: "+fault.Error())
		}
	}
}

// perform makes the request to the API, if it may be made. Neither an answer nor
// a fault: the request did not come whole.
func (s *Pass) perform(ctx context.Context, wait *waiting, r *http.Request, turn int, counting bool) (*answer, *harness.Fault) {
	body, err := io.ReadAll(http.MaxBytesReader(wait.w, r.Body, maxRequest))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return nil, invalid(http.StatusRequestEntityTooLarge, "request_too_large", "the request is larger than 32 MB")
	}
	if err != nil {
		return nil, nil
	}
	q, ok := look(body)
	if !ok {
		return nil, invalid(http.StatusBadRequest, "invalid_request_error", "the request is not a JSON object")
	}
	if cut := carriedOn(body, s.c.CarryOn); !bytes.Equal(cut, body) {
		body = cut
		q, _ = look(body)
	}
	out, err := s.proxy.outgoing(ctx, r, body)
	if err != nil {
		return nil, s.proxy.faults.Of(err, "")
	}
	if !counting {
		if q.stream {
			wait.begin(s.proxy.c.Ping)
		}
		return s.ask(out, &q, s.place(&q, r.Header.Get(agentHeader)), turn)
	}
	a := &answer{}
	if err := s.proxy.countTokens(out, a); err != nil {
		return nil, s.proxy.faults.Of(err, a.id())
	}
	return a, nil
}

func invalid(status int, kind, message string) *harness.Fault {
	return &harness.Fault{Class: harness.Invalid, Status: status, Type: kind, Message: message}
}

// ask makes one request, admitted and settled by the gate.
func (s *Pass) ask(out *http.Request, q *request, at conversation, turn int) (*answer, *harness.Fault) {
	faults := s.proxy.faults
	asked := harness.Request{Session: s.c.Session, Role: s.c.Role, Agent: s.c.Agent, Model: q.model,
		Input: s.estimate(at, q.size), MaxOutput: q.maxOutput, Hour: q.hour, Aside: !at.main}
	if s.c.Gate != nil {
		if err := s.c.Gate.Admit(out.Context(), asked); err != nil {
			return nil, faults.Gate(err)
		}
	}
	a, err := s.send(out, q, asked, turn)
	if fault := (*harness.Fault)(nil); errors.As(err, &fault) {
		return nil, fault
	}
	if err != nil {
		return nil, faults.Of(err, a.id())
	}
	used := a.Counted(asked.Input)
	s.learn(at, wire.Known{Size: q.size, Tokens: used.Context()})
	s.responded(a, q, used, at.main)
	if f := faults.Declined(&a.Tally, a.id()); f != nil && at.main {
		return nil, f
	}
	return a, nil
}

// errPast says that a request was held for so long that its turn is over.
var errPast = errors.New("the turn that asked is over")

// send makes a request that was admitted, and settles it whatever becomes of it.
// A gate may hold a request for long: the turn may have broken meanwhile.
func (s *Pass) send(out *http.Request, q *request, asked harness.Request, turn int) (*answer, error) {
	a := &answer{}
	if s.c.Gate != nil {
		defer func() {
			s.c.Gate.Settle(context.WithoutCancel(out.Context()), asked, a.Counted(asked.Input))
		}()
	}
	switch now, broken := s.now(); {
	case now != turn:
		return a, errPast
	case broken != nil:
		return a, broken
	}
	return a, s.proxy.send(out, q, a)
}

func (s *Pass) responded(a *answer, q *request, used harness.Usage, main bool) {
	model := a.Model
	if model == "" {
		model = q.model
	}
	if s.c.Responded != nil {
		s.c.Responded(harness.Responded{Model: model, Usage: used}, main)
	}
}

// forbid refuses a request with 403, which the CLI does not try again.
func forbid(w http.ResponseWriter, f *harness.Fault, message string) {
	if f.RequestID != "" {
		w.Header().Set("Request-Id", f.RequestID)
	}
	w.Header().Set("X-Should-Retry", "false")
	refuse(w, http.StatusForbidden, "permission_error", message)
}

// refuse answers with an error in the API's form.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	type problem struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	body, _ := json.Marshal(struct { // strings always marshal
		Type  string  `json:"type"`
		Error problem `json:"error"`
	}{"error", problem{kind, message}})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
