package proxy

import (
	"bytes"
	"strconv"

	"git-flower/engine/harness/wire"
	"git-flower/engine/rawjson"
)

// A request is what a body says about itself.
type request struct {
	model     string
	maxOutput int64
	stream    bool
	own       bool // it offers tools that are the caller's to run
	tools     bool // it offers any
	hour      bool // it has what it writes to the cache kept an hour
	size      wire.Size
}

// look reads a body. Not ok: it is no JSON object.
func look(body []byte) (q request, ok bool) {
	if !rawjson.IsObject(body) {
		return q, false
	}
	q.size.Bytes = int64(len(body))
	q.hour = bytes.Contains(body, []byte(`"ttl":"1h"`)) // rather once too often: it is the dearer
	for m := range rawjson.Members(body) {
		switch string(m.Key) {
		case "model":
			q.model = rawjson.Text(m.Value)
		case "max_tokens":
			n, _ := strconv.ParseInt(string(m.Value), 10, 64)
			q.maxOutput = max(0, n)
		case "stream":
			q.stream = string(m.Value) == "true"
		case "tools":
			q.lookAtTools(m.Value)
		case "messages":
			for _, said := range rawjson.Elements(m.Value) {
				q.lookForPictures(rawjson.Value(said, "content"))
			}
		}
	}
	return q, true
}

// lookAtTools tells the caller's own tools from those that the API runs: only
// the former say what their input looks like.
func (q *request) lookAtTools(tools []byte) {
	for _, tool := range rawjson.Elements(tools) {
		q.tools = true
		q.own = q.own || rawjson.Value(tool, "input_schema") != nil
	}
}

// lookForPictures counts pictures apart, also those that results hold.
func (q *request) lookForPictures(content []byte) {
	for _, b := range rawjson.Elements(content) {
		switch rawjson.Text(rawjson.Value(b, "type")) {
		case "image":
			q.size.Pictures++
			q.size.Bytes -= int64(len(b))
		case "tool_result":
			q.lookForPictures(rawjson.Value(b, "content"))
		}
	}
}
