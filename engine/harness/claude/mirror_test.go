package claude

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness/harnesstest"
)

// What the keeper stores, and under which name.
func TestKeeperStores(t *testing.T) {
	store := &harnesstest.Transcript{}
	k := newKeeper(t.Context(), store, fakeID, "/config")
	k.ends("toolu_1")
	main := filepath.Join("/config/projects/-work", fakeID+".jsonl")
	agent := filepath.Join("/config/projects/-work", fakeID, "subagents/agent-a1.jsonl")
	result := `{"type":"user","uuid":"2","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}],"more":{"a":{}}}}`
	k.take(main, []json.RawMessage{[]byte(`{"type":"queue-operation"}`), []byte(`{"uuid":"1","type":"user","message":{"content":"hi"}}`), []byte(`not JSON`), []byte(result)})
	k.take(agent, []json.RawMessage{[]byte(`{"uuid":"3","type":"assistant","message":{"content":[{"type":"tool_use","id":"toolu_2"}]}}`)})
	k.take("/elsewhere/"+fakeID+".jsonl", []json.RawMessage{[]byte(`{"uuid":"4"}`)})

	entries, _ := store.Load(t.Context(), fakeID)
	if len(entries) != 2 || string(entries[1]) != strings.TrimSuffix(result, "}")+`,"flowerStops":true}` || !json.Valid(entries[1]) {
		t.Errorf("stored %s", entries)
	}
	if of, _ := store.Load(t.Context(), fakeID+"/agent-a1"); len(of) != 1 {
		t.Errorf("stored of the sub-agent: %s", of)
	}
	for _, key := range []string{resultKey("toolu_1"), callKey("toolu_2")} {
		if err := k.await(t.Context(), key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// What we cannot read of an entry is no reason to lose it: usage that is null or
// no number, a message that is no object, blocks of forms to come.
func TestKeeperStoresWhatItCannotRead(t *testing.T) {
	store := &harnesstest.Transcript{}
	k := newKeeper(t.Context(), store, fakeID, "/config")
	var counted int
	k.count = func(message, bool) { counted++ }
	odd := []json.RawMessage{
		[]byte(`{"type":"assistant","uuid":"1","message":{"id":"m","stop_reason":"tool_use","usage":{"input_tokens":null,"output_tokens":null,"cache_creation":null},"content":[{"type":"tool_use","id":"toolu_1"}]}}`),
		[]byte(`{"type":"assistant","uuid":"2","message":{"id":"n","stop_reason":"end_turn","usage":null,"content":[]}}`),
		[]byte(`{"type":"assistant","uuid":"3","message":{"id":"o","usage":{"input_tokens":1.5},"content":[{"type":"text","text":"words"}]}}`),
		[]byte(`{"type":"system","uuid":"4","message":"words"}`),
		[]byte(`{"type":"user","uuid":"5","message":{"role":"user","content":["words",{"type":"text","text":7}]}}`),
	}
	k.take(filepath.Join("/config/projects/-work", fakeID+".jsonl"), odd)
	entries, _ := store.Load(t.Context(), fakeID)
	if len(entries) != len(odd) {
		t.Errorf("stored %d of %d: %s", len(entries), len(odd), entries)
	}
	if counted != 2 {
		t.Errorf("%d answers were counted", counted)
	}
	if err := k.await(t.Context(), callKey("toolu_1")); err != nil {
		t.Error(err)
	}
}

// What is said after a history that was made shorter has its mark; what a
// sub-agent says has not.
func TestKeeperMarks(t *testing.T) {
	store := &harnesstest.Transcript{}
	k := newKeeper(t.Context(), store, fakeID, "/config")
	k.mark, k.left = "7 0a", json.RawMessage("{}")
	said := []json.RawMessage{[]byte(`{"uuid":"1","type":"assistant","message":{"content":[]}} `), []byte(`{"uuid":"2","type":"user","message":{"content":"hi"}}`)}
	k.take(filepath.Join("/config/projects/-work", fakeID+".jsonl"), said)
	k.take(filepath.Join("/config/projects/-work", fakeID, "subagents/agent-a1.jsonl"), said)
	entries, _ := store.Load(t.Context(), fakeID)
	if string(entries[0]) != `{"uuid":"1","type":"assistant","message":{"content":[]},"flowerLoaded":"7 0a","flowerLeft":{}}` || string(entries[1]) != string(said[1]) {
		t.Errorf("stored %s", entries)
	}
	if of, _ := store.Load(t.Context(), fakeID+"/agent-a1"); string(of[0]) != string(said[0]) {
		t.Errorf("stored of the sub-agent: %s", of)
	}
}

// Whoever waits for something that cannot come any more is told.
func TestKeeperGivesUp(t *testing.T) {
	full := errors.New("no space left")
	for name, tt := range map[string]struct {
		do   func(k *keeper, store *harnesstest.Transcript, cancel func())
		want error
	}{
		"the turn was left": {func(k *keeper, _ *harnesstest.Transcript, _ func()) { k.shutDown() }, errShut},
		"the disk is full": {func(k *keeper, store *harnesstest.Transcript, _ func()) {
			store.OnAppend = func(string, []json.RawMessage) error { return full }
			k.take("/config/projects/x/"+fakeID+".jsonl", []json.RawMessage{[]byte(`{"uuid":"1"}`)})
		}, full},
		"the context ended": {func(_ *keeper, _ *harnesstest.Transcript, cancel func()) { cancel() }, context.Canceled},
	} {
		store := &harnesstest.Transcript{}
		k := newKeeper(t.Context(), store, fakeID, "/config")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- k.await(ctx, callKey("toolu_9")) }()
		tt.do(k, store, cancel)
		if err := <-done; !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}
