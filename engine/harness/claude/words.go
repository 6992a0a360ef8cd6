package claude

import (
	"slices"
	"sync"

	"git-flower/engine/harness"
)

// words are what was said to the CLI in a turn.
type words struct {
	mu      sync.Mutex
	open    bool                       // the CLI takes words
	waiting map[string]harness.Message // those that it has not taken up yet, by id
	order   []string                   // their ids, as they were said
}

// begin starts the process if none runs, and says to it what was queued, or
// that it is to carry on. It reports whether there was anything to say.
func (t *turn) begin() (bool, error) {
	t.words.mu.Lock()
	defer t.words.mu.Unlock()
	fresh := t.fresh()
	if len(fresh) == 0 {
		if t.session.ended != nil || t.conn == nil && len(t.history.Entries) == 0 {
			return false, nil
		}
		fresh = []harness.Message{{ID: newUUID(), Text: carryOn}}
	}
	if t.purse != nil {
		if err := t.purse.admit(t.ctx); err != nil {
			return false, gateFault(err)
		}
	}
	if t.conn == nil {
		if err := t.launch(t.ctx); err != nil {
			return false, err
		}
	}
	t.words.open = true
	return true, t.sayTogether(fresh)
}

// passOn says to the CLI what was queued meanwhile, unless the turn is about to
// end: then it begins the next one.
func (t *turn) passOn() error {
	t.words.mu.Lock()
	defer t.words.mu.Unlock()
	if !t.words.open {
		return nil
	}
	return t.say(t.fresh())
}

// fresh takes the messages that were not said before; each gets an id.
func (t *turn) fresh() []harness.Message {
	var fresh []harness.Message
	heard := slices.Concat(t.backlog, t.out.Heard())
	t.backlog = nil
	for _, m := range heard {
		if m.ID == "" {
			m.ID = newUUID()
		}
		if !t.said[m.ID] {
			t.said[m.ID] = true
			fresh = append(fresh, m)
		}
	}
	return fresh
}

// say sends messages, which the CLI takes up when it likes; the caller holds mu.
func (t *turn) say(messages []harness.Message) error {
	t.await(messages)
	for _, m := range messages {
		if err := t.conn.say(m.ID, m.Text, true); err != nil {
			return err
		}
	}
	return nil
}

// sayTogether begins a turn with messages. The CLI would begin one with the first
// that comes, so that only the last is to be answered.
func (t *turn) sayTogether(messages []harness.Message) error {
	t.await(messages)
	for i, m := range messages {
		if err := t.conn.say(m.ID, m.Text, i == len(messages)-1); err != nil {
			return err
		}
	}
	return nil
}

// await notes which messages the CLI is about to hear.
func (t *turn) await(messages []harness.Message) {
	for _, m := range messages {
		t.words.waiting[m.ID] = m
		t.words.order = append(t.words.order, m.ID)
	}
}

// taken notes that the CLI has taken up words.
func (w *words) taken(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting, id)
}

// over takes no more words, unless some are waiting; it reports which.
func (w *words) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = len(w.waiting) > 0
	return !w.open
}

// close takes no more words and returns those that wait.
func (w *words) close() []harness.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = false
	var left []harness.Message
	for _, id := range w.order {
		if m, ok := w.waiting[id]; ok {
			left = append(left, m)
		}
	}
	return left
}
