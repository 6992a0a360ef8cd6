package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// maxLog is how large the log of runs in the background may grow, in bytes. The
// older half goes then: the events file and the records tell the story.
const maxLog = 1 << 20

// A boundedLog appends to a file and keeps its newest part. What cannot be written
// is lost: a full disk must not end a run because of its log.
type boundedLog struct {
	mu   sync.Mutex
	file *os.File
	size int64
}

func newBoundedLog(file *os.File) *boundedLog {
	l := &boundedLog{file: file}
	if info, err := file.Stat(); err == nil {
		l.size = info.Size()
	}
	return l
}

func (l *boundedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, _ := l.file.Write(p)
	if l.size += int64(n); l.size > maxLog {
		l.shorten()
	}
	return len(p), nil
}

// shorten keeps the whole lines of the newest half.
func (l *boundedLog) shorten() {
	newest := make([]byte, maxLog/2)
	info, err := l.file.Stat()
	if err != nil || info.Size() <= maxLog {
		return
	}
	n, err := l.file.ReadAt(newest, info.Size()-int64(len(newest)))
	if err != nil && !errors.Is(err, io.EOF) {
		return
	}
	_, newest, _ = bytes.Cut(newest[:n], []byte("\n"))
	if l.file.Truncate(0) == nil { // what follows is appended, so at the beginning
		n, _ = l.file.Write(newest)
		l.size = int64(n)
	}
}

// openLog opens the log of a run for a driver in the background.
func openLog(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, logFile), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
}
