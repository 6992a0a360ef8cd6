package economy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A turn of a worker that writes a file and is told so, ten kilobytes with its thoughts.
func BenchmarkMeter(b *testing.B) {
	text := strings.Repeat(`some words é \n \"x\" `, 150)
	row := func(i int) [2]json.RawMessage {
		return [2]json.RawMessage{
			fmt.Appendf(nil, `{"type":"assistant","uuid":"a%d","message":{"id":"m%d","content":[{"type":"thinking","thinking":"%s","signature":"x"},{"type":"tool_use","id":"t%d","name":"Write","input":{"file_path":"/x","content":"%s"}}],"usage":{"input_tokens":5}}}`, i, i, text, i, text),
			fmt.Appendf(nil, `{"type":"user","uuid":"r%d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":[{"type":"text","text":"%s"}]}]}}`, i, i, text),
		}
	}
	m := NewMeter("r", ledgerOf(account("s", worker, "")), nil)
	b.ReportAllocs()
	var n int
	for b.Loop() {
		rows := row(n)
		b.SetBytes(int64(len(rows[0]) + len(rows[1])))
		m.Add("s", rows[0])
		m.Add("s", rows[1])
		n++
	}
}
