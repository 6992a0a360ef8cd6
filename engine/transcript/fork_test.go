package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A fork has the conversation under its own name, answers what is open, and is
// the same when it is made again.
func TestFork(t *testing.T) {
	entries := []json.RawMessage{
		[]byte(`{"uuid":"1","parentUuid":null,"sessionId":"a","type":"user","message":{"role":"user","content":"go"}}`),
		[]byte(`{"uuid":"2","parentUuid":"1","sessionId":"a","type":"assistant","message":{"role":"assistant","id":"m","content":[{"type":"tool_use","id":"t1","name":"dispatch","input":{}}]}}`),
	}
	at := time.Unix(0, 0)
	forked, err := Fork(entries, Options{}, "b", at)
	if err != nil || len(forked) != 3 {
		t.Fatalf("%s, %v", forked, err)
	}
	for i, e := range forked {
		if !strings.Contains(string(e), `"sessionId":"b"`) || strings.Contains(string(e), `"sessionId":"a"`) {
			t.Errorf("entry %d: %s", i, e)
		}
	}
	if h, err := Read(forked, Options{}); err != nil || len(h.Open) != 0 || !strings.Contains(string(forked[2]), "[interrupted]") {
		t.Errorf("%+v, %v", h, err)
	}
	again, err := Fork(entries, Options{}, "b", at)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(forked) {
		t.Errorf("made again: %s, %v", again, err)
	}
	if none, err := Fork(nil, Options{}, "b", at); err != nil || len(none) != 0 {
		t.Errorf("of nothing: %s, %v", none, err)
	}
}
