package rehearse

import "encoding/json"

// The shapes of the Messages API's answers, fields in its order.
type (
	messageWire struct {
		Model        string         `json:"model"`
		ID           string         `json:"id"`
		Type         string         `json:"type"`
		Role         string         `json:"role"`
		Content      []any          `json:"content"`
		StopReason   *string        `json:"stop_reason"`
		StopSequence *string        `json:"stop_sequence"`
		StopDetails  *refusalWire   `json:"stop_details"`
		Container    *struct{}      `json:"container"`
		Diagnostics  *struct{}      `json:"diagnostics"`
		Usage        wholeUsageWire `json:"usage"`
	}
	textWire struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	thinkingWire struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	callWire struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	refusalWire struct {
		Type        string `json:"type"`
		Category    string `json:"category"`
		Explanation string `json:"explanation"`
	}
	wholeUsageWire struct {
		Input    int64 `json:"input_tokens"`
		Creation int64 `json:"cache_creation_input_tokens"`
		Read     int64 `json:"cache_read_input_tokens"`
		Kinds    struct {
			Short int64 `json:"ephemeral_5m_input_tokens"`
			Long  int64 `json:"ephemeral_1h_input_tokens"`
		} `json:"cache_creation"`
		Output int64  `json:"output_tokens"`
		Tier   string `json:"service_tier"`
		Geo    string `json:"inference_geo"`
		Speed  string `json:"speed"`
	}
	deltaUsageWire struct {
		Input    int64 `json:"input_tokens"`
		Creation int64 `json:"cache_creation_input_tokens"`
		Read     int64 `json:"cache_read_input_tokens"`
		Output   int64 `json:"output_tokens"`
	}
	endingWire struct {
		StopReason   string       `json:"stop_reason"`
		StopSequence *string      `json:"stop_sequence"`
		StopDetails  *refusalWire `json:"stop_details"`
	}
)

// The events of a stream.
type (
	bareEvent struct {
		Type string `json:"type"`
	}
	startEvent struct {
		Type    string      `json:"type"`
		Message messageWire `json:"message"`
	}
	blockStartEvent struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Block any    `json:"content_block"`
	}
	blockDeltaEvent struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta any    `json:"delta"`
	}
	blockStopEvent struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
	messageDeltaEvent struct {
		Type  string         `json:"type"`
		Delta endingWire     `json:"delta"`
		Usage deltaUsageWire `json:"usage"`
	}
	thinkingDelta struct {
		Type     string `json:"type"`
		Thinking string `json:"thinking"`
	}
	signatureDelta struct {
		Type      string `json:"type"`
		Signature string `json:"signature"`
	}
	inputDelta struct {
		Type    string `json:"type"`
		Partial string `json:"partial_json"`
	}
)

func (u usage) whole() wholeUsageWire {
	w := wholeUsageWire{Input: u.input, Creation: u.write5m + u.write1h, Read: u.read, Output: u.output,
		Tier: "standard", Geo: "not_available", Speed: "standard"}
	w.Kinds.Short, w.Kinds.Long = u.write5m, u.write1h
	return w
}

func (u usage) delta() deltaUsageWire {
	return deltaUsageWire{u.input, u.write5m + u.write1h, u.read, u.output}
}

func (a *answer) envelope() messageWire {
	return messageWire{Model: a.model, ID: a.id, Type: "message", Role: "assistant", Content: []any{}}
}

func (a *answer) ending() endingWire {
	e := endingWire{StopReason: a.stop}
	if a.stop == "stop_sequence" {
		e.StopSequence = &a.stopSequence
	}
	if a.refused {
		e.StopDetails = &refusalWire{"refusal", "general_harms", "Refused in rehearsal."}
	}
	return e
}

// message is the whole answer, for requests that do not stream.
func (a *answer) message() messageWire {
	m, e := a.envelope(), a.ending()
	for _, p := range a.content {
		m.Content = append(m.Content, p.wire())
	}
	m.StopReason, m.StopSequence, m.StopDetails = &a.stop, e.StopSequence, e.StopDetails
	m.Usage = a.usage.whole()
	return m
}

// wire is the part as the API sends it. An input that was cut off has no JSON
// to send.
func (p part) wire() any {
	switch p.kind {
	case "text":
		return textWire{p.kind, p.text}
	case "thinking":
		return thinkingWire{p.kind, p.text, p.signature}
	}
	input := json.RawMessage(p.input)
	if !json.Valid(input) {
		input = json.RawMessage("{}")
	}
	return callWire{p.kind, p.id, p.name, input}
}
