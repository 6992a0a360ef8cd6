package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"git-flower/engine"
)

// scratch is a transcript in memory, for a conversation that ends with its process.
type scratch struct {
	mu      sync.Mutex
	entries map[string][]json.RawMessage
}

func (s *scratch) Append(_ context.Context, session string, entries ...json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil {
		s.entries = map[string][]json.RawMessage{}
	}
	for _, e := range entries {
		s.entries[session] = append(s.entries[session], slices.Clone(e))
	}
	return nil
}

func (s *scratch) Load(_ context.Context, session string) ([]json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries[session]), nil
}

const (
	recentCount = 60      // events that the oracle is told of
	recentBytes = 1 << 18 // of the events file that are looked at for them
)

// recentEvents tells what a run did last, a line each, oldest first. A run that
// never ran on this machine has no events, which is no failure.
func recentEvents(dir string) []string {
	file, err := os.Open(filepath.Join(dir, "events"))
	if err != nil {
		return nil
	}
	defer file.Close()
	if _, err := file.Seek(-recentBytes, io.SeekEnd); err != nil && !errors.Is(err, io.EOF) {
		_, _ = file.Seek(0, io.SeekStart) // it is shorter than that
	}
	var lines []string
	for r := bufio.NewReader(file); ; {
		line, err := r.ReadBytes('\n')
		if text := recentLine(bytes.TrimSpace(line)); text != "" {
			lines = append(lines, text)
		}
		if err != nil {
			return lines[max(0, len(lines)-recentCount):]
		}
	}
}

// recentLine is one event for the oracle, "" for one that tells it nothing.
func recentLine(line []byte) string {
	var ev engine.Event
	if json.Unmarshal(line, &ev) != nil {
		return ""
	}
	switch ev.Kind {
	case engine.EventThinking, engine.EventResponse, engine.EventAside, "":
		return ""
	}
	if ev.Role == string(engine.Oracle) {
		return ""
	}
	words := []string{ev.Time.UTC().Format("15:04:05"), who(ev), ev.Kind, ev.Record, ev.Tool, ev.State, cut(oneLine(ev.Text), 200)}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// retryWords tells of a fault that is waited out.
func retryWords(ev engine.Event) string {
	return fmt.Sprintf("%s: %s; again in %.0f s", ev.State, firstLine(ev.Text), ev.Wait)
}
