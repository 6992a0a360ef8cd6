package proxy

import (
	"encoding/json"
	"strconv"

	"git-flower/engine/harness/wire"
)

// A request is what a body says about itself.
type request struct {
	model     string
	maxOutput int64
	stream    bool
	own       bool // it offers tools that are the caller's to run
	tools     bool // it offers any
	size      wire.Size
}

// look reads a body. Not ok: it is no JSON object.
func look(body []byte) (q request, ok bool) {
	if !json.Valid(body) {
		return q, false
	}
	fs := fields(body)
	if fs == nil && body[space(body, 0)] != '{' {
		return q, false
	}
	q.size.Bytes = int64(len(body))
	for _, f := range fs {
		switch f.key {
		case "model":
			q.model = text(f.value)
		case "max_tokens":
			n, _ := strconv.ParseInt(string(f.value), 10, 64)
			q.maxOutput = max(0, n)
		case "stream":
			q.stream = string(f.value) == "true"
		case "tools":
			q.lookAtTools(f.value)
		case "messages":
			for _, m := range elements(f.value) {
				q.lookForPictures(value(m, "content"))
			}
		}
	}
	return q, true
}

// lookAtTools tells the caller's own tools from those that the API runs: only
// the former say what their input looks like.
func (q *request) lookAtTools(tools []byte) {
	for _, tool := range elements(tools) {
		q.tools = true
		q.own = q.own || value(tool, "input_schema") != nil
	}
}

// lookForPictures counts pictures apart, also those that results hold.
func (q *request) lookForPictures(content []byte) {
	for _, b := range elements(content) {
		switch text(value(b, "type")) {
		case "image":
			q.size.Pictures++
			q.size.Bytes -= int64(len(b))
		case "tool_result":
			q.lookForPictures(value(b, "content"))
		}
	}
}
