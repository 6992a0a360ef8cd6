package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a store is compared with: a file of lines, synced after each.
//
//	go test -run - -bench . ./engine/session

var payload = json.RawMessage(`{"type":"user","text":"` + strings.Repeat("x", 2000) + `"}`)

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 10} {
		b.Run(fmt.Sprintf("store-%d", n), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "session.db"))
			batch := make([]json.RawMessage, n)
			for i := range batch {
				batch[i] = payload
			}
			for b.Loop() {
				if err := s.Append(b.Context(), "a", batch...); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("jsonl-fsync-%d", n), func(b *testing.B) {
			f, err := os.Create(filepath.Join(b.TempDir(), "session.jsonl"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			for b.Loop() {
				for range n {
					if _, err := f.Write(append(payload, '\n')); err != nil {
						b.Fatal(err)
					}
				}
				if err := f.Sync(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "session.db"))
	batch := make([]json.RawMessage, 20000)
	for i := range batch {
		batch[i] = payload
	}
	if err := s.Append(b.Context(), "a", batch...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got, err := s.Load(b.Context(), "a"); err != nil || len(got) != len(batch) {
			b.Fatal(len(got), err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "session.db")
	add(b, open(b, path), "a", `{}`)
	for b.Loop() {
		s := open(b, path)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
