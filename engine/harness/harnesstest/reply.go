package harnesstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A Reply is one answer of the Stub. The zero value is an empty answer that
// ends the turn.
type Reply struct {
	Blocks []Block
	Stop   string // stop_reason; empty: tool_use if there is a call, else end_turn
	Model  string // as served; empty: the one asked for
	Output int64  // output tokens; zero: one a block

	// Status, when not zero, makes it an error answer.
	Status  int
	Type    string // the API's error type
	Message string
	Header  http.Header

	Cut   int             // drop the connection after so many events of the stream; zero: never
	Error string          // send an error event of this type where the stream would be cut, or at its end
	Hold  <-chan struct{} // wait for this, or for the caller to go away, before message_stop
	Body  string          // when not empty, the whole body of the answer as it is
}

// A Block is a content block of a Reply.
type Block struct {
	Raw    json.RawMessage // of content_block_start
	Deltas []json.RawMessage
}

// Say answers with prose.
func Say(text string) Reply { return Reply{Blocks: []Block{TextBlock(text)}} }

// Use answers with one tool call. input is anything json.Marshal takes.
func Use(id, tool string, input any) Reply { return Reply{Blocks: []Block{CallBlock(id, tool, input)}} }

// Fail answers with an error.
func Fail(status int, kind, message string) Reply {
	return Reply{Status: status, Type: kind, Message: message}
}

// And adds blocks.
func (r Reply) And(blocks ...Block) Reply {
	r.Blocks = append(append([]Block(nil), r.Blocks...), blocks...)
	return r
}

// Stopping sets the stop reason.
func (r Reply) Stopping(reason string) Reply {
	r.Stop = reason
	return r
}

// TextBlock is prose, in two deltas.
func TextBlock(text string) Block {
	half := len(text) / 2
	for half > 0 && half < len(text) && text[half]&0xc0 == 0x80 {
		half--
	}
	return Block{Raw: json.RawMessage(`{"type":"text","text":""}`), Deltas: []json.RawMessage{
		marshal(map[string]string{"type": "text_delta", "text": text[:half]}),
		marshal(map[string]string{"type": "text_delta", "text": text[half:]}),
	}}
}

// ThinkingBlock is signed reasoning.
func ThinkingBlock(text, signature string) Block {
	return Block{Raw: json.RawMessage(`{"type":"thinking","thinking":"","signature":""}`), Deltas: []json.RawMessage{
		marshal(map[string]string{"type": "thinking_delta", "thinking": text}),
		marshal(map[string]string{"type": "signature_delta", "signature": signature}),
	}}
}

// CallBlock is a tool call whose input comes in two deltas.
func CallBlock(id, tool string, input any) Block {
	return RawCallBlock(id, tool, string(marshal(input)))
}

// RawCallBlock is a tool call whose input is the text given, valid or not.
func RawCallBlock(id, tool, input string) Block {
	half := len(input) / 2
	start := marshal(map[string]any{"type": "tool_use", "id": id, "name": tool, "input": map[string]any{}})
	return Block{Raw: start, Deltas: []json.RawMessage{
		marshal(map[string]string{"type": "input_json_delta", "partial_json": input[:half]}),
		marshal(map[string]string{"type": "input_json_delta", "partial_json": input[half:]}),
	}}
}

func marshal(v any) json.RawMessage {
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("harnesstest: %v", err))
	}
	return b
}

// events is the stream of a Reply, "type" and data.
func (r Reply) events(n int, model string, input int64) [][2]string {
	stop, output := r.Stop, r.Output
	if r.Model != "" {
		model = r.Model
	}
	if output == 0 {
		output = int64(len(r.Blocks)) + 1
	}
	add := func(es [][2]string, kind string, v map[string]any) [][2]string {
		v["type"] = kind
		return append(es, [2]string{kind, string(marshal(v))})
	}
	es := add(nil, "message_start", map[string]any{"message": map[string]any{
		"id": fmt.Sprintf("msg_stub_%d", n), "type": "message", "role": "assistant", "model": model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": input, "output_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}}})
	es = add(es, "ping", map[string]any{})
	for i, b := range r.Blocks {
		// Put together by hand: json.Marshal would change the block's bytes.
		es = append(es, [2]string{"content_block_start",
			fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, b.Raw)})
		for _, d := range b.Deltas {
			es = add(es, "content_block_delta", map[string]any{"index": i, "delta": d})
		}
		es = add(es, "content_block_stop", map[string]any{"index": i})
		if stop == "" && isCall(b.Raw) {
			stop = "tool_use"
		}
	}
	if stop == "" {
		stop = "end_turn"
	}
	es = add(es, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": output}})
	return add(es, "message_stop", map[string]any{})
}

// calling is the reply with the tools' names as the request offers them.
func (r Reply) calling(w Wire) Reply {
	blocks := r.Blocks
	r.Blocks = nil
	for _, b := range blocks {
		var call struct{ Type, Name string }
		_ = json.Unmarshal(b.Raw, &call) // a broken one stays as it is
		if name := w.toolNamed(call.Name); call.Type == "tool_use" && name != call.Name {
			b.Raw = json.RawMessage(strings.Replace(string(b.Raw), `"name":`+string(marshal(call.Name)), `"name":`+string(marshal(name)), 1))
		}
		r.Blocks = append(r.Blocks, b)
	}
	return r
}

func isCall(raw json.RawMessage) bool {
	var b struct{ Type string }
	return json.Unmarshal(raw, &b) == nil && b.Type == "tool_use"
}
