package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"git-flower/engine/session"
	"git-flower/engine/transcript"
)

// A loading is one session in the store and in a file of lines.
type loading struct {
	store  *session.Store
	db     string
	lines  string
	bytes  int // of all entries
	reader transcript.Options
}

// loadRows measures how a long session is loaded, and what it takes on disk.
func loadRows(ctx context.Context, b *bench, dir string) ([]row, error) {
	l, err := fillLoading(ctx, dir)
	if err != nil {
		return nil, err
	}
	rows, err := l.measure(ctx, b)
	if err = errors.Join(err, l.store.Close()); err != nil {
		return rows, err
	}
	size, err := l.size()
	return append(rows, size), err
}

func fillLoading(ctx context.Context, dir string) (*loading, error) {
	l := &loading{db: filepath.Join(dir, "load.db"), lines: filepath.Join(dir, "load.jsonl"), reader: conversationReader()}
	entries := conversation(loadCount)
	var lines bytes.Buffer
	for _, e := range entries {
		l.bytes += len(e)
		lines.Write(e)
		lines.WriteByte('\n')
	}
	if err := os.WriteFile(l.lines, lines.Bytes(), 0o644); err != nil {
		return nil, err
	}
	var err error
	if l.store, err = session.Open(ctx, l.db); err != nil {
		return nil, err
	}
	if err = l.store.Append(ctx, sessionName, entries...); err == nil {
		err = sameAsLines(ctx, l.store, l.lines, loadCount)
	}
	if err != nil {
		return nil, errors.Join(err, l.store.Close())
	}
	return l, nil
}

func (l *loading) measure(ctx context.Context, b *bench) ([]row, error) {
	done, err := l.read(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, v := range l.ways(ctx, done) {
		t, err := contest{ours: v.ours, other: v.other}.run(ctx, b.rounds(6))
		if err != nil {
			return rows, err
		}
		rows = append(rows, versus(fmt.Sprintf("%s of %d entries", v.what, loadCount), t, 0, v.note))
	}
	return rows, nil
}

type way struct {
	what        string
	ours, other func(int) error
	note        string
}

func (l *loading) ways(ctx context.Context, done transcript.Report) []way {
	load := func(int) error { _, err := l.store.Load(ctx, sessionName); return err }
	read := func(int) error { _, err := l.read(ctx); return err }
	keep := func(int) error { _, err := readLines(l.lines); return err }
	decode := func(int) error { return decodeLines(l.lines) }
	steps := fmt.Sprintf("%d results expired, %d trimmed, %d refused calls pruned", done.Expired, done.Cleared, done.Denied)
	return []way{
		{"load", load, keep, fmt.Sprintf("%d MB; other: the lines of a file, each kept", l.bytes>>20)},
		{"load and read", read, keep, steps + "; other: as above"},
		{"load and read", read, decode, "other: the lines of a file, each decoded as JSON"},
	}
}

// read loads the session as a harness does that resumes it. Every step must have
// found something to do.
func (l *loading) read(ctx context.Context) (transcript.Report, error) {
	entries, err := l.store.Load(ctx, sessionName)
	if err != nil {
		return transcript.Report{}, err
	}
	h, err := transcript.Read(entries, l.reader)
	if err != nil {
		return transcript.Report{}, err
	}
	r := h.Report
	// A refused call goes with its answer and its result.
	if r.Expired == 0 || r.Cleared == 0 || r.Denied == 0 || len(h.Entries)+2*r.Denied != loadCount {
		return r, fmt.Errorf("of %d entries %d were read, and changed %+v", loadCount, len(h.Entries), r)
	}
	return r, nil
}

func decodeLines(path string) error {
	lines, err := readLines(path)
	if err != nil {
		return err
	}
	for _, line := range lines {
		var decoded map[string]any
		if err := json.Unmarshal(line, &decoded); err != nil {
			return err
		}
	}
	return nil
}

// size compares the files once the store is closed, which folds its journal in.
func (l *loading) size() (row, error) {
	ours, err := os.Stat(l.db)
	if err != nil {
		return row{}, err
	}
	other, err := os.Stat(l.lines)
	if err != nil {
		return row{}, err
	}
	each := func(size int64) string { return fmt.Sprintf("%d B", size/loadCount) }
	return row{what: "size on disk of an entry", ours: each(ours.Size()), other: each(other.Size()),
		ratio: fmt.Sprintf("%.2f", float64(ours.Size())/float64(other.Size())),
		note:  fmt.Sprintf("an entry has %d B; with its indexes, the store closed; other: lines", l.bytes/loadCount)}, nil
}
