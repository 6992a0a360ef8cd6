package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// spendFile is the spending journal in a run's local folder.
const spendFile = "spend"

// A journal is a file of JSON lines, each on disk before Write returns. It
// keeps what was spent between two records.
type journal struct{ file *os.File }

func openJournal(path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the spending journal: %w", err)
	}
	return &journal{file: f}, nil
}

func (j *journal) Write(row json.RawMessage) error {
	// A line cut off by a crash must not swallow this one: an empty line more
	// does no harm.
	if _, err := j.file.Write(append(append([]byte("\n"), row...), '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

// Read returns the whole lines. One that a crash cut off is left out.
func (j *journal) Read() ([]json.RawMessage, error) { return journalLines(j.file.Name()) }

func journalLines(path string) ([]json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []json.RawMessage
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(line) > 0 && json.Valid(line) {
			rows = append(rows, line)
		}
	}
	return rows, nil
}

func (j *journal) Close() error { return j.file.Close() }
