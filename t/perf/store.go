package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"git-flower/engine/session"
)

const (
	sessionName = "6f1c2a34-0000-4000-8000-000000000001"
	loadCount   = 20_000
	durableMS   = 0.5 // what a durable entry may take: the design, of SQLite with synchronous FULL
)

// measureStore sets the transcript store against a file of lines and the sqlite3
// program.
func measureStore(ctx context.Context, b *bench) ([]row, error) {
	dir, err := b.folder("store")
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, measure := range []func(context.Context, *bench, string) ([]row, error){appendToLines, appendToProgram, loadRows} {
		more, err := measure(ctx, b, dir)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// transcriptEntry is the nth entry, of about 2 KB.
func transcriptEntry(n int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"user","uuid":"%s","sessionId":"%s","message":{"role":"user","content":"%s"}}`,
		entryID(n), sessionName, strings.Repeat("x", 1900))
}

func entryID(n int) string { return fmt.Sprintf("6f1c2a34-0000-4000-8000-%012d", n) }

func appendToLines(ctx context.Context, b *bench, dir string) ([]row, error) {
	store, err := session.Open(ctx, filepath.Join(dir, "append.db"))
	if err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, "append.jsonl"))
	if err != nil {
		return nil, errors.Join(err, store.Close())
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
		err = sameAsLines(ctx, store, file.Name(), pairs+1)
	}
	return []row{appendRow("a file of lines", t, "other: a line to a file, fsync")}, errors.Join(err, file.Close(), store.Close())
}

func appendToProgram(ctx context.Context, b *bench, dir string) ([]row, error) {
	path, err := exec.LookPath("sqlite3")
	if err != nil {
		return []row{{what: "append of a 2 KB entry, beside sqlite3", note: "not measured: sqlite3 is missing on the PATH"}}, nil
	}
	store, err := session.Open(ctx, filepath.Join(dir, "program-ours.db"))
	if err != nil {
		return nil, err
	}
	shell, err := openShell(ctx, path, filepath.Join(dir, "program.db"))
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	pairs := b.rounds(200)
	t, err := contest{
		ours:  func(pair int) error { return store.Append(ctx, sessionName, transcriptEntry(pair)) },
		other: func(pair int) error { return shell.append(entryID(pair), transcriptEntry(pair)) },
	}.run(ctx, pairs)
	if err = errors.Join(err, shell.close()); err == nil {
		err = sameAsStore(ctx, store, shell.path, pairs+1)
	}
	note := "other: an insert to the standard input of " + shell.version + ", its answer; WAL, FULL, 8 KiB pages"
	return []row{appendRow("sqlite3", t, note)}, errors.Join(err, store.Close())
}

// appendRow has the target for the time of ours, not for the ratio.
func appendRow(beside string, t times, note string) row {
	r := versus("append of a 2 KB entry, beside "+beside, t, 0, note)
	r.target = figure("", float64(median(t.ours))/float64(time.Millisecond), durableMS, "ms", "").target
	return r
}

// sameAsLines compares what both sides give back, byte for byte.
func sameAsLines(ctx context.Context, store *session.Store, path string, n int) error {
	ours, err := store.Load(ctx, sessionName)
	if err != nil {
		return err
	}
	other, err := readLines(path)
	if err != nil {
		return err
	}
	return sameEntries(ours, other, n)
}

// sameAsStore does so with a second store, in the file at path.
func sameAsStore(ctx context.Context, store *session.Store, path string, n int) error {
	second, err := session.Open(ctx, path)
	if err != nil {
		return err
	}
	other, err := second.Load(ctx, sessionName)
	if err = errors.Join(err, second.Close()); err != nil {
		return err
	}
	ours, err := store.Load(ctx, sessionName)
	if err != nil {
		return err
	}
	return sameEntries(ours, other, n)
}

func sameEntries(ours, other []json.RawMessage, n int) error {
	if len(ours) != n || len(other) != n {
		return fmt.Errorf("of %d entries ours has %d, the other %d", n, len(ours), len(other))
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
