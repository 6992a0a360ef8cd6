package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-flower/worktree/process"
)

// Folders of sessions' processes lie in our state: session/run/<name>/ is that of
// whoever holds the run's lock, session/ask/<pid>-<any>/ that of a question asked
// beside it. Each session has a folder of its own there, which goes with it.

// openSessions names the folder of a wake that holds the run's lock. What an
// earlier one has left there, which was killed, is ended and removed.
func openSessions(state, run string) (dir string, done func() error, err error) {
	dir = filepath.Join(state, "session", "run", run)
	return dir, func() error { return removeSessions(dir) }, removeSessions(dir)
}

// openAskSessions names the folder of a question, and removes those of processes
// that are no more.
func openAskSessions(state string) (dir string, done func() error, err error) {
	all := filepath.Join(state, "session", "ask")
	left, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("look for folders of sessions: %w", err)
	}
	for _, e := range left {
		word, _, _ := strings.Cut(e.Name(), "-")
		if pid, err := strconv.Atoi(word); err == nil && pid > 0 && !running(pid) {
			if err := removeSessions(filepath.Join(all, e.Name())); err != nil {
				return "", nil, err
			}
		}
	}
	dir = filepath.Join(all, strconv.Itoa(os.Getpid())+"-"+newWake())
	return dir, func() error { return removeSessions(dir) }, nil
}

// removeSessions ends what still works in a folder of sessions and removes it.
func removeSessions(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := errors.Join(process.EndLeft(dir), os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("remove the sessions' folder '%s': %w", dir, err)
	}
	return nil
}
