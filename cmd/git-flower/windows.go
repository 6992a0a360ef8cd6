package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"git-flower/engine"
)

// windows are the context windows of models at one endpoint. Some gateways give
// less than a model has; what an overflow has taught is kept for later runs, by
// endpoint and model.
type windows struct {
	given    int64 // the user's word, which nothing overrides; zero: none
	table    func(model string) int64
	file     string // empty: kept for this wake alone
	endpoint string
	now      func() time.Time

	mu      sync.Mutex
	learned map[string]learnedWindow // nil: not read yet
}

// A learnedWindow is what was last learned of a window, and when.
type learnedWindow struct {
	Window int64     `json:"window"`
	At     time.Time `json:"at"`
}

const (
	// learnedFor is how long a lesson counts: a gateway may have been put right since,
	// and learning it anew costs one handoff.
	learnedFor = 14 * 24 * time.Hour
	// largestWindows is how large the file may be.
	largestWindows = 1 << 20
	// clockSkew is how far ahead another clock that wrote the file may be.
	clockSkew = 24 * time.Hour
)

// Window is the user's word, else the least of the table's and what was learned.
func (w *windows) Window(model string) int64 {
	if w.given > 0 {
		return w.given
	}
	known := w.table(model)
	l, ok := w.lesson(model)
	switch {
	case !ok:
		return known
	case known == 0:
		return l.Window
	}
	return min(known, l.Window)
}

// lesson is what was learned of a model's window and still counts.
func (w *windows) lesson(model string) (l learnedWindow, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read()
	l, ok = w.learned[w.key(model)]
	return l, ok && w.counts(l)
}

// counts reports whether a lesson is one that an endpoint could have taught, and
// lately: a file that was spoiled must not shorten a run.
func (w *windows) counts(l learnedWindow) bool {
	age := w.now().Sub(l.At)
	return engine.IsWindow(l.Window) && age <= learnedFor && age >= -clockSkew
}

// words tell of a window that is smaller than it would be had nothing been
// learned; empty where there is none.
func (w *windows) words(model string) string {
	l, ok := w.lesson(model)
	if known := w.table(model); !ok || w.given > 0 || known > 0 && known <= l.Window {
		return ""
	}
	return fmt.Sprintf("window %d tokens, learned from a refusal on %s; --window overrides it", l.Window, l.At.Format(time.DateOnly))
}

// Overflowed keeps the least window that a model was seen to have. A larger one than
// is known does not make the old lesson a new one: that is forgotten in its time.
func (w *windows) Overflowed(model string, window int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.learned = nil // others may have added to it
	w.read()
	old, ok := w.learned[w.key(model)]
	if !engine.IsWindow(window) || ok && w.counts(old) && old.Window < window {
		return nil
	}
	w.learned[w.key(model)] = learnedWindow{Window: window, At: w.now().UTC().Truncate(time.Second)}
	if err := w.write(); err != nil {
		return fmt.Errorf("keep what was learned of windows: %w", err)
	}
	return nil
}

func (w *windows) key(model string) string { return w.endpoint + "|" + model }

// read reads the file once. One that is not there or not ours teaches nothing, and
// an entry that is none leaves the others as they are.
func (w *windows) read() {
	if w.learned != nil {
		return
	}
	w.learned = map[string]learnedWindow{}
	info, err := os.Lstat(w.file)
	if w.file == "" || err != nil || !info.Mode().IsRegular() || info.Size() > largestWindows {
		return
	}
	data, err := os.ReadFile(w.file)
	var entries map[string]json.RawMessage
	if err != nil || json.Unmarshal(data, &entries) != nil {
		return
	}
	for key, entry := range entries {
		var l learnedWindow
		if json.Unmarshal(entry, &l) == nil && w.counts(l) {
			w.learned[key] = l
		}
	}
}

// write puts the file in its place whole; what no longer counts was not read.
func (w *windows) write() error {
	if w.file == "" {
		return nil
	}
	data, err := json.MarshalIndent(w.learned, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(w.file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(w.file), ".windows-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), w.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
