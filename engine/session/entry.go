package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxEntry is the largest entry, in bytes: twice what the Messages API accepts
// as a whole request (32 MB), so that nothing that was sent can be refused here.
const MaxEntry = 64 << 20

// ErrEntry means that an entry is not a JSON object, or too large.
var ErrEntry = errors.New("not a transcript entry")

// An entry is a row to be: the columns besides the session's id.
type entry struct {
	ts   any // milliseconds since 1970 of the entry's own timestamp, or nil
	uuid any // or nil
	body []byte
}

func parse(session string, entries []json.RawMessage) ([]entry, error) {
	if session == "" {
		return nil, errors.New("append to a session without an id")
	}
	rows := make([]entry, 0, len(entries))
	for i, body := range entries {
		row, err := parseEntry(body)
		if err != nil {
			return nil, fmt.Errorf("append to session '%s': entry %d: %w", session, i+1, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// parseEntry checks one entry and takes the two values out that have columns.
// Everything else is opaque: runtimes newer than this one add what they like.
func parseEntry(body []byte) (entry, error) {
	if len(body) > MaxEntry {
		return entry{}, fmt.Errorf("%w: %d bytes, at most %d are stored", ErrEntry, len(body), MaxEntry)
	}
	if start := bytes.TrimLeft(body, " \t\r\n"); len(start) == 0 || start[0] != '{' {
		return entry{}, fmt.Errorf("%w: no JSON object", ErrEntry)
	}
	var fields struct {
		UUID      json.RawMessage `json:"uuid"`
		Timestamp json.RawMessage `json:"timestamp"`
	}
	if err := json.Unmarshal(body, &fields); err != nil {
		return entry{}, fmt.Errorf("%w: %w", ErrEntry, err)
	}
	row := entry{body: body}
	if uuid := text(fields.UUID); uuid != "" {
		row.uuid = uuid
	}
	if at, err := time.Parse(time.RFC3339Nano, text(fields.Timestamp)); err == nil {
		row.ts = at.UnixMilli()
	}
	return row, nil
}

// text is the value of a JSON string, empty for anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
