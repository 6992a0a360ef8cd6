package rehearse

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A request is a body that passed every check.
type request struct {
	model     model
	header    header
	count     bool // for count_tokens
	maxTokens int64
	stream    bool
	system    []block
	tools     []tool
	messages  []message
	stops     []string
	thinks    bool   // the model may think
	manual    bool   // with a budget, so that a turn must begin with thinking
	shows     bool   // thinking is returned as text
	drops     bool   // thinking that does not fit is dropped, not refused
	automatic string // cache life asked for at the top level, "" for none
}

// A message is one entry of messages, as sent.
type message struct {
	role   string
	blocks []block
}

// header is what the checks need from the HTTP header.
type header struct {
	version string // anthropic-version
	beta    bool   // a beta header or ?beta=true
}

// newest is the API version that has no sampling parameters any more.
const newest = "2026-10-21"

// Top-level fields: SDK MessageNewParams, BetaMessageNewParams (2.15.0) and,
// for stream, the streaming page. Sampling parameters belong to 2023-06-01.
const (
	topFields   = "model max_tokens messages system tools tool_choice thinking metadata stop_sequences stream service_tier output_config cache_control container inference_geo speed diagnostics"
	betaFields  = "context_management mcp_servers output_format fallbacks fallback_credit_token thread billing_policy compaction"
	countFields = "model messages system tools tool_choice thinking output_config cache_control speed"
	oldFields   = "temperature top_p top_k"
)

// parseRequest checks a body as the API does and returns what is in it.
func (s *Script) parseRequest(body []byte, h header, count bool) (*request, *apiError) {
	o, err := parseBody(body)
	if err != nil {
		return nil, err
	}
	r := &request{header: h, count: count}
	known := topFields
	if count {
		known = countFields
	}
	if h.beta {
		known += " " + betaFields
	}
	if h.version != newest {
		known += " " + oldFields
	}
	if err := o.only(known); err != nil {
		return nil, err
	}
	id, err := o.str("model")
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, invalid("model: String should have at least 1 character")
	}
	r.model = s.model(id)
	for _, read := range []func(object) *apiError{r.readLimits, r.readSampling, r.readSystem, r.readTools, r.readMessages,
		r.readThinking, r.readChoice, r.readRest, r.checkCache, r.checkPairs, r.checkEnd} {
		if err := read(o); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// parseBody reads the JSON. Halves of surrogate pairs and bad UTF-8 are
// refused, which a client meets when it cuts text in the middle of a letter.
func parseBody(body []byte) (object, *apiError) {
	if !utf8.Valid(body) {
		return object{}, invalid("The request body is not valid JSON: it is not UTF-8")
	}
	if !json.Valid(body) {
		return object{}, invalid("The request body is not valid JSON")
	}
	if loneSurrogate(body) {
		return object{}, invalid("The request body is not valid JSON: no low surrogate in string")
	}
	if first(body) != '{' {
		return object{}, invalid("Input should be a valid dictionary or object to extract fields from")
	}
	return object{raw: members(body)}, nil
}

// loneSurrogate finds \ud83d without its other half. body is valid JSON.
func loneSurrogate(body []byte) bool {
	text := string(body)
	for i := strings.IndexByte(text, '\\'); i >= 0 && i < len(text); {
		if text[i] != '\\' {
			next := strings.IndexByte(text[i:], '\\')
			if next < 0 {
				return false
			}
			i += next
			continue
		}
		if text[i+1] != 'u' {
			i += 2
			continue
		}
		switch unit := strings.ToLower(text[i+2 : i+4]); {
		case unit >= "d8" && unit < "dc":
			if i+12 > len(text) || text[i+6:i+8] != `\u` || !lowSurrogate(text[i+8:i+10]) {
				return true
			}
			i += 12
		case lowSurrogate(unit):
			return true
		default:
			i += 6
		}
	}
	return false
}

func lowSurrogate(unit string) bool {
	unit = strings.ToLower(unit)
	return unit >= "dc" && unit < "e0"
}

func (r *request) readLimits(o object) *apiError {
	if r.count {
		return nil
	}
	var err *apiError
	if r.maxTokens, err = o.integer("max_tokens"); err != nil {
		return err
	}
	if r.maxTokens < 0 {
		return invalid("max_tokens: Input should be greater than or equal to 0")
	}
	if r.maxTokens > r.model.maxOutput {
		return invalid("max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", r.maxTokens, r.model.maxOutput, r.model.id)
	}
	r.stream, err = o.boolean("stream")
	return err
}

// readSampling checks the parameters that API version 2026-10-21 removed.
func (r *request) readSampling(o object) *apiError {
	for name, most := range map[string]float64{"temperature": 1, "top_p": 1, "top_k": 1e9} {
		if !o.has(name) {
			continue
		}
		var f float64
		if json.Unmarshal(o.raw[name], &f) != nil {
			return invalid("%s: Input should be a valid number", name)
		}
		if f < 0 || f > most {
			return invalid("%s: Input should be from 0 to %g", name, most)
		}
	}
	return nil
}

func (r *request) readSystem(o object) *apiError {
	if !o.has("system") {
		return nil
	}
	var err *apiError
	r.system, err = readContent("system", o.raw["system"], "system", r.header)
	if err != nil {
		return err
	}
	for _, b := range r.system {
		if b.kind != "text" {
			return invalid("%s.type: Input should be 'text'", b.path)
		}
	}
	return nil
}

// maxMessages is the limit the SDK's MessageNewParams names.
const maxMessages = 100_000

func (r *request) readMessages(o object) *apiError {
	if _, ok := o.raw["messages"]; !ok {
		return invalid("messages: Field required")
	}
	list, err := asList("messages", o.raw["messages"])
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return invalid("messages: at least one message is required")
	}
	if len(list) > maxMessages {
		return invalid("messages: at most %d messages are allowed", maxMessages)
	}
	for i, raw := range list {
		m, err := r.readMessage(i, raw, i == len(list)-1)
		if err != nil {
			return err
		}
		r.messages = append(r.messages, m)
	}
	return r.checkRoles()
}

func (r *request) readMessage(i int, raw json.RawMessage, last bool) (message, *apiError) {
	path := index("messages", i)
	o, err := asObject(path, raw)
	if err != nil {
		return message{}, err
	}
	known := "role content"
	if r.header.beta {
		known += " output_config clear_at"
	}
	if err := o.only(known); err != nil {
		return message{}, err
	}
	m := message{}
	if m.role, err = o.str("role"); err != nil {
		return m, err
	}
	if m.role != "user" && m.role != "assistant" && m.role != "system" {
		return m, invalid("%s.role: Input should be 'user' or 'assistant'", path)
	}
	if _, ok := o.raw["content"]; !ok {
		return m, invalid("%s.content: Field required", path)
	}
	if m.blocks, err = readContent(path+".content", o.raw["content"], m.role, r.header); err != nil {
		return m, err
	}
	if len(m.blocks) == 0 && !(last && m.role == "assistant") {
		return m, invalid("%s: all messages must have non-empty content except for the optional final assistant message", path)
	}
	return m, nil
}

// checkRoles checks who speaks when. Messages in the role system have rules of
// place of their own.
func (r *request) checkRoles() *apiError {
	if r.messages[0].role != "user" {
		return invalid(`messages: first message must use the "user" role`)
	}
	for i, m := range r.messages {
		if m.role != "system" {
			continue
		}
		path := index("messages", i)
		if !r.model.systemTurns() {
			return invalid("%s.role: role 'system' is not supported on this model", path)
		}
		if before := r.messages[i-1]; before.role == "assistant" && !paused(before.blocks) {
			return invalid("%s: a system message must follow a user message", path)
		}
		if i+1 == len(r.messages) {
			break
		}
		switch r.messages[i+1].role {
		case "system":
			return invalid("%s: consecutive system messages are not allowed", index("messages", i+1))
		case "user":
			return invalid("%s: a system message must be last or be followed by an assistant message", path)
		}
	}
	return nil
}

// checkEnd checks a conversation that ends with the assistant.
func (r *request) checkEnd(object) *apiError {
	last := r.messages[len(r.messages)-1]
	if last.role != "assistant" || paused(last.blocks) {
		return nil
	}
	if !r.model.prefill() {
		return invalid("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	if n := len(last.blocks); n > 0 && last.blocks[n-1].kind == "text" {
		if text := last.blocks[n-1].text; strings.TrimRight(text, " \t\r\n") != text {
			return invalid("messages: final assistant content cannot end with trailing whitespace")
		}
	}
	return nil
}

// paused says whether an assistant message ends in work of the server, so that
// sending it back continues it.
func paused(blocks []block) bool {
	if len(blocks) == 0 {
		return false
	}
	kind := blocks[len(blocks)-1].kind
	return kind == "server_tool_use" || (kind != "tool_result" && strings.HasSuffix(kind, "_tool_result"))
}
