package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A tracer writes lines in the shape of GIT_TRACE. The nil tracer is silent.
type tracer struct {
	to  io.Writer
	now func() time.Time
}

// openTrace reads the value of GIT_TRACE_FLOWER with git's own meaning: empty,
// "0" and "false" are off, "1" and "true" mean standard error, another digit is an open
// file descriptor, an absolute path a file that is appended to.
func openTrace(value string, stderr io.Writer, now func() time.Time) (*tracer, error) {
	switch strings.ToLower(value) {
	case "", "0", "false":
		return nil, nil
	case "1", "2", "true":
		return &tracer{to: stderr, now: now}, nil
	}
	if len(value) == 1 && value[0] >= '3' && value[0] <= '9' {
		return &tracer{to: os.NewFile(uintptr(value[0]-'0'), "trace"), now: now}, nil
	}
	if !filepath.IsAbs(value) {
		return nil, fmt.Errorf("cannot trace to '%s': GIT_TRACE_FLOWER is 1, a file descriptor or an absolute path", value)
	}
	f, err := os.OpenFile(value, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot trace to '%s': %w", value, err)
	}
	return &tracer{to: f, now: now}, nil
}

// printf writes one line: time, place in our source, text from column 40. Line
// breaks in the text are quoted, so that a line is an entry.
func (t *tracer) printf(format string, args ...any) {
	if t == nil {
		return
	}
	place := "?"
	if _, file, line, ok := runtime.Caller(1); ok {
		place = fmt.Sprintf("%s:%d", filepath.Base(file), line)
	}
	head := t.now().Local().Format("15:04:05.000000") + " " + place
	text := strings.ReplaceAll(sanitise(fmt.Sprintf(format, args...)), "\n", `\n`)
	fmt.Fprintf(t.to, "%-39s %s\n", head, text) // a lost trace line must not end the command
}
