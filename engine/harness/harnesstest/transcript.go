package harnesstest

import (
	"context"
	"encoding/json"
	"sync"
)

// A Transcript keeps entries in memory. The zero value is ready.
type Transcript struct {
	// OnAppend, when not nil, is called before entries are kept; an error keeps
	// them out, as a full disk would.
	OnAppend func(session string, entries []json.RawMessage) error

	mu       sync.Mutex
	sessions map[string][]json.RawMessage
}

// Append keeps copies of the entries.
func (t *Transcript) Append(ctx context.Context, session string, entries ...json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.OnAppend != nil {
		if err := t.OnAppend(session, entries); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions == nil {
		t.sessions = map[string][]json.RawMessage{}
	}
	for _, e := range entries {
		t.sessions[session] = append(t.sessions[session], append(json.RawMessage(nil), e...))
	}
	return nil
}

// Load returns what was appended to a session.
func (t *Transcript) Load(_ context.Context, session string) ([]json.RawMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]json.RawMessage(nil), t.sessions[session]...), nil
}

// Cut drops a session's entries from the nth on, as if the process had died
// before they were written.
func (t *Transcript) Cut(session string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions[session] = t.sessions[session][:n:n]
}
