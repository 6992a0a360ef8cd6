package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"git-flower/engine/harness"
)

// A keeper stores what the CLI mirrors of a session's transcript, and tells
// when a call or a result is on disk.
type keeper struct {
	ctx     context.Context // does not end: what happened is kept whatever becomes of the turn
	store   harness.Transcript
	session string
	count   func(m message, main bool) // told of each answer's last word on itself; may be nil
	config  string                     // the CLI's configuration folder, in which the transcript lies
	mark    string                     // of the history that the process was started from
	left    json.RawMessage            // what that history leaves out

	mu     sync.Mutex
	kept   map[string]bool // what is on disk; see callKey, resultKey
	stops  map[string]bool // calls whose result ends the turn
	shut   bool            // nothing is kept any more: the turn was left
	failed error           // why something could not be kept
	news   chan struct{}   // closed, and made anew, at each change
}

func newKeeper(ctx context.Context, store harness.Transcript, session, config string) *keeper {
	return &keeper{ctx: context.WithoutCancel(ctx), store: store, session: session, config: config,
		kept: map[string]bool{}, stops: map[string]bool{}, news: make(chan struct{})}
}

func callKey(id string) string   { return "call " + id }
func resultKey(id string) string { return "result " + id }

// A mirrored entry, as far as we look at it.
type mirrored struct {
	UUID    string  `json:"uuid"`
	Type    string  `json:"type"`
	Message message `json:"message"`
}

// readMirrored reads an entry; of one that is of a form to come only what it is.
// False: it is none.
func readMirrored(raw json.RawMessage) (mirrored, bool) {
	var e mirrored
	if json.Unmarshal(raw, &e) == nil {
		return e, true
	}
	var known struct {
		UUID string `json:"uuid"`
		Type string `json:"type"`
	}
	err := json.Unmarshal(raw, &known)
	return mirrored{UUID: known.UUID, Type: known.Type}, err == nil
}

// synthetic is the model of messages that the CLI wrote itself.
const synthetic = "<synthetic>"

// take stores entries of one of the session's files. What has no id is the
// CLI's own book-keeping and is left out, but for what a sub-agent is.
func (k *keeper) take(path string, entries []json.RawMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shut || k.failed != nil {
		return
	}
	session, agent, ok := mirrorKey(k.config, path)
	if !ok || session != k.session {
		return
	}
	if agent != "" {
		session += "/" + agent
	}
	var keep []json.RawMessage
	var keys []string
	for _, raw := range entries {
		e, ok := readMirrored(raw)
		if !ok || e.UUID == "" && (agent == "" || e.Type != "agent_metadata") {
			continue
		}
		if k.count != nil && e.Type == "assistant" && e.Message.StopReason != "" && e.Message.Model != synthetic {
			k.count(e.Message, agent == "")
		}
		raw, found := k.look(raw, e)
		if agent == "" && e.Type == "assistant" && k.mark != "" {
			mark, _ := json.Marshal(k.mark) // a string
			raw = withMember(raw, `"flowerLoaded":`+string(mark)+`,"flowerLeft":`+string(k.left))
		}
		keep, keys = append(keep, raw), append(keys, found...)
	}
	if len(keep) == 0 {
		return
	}
	if err := k.store.Append(k.ctx, session, keep...); err != nil {
		k.failed = fmt.Errorf("keep transcript of session '%s': %w", session, err)
	}
	for _, key := range keys {
		k.kept[key] = true
	}
	k.changed()
}

// look finds what calls and results an entry holds, and marks a result that
// ended the turn as the engine's other harness does.
func (k *keeper) look(raw json.RawMessage, e mirrored) (json.RawMessage, []string) {
	var keys []string
	for _, b := range e.Message.Content {
		switch b.Type {
		case "tool_use":
			keys = append(keys, callKey(b.ID))
		case "tool_result":
			keys = append(keys, resultKey(b.ToolUseID))
			if k.stops[b.ToolUseID] {
				raw = withMember(raw, `"flowerStops":true`)
			}
		}
	}
	return raw, keys
}

// withMember is an entry with a member more; an entry has at least an id.
func withMember(entry json.RawMessage, member string) json.RawMessage {
	entry = bytes.TrimSpace(entry)
	return append(bytes.Clone(entry[:len(entry)-1]), ","+member+"}"...)
}

// changed wakes who waits; the caller holds mu.
func (k *keeper) changed() {
	close(k.news)
	k.news = make(chan struct{})
}

// ends notes that a call's result ends the turn.
func (k *keeper) ends(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stops[id] = true
}

// shutDown keeps nothing from now on: what the CLI says of a turn that is being
// left is no result.
func (k *keeper) shutDown() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.shut = true
	k.changed()
}

// mirrorTime is how long the CLI may take to mirror what it has written. It
// does so within a tenth of a second.
const mirrorTime = 20 * time.Second

var (
	errShut       = errors.New("the turn was left")
	errUnmirrored = fmt.Errorf("the CLI did not mirror its transcript within %v", mirrorTime)
)

// await waits until something is on disk.
func (k *keeper) await(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, mirrorTime, errUnmirrored)
	defer cancel()
	for {
		k.mu.Lock()
		kept, shut, failed, news := k.kept[key], k.shut, k.failed, k.news
		k.mu.Unlock()
		switch {
		case failed != nil:
			return failed
		case kept:
			return nil
		case shut:
			return errShut
		}
		select {
		case <-news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (k *keeper) failure() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failed
}
