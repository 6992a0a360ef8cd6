package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/engine/session"
)

const (
	sessionName = "6f1c2a34-0000-4000-8000-000000000001"
	loadCount   = 20_000
)

// measureSession sets the transcript store against a file of lines.
func measureSession(ctx context.Context, b *bench) ([]row, error) {
	dir, err := b.folder("session")
	if err != nil {
		return nil, err
	}
	appended, err := sessionAppend(ctx, b, dir)
	if err != nil {
		return nil, err
	}
	loaded, err := sessionLoad(ctx, b, dir)
	if err != nil {
		return []row{appended}, err
	}
	return []row{appended, loaded}, nil
}

// transcriptEntry is the nth entry, of about 2 KB.
func transcriptEntry(n int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"user","uuid":"6f1c2a34-0000-4000-8000-%012d","sessionId":"%s","message":{"role":"user","content":"%s"}}`,
		n, sessionName, strings.Repeat("x", 1900))
}

func sessionAppend(ctx context.Context, b *bench, dir string) (row, error) {
	store, err := session.Open(ctx, filepath.Join(dir, "append.db"))
	if err != nil {
		return row{}, err
	}
	file, err := os.Create(filepath.Join(dir, "append.jsonl"))
	if err != nil {
		return row{}, errors.Join(err, store.Close())
	}
	pairs := b.rounds(200)
	t, err := contest{
		ours: func(pair int) error { return store.Append(ctx, sessionName, transcriptEntry(pair)) },
		other: func(pair int) error {
			_, err := file.Write(append(transcriptEntry(pair), '\n'))
			return errors.Join(err, file.Sync())
		},
	}.run(ctx, pairs)
	if err == nil {
		err = sameEntries(ctx, store, file.Name(), pairs+1)
	}
	return versus("append of a 2 KB entry, durable", t, 0, "other: a line to a file, fsync"), errors.Join(err, file.Close(), store.Close())
}

func sessionLoad(ctx context.Context, b *bench, dir string) (row, error) {
	store, err := session.Open(ctx, filepath.Join(dir, "load.db"))
	if err != nil {
		return row{}, err
	}
	entries := make([]json.RawMessage, loadCount)
	var lines bytes.Buffer
	for i := range entries {
		entries[i] = transcriptEntry(i)
		lines.Write(append(entries[i], '\n'))
	}
	path := filepath.Join(dir, "load.jsonl")
	err = errors.Join(store.Append(ctx, sessionName, entries...), os.WriteFile(path, lines.Bytes(), 0o644))
	if err == nil {
		err = sameEntries(ctx, store, path, loadCount)
	}
	if err != nil {
		return row{}, errors.Join(err, store.Close())
	}
	t, err := contest{
		ours:  func(int) error { _, err := store.Load(ctx, sessionName); return err },
		other: func(int) error { _, err := readLines(path); return err },
	}.run(ctx, b.rounds(10))
	note := fmt.Sprintf("%d MB; other: the lines of a file, each kept", lines.Len()>>20)
	return versus(fmt.Sprintf("load of %d entries", loadCount), t, 0, note), errors.Join(err, store.Close())
}

// sameEntries compares what both sides give back, byte for byte.
func sameEntries(ctx context.Context, store *session.Store, path string, n int) error {
	ours, err := store.Load(ctx, sessionName)
	if err != nil {
		return err
	}
	other, err := readLines(path)
	if err != nil {
		return err
	}
	if len(ours) != n || len(other) != n {
		return fmt.Errorf("of %d entries the store has %d, the file %d", n, len(ours), len(other))
	}
	for i := range ours {
		if !bytes.Equal(ours[i], other[i]) {
			return fmt.Errorf("entry %d differs: '%.80s', '%.80s'", i, ours[i], other[i])
		}
	}
	return nil
}

func readLines(path string) ([]json.RawMessage, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []json.RawMessage
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		entries = append(entries, bytes.Clone(in.Bytes()))
	}
	return entries, in.Err()
}
