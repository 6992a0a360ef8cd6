package rehearse

import "encoding/json"

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
	version string   // anthropic-version
	betas   []string // anthropic-beta
}

// newest is the API version that has no sampling parameters any more.
const newest = "2026-10-21"

// Top-level fields: SDK MessageNewParams (2.15.0) and, for stream, the streaming
// page. Sampling parameters belong to 2023-06-01.
const (
	topFields   = "model max_tokens messages system tools tool_choice thinking metadata stop_sequences stream service_tier output_config cache_control container inference_geo speed diagnostics"
	countFields = "model messages system tools tool_choice thinking output_config cache_control speed"
	oldFields   = "temperature top_p top_k"
)

// Top-level fields that need a beta, with its name (SDK BetaMessageNewParams and
// BetaMessageCountTokensParams). The query ?beta=true is not enough: error
// reports of gateways that drop the header.
var (
	betaFields = map[string]string{
		"context_management": "context-management compact", "mcp_servers": "mcp-client", "output_format": "structured-outputs",
		"fallbacks": "server-side-fallback", "fallback_credit_token": "fallback-credit", "thread": "message-threads",
		"billing_policy": "", "compaction": "compact",
	}
	betaCountFields = map[string]string{
		"context_management": "context-management compact", "mcp_servers": "mcp-client", "output_format": "structured-outputs",
		"billing_policy": "", "compaction": "compact",
	}
)

// parseRequest checks a body as the API does and returns what is in it.
func (s *Script) parseRequest(body []byte, h header, count bool) (*request, *apiError) {
	o, err := parseBody(body)
	if err != nil {
		return nil, err
	}
	if err := o.only(h.fields(count)); err != nil {
		return nil, err
	}
	id, err := o.str("model")
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, invalid("model: String should have at least 1 character")
	}
	r := &request{header: h, count: count, model: s.model(id)}
	for _, read := range [...]func(object) *apiError{r.readLimits, r.readSampling, r.readSystem, r.readTools, r.readMessages,
		r.readThinking, r.readChoice, r.readContextManagement, r.readRest, r.checkCache, r.checkPairs, r.checkReferences, r.checkEnd} {
		if err := read(o); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fields are the top-level fields that a request with this header may have.
func (h header) fields(count bool) string {
	known := h.known(topFields, betaFields)
	if count {
		known = h.known(countFields, betaCountFields)
	}
	if h.version != newest {
		known += " " + oldFields
	}
	return known
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
