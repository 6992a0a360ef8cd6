package rehearse

import (
	"net/http"
	"sort"
	"strconv"
	"strings"
)

// A model says what the server accepts for a model name. Names are free: one
// that is not known is treated like the newest.
type model struct {
	id        string
	window    int64 // tokens of input at most
	maxOutput int64 // greatest max_tokens
}

// The window and output limit of current models (the models page of
// 2026-11; all current ones have the same).
const (
	defaultWindow    = 1_000_000
	defaultMaxOutput = 128_000
)

var version = lazily(`(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

// generation reads the version out of a name: claude-opus-4-6 is 406,
// claude-sonnet-5 is 500. Names without one are of no known generation: 9999.
func (m model) generation() int {
	if !strings.Contains(m.id, "claude-") {
		return 9999
	}
	found := version().FindStringSubmatch(m.id)
	if found == nil {
		return 9999
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	return major*100 + minor
}

// prefill says whether a conversation may end with the assistant's words:
// Claude 4.6 and later refuse that (errors page, "prefill not supported").
func (m model) prefill() bool { return m.generation() < 406 }

// manual says whether thinking may be switched on with a budget: Claude 4.7
// and later refuse it (thinking troubleshooting page).
func (m model) manual() bool { return m.generation() < 407 }

// adaptive says whether thinking may be left to the model: from 4.6 on (same page).
func (m model) adaptive() bool { return m.generation() >= 406 }

// thinksUnasked says whether the model thinks when the request does not say:
// from the fifth generation on (same page).
func (m model) thinksUnasked() bool { return m.generation() >= 500 }

// shows says whether thinking is returned as text unless asked otherwise:
// from 4.7 on it is not (thinking page, "controlling thinking display").
func (m model) shows() bool { return m.generation() < 407 }

// bound says whether thinking blocks are tied to all that stands before them
// (prefix-checks page: Fable and Mythos 5.1 on, Opus, Sonnet and Haiku 5.5 on).
func (m model) bound() bool {
	g := m.generation()
	if strings.Contains(m.id, "fable") || strings.Contains(m.id, "mythos") {
		return g >= 501
	}
	return g >= 505
}

// systemTurns says whether messages may have the role system: from Opus 4.8
// on (page on mid-conversation system messages).
func (m model) systemTurns() bool { return m.generation() >= 408 }

// Window is how many tokens a model's context holds.
func (s *Script) Window(model string) int64 { return s.model(model).window }

func (s *Script) model(id string) model {
	m, ok := s.models[id]
	if !ok {
		m = s.models["*"]
	}
	m.id = id
	if m.window == 0 {
		m.window = defaultWindow
	}
	if m.maxOutput == 0 {
		m.maxOutput = defaultMaxOutput
	}
	return m
}

// offered are the models that the list shows; any other name works too.
var offered = [...]string{"claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"}

func (m model) info() map[string]any {
	return map[string]any{
		"type": "model", "id": m.id, "display_name": m.id, "created_at": "2026-10-21T00:00:00Z",
		"lifecycle": "active", "deprecated_at": nil, "retires_at": nil, "line": nil,
		"max_input_tokens": m.window, "max_tokens": m.maxOutput, "capabilities": map[string]any{},
	}
}

func (s *Server) listModels(w http.ResponseWriter) {
	names := map[string]bool{}
	for _, id := range offered {
		names[id] = true
	}
	for id := range s.script.models {
		names[id] = id != "*"
	}
	var data []any
	var ids []string
	for id, shown := range names {
		if shown {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	for _, id := range ids {
		data = append(data, s.script.model(id).info())
	}
	writeJSON(w, map[string]any{"data": data, "has_more": false, "first_id": ids[0], "last_id": ids[len(ids)-1]})
}
