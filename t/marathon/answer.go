package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// An answer is what the model said to one request, as far as it came.
type answer struct {
	id     string
	whole  bool
	usage  usage
	blocks []block
}

type usage struct {
	Input   int64 `json:"input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

func (u usage) plus(o usage) usage {
	return usage{u.Input + o.Input, u.Read + o.Read, u.Written + o.Written, u.Output + o.Output}
}

// An event of a stream.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message *struct {
		ID    string `json:"id"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Block *block `json:"content_block"`
	Delta struct {
		Text string `json:"text"`
		JSON string `json:"partial_json"`
	} `json:"delta"`
	Usage *struct {
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

// answerOf reads a stream as far as it came.
func answerOf(stream []byte) answer {
	var a answer
	texts := map[int]string{}
	for line := range bytes.Lines(stream) {
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		var e event
		if !ok || json.Unmarshal(data, &e) != nil {
			continue
		}
		switch {
		case e.Type == "message_start" && e.Message != nil:
			a.id, a.usage = e.Message.ID, e.Message.Usage
		case e.Type == "content_block_start" && e.Block != nil:
			a.blocks = append(a.blocks, *e.Block)
		case e.Type == "content_block_delta":
			texts[e.Index] += e.Delta.Text + e.Delta.JSON
		case e.Type == "message_delta" && e.Usage != nil:
			a.usage.Output = e.Usage.Output
		case e.Type == "message_stop":
			a.whole = true
		}
	}
	for i := range a.blocks {
		b := &a.blocks[i]
		switch b.Type {
		case "text":
			b.Text, _ = json.Marshal(texts[i])
		case "tool_use":
			b.Input = json.RawMessage(texts[i])
		}
	}
	return a
}

// A tap keeps what passes, and hands it over when that ends.
type tap struct {
	io.ReadCloser
	kept strings.Builder
	done func(stream string)
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.kept.Write(p[:n])
	return n, err
}

func (t *tap) Close() error {
	if t.done != nil {
		t.done(t.kept.String())
		t.done = nil
	}
	return t.ReadCloser.Close()
}

func (u usage) minus(o usage) usage {
	return usage{u.Input - o.Input, u.Read - o.Read, u.Written - o.Written, u.Output - o.Output}
}

// calls is how many tools an answer calls.
func (a answer) calls() int {
	n := 0
	for _, b := range a.blocks {
		if b.Type == "tool_use" {
			n++
		}
	}
	return n
}
