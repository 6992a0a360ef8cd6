package gitstate

import (
	"errors"
	"fmt"
)

// What callers branch on. Every error that wraps one of them names its subject.
var (
	ErrNotFound      = errors.New("not found")
	ErrConflict      = errors.New("the run has moved")
	ErrFormat        = errors.New("written by a newer version of git flower")
	ErrCorrupt       = errors.New("corrupt")
	ErrName          = errors.New("not a valid run name")
	ErrAmbiguous     = errors.New("several runs fit")
	ErrNotRepository = errors.New("not a git repository")
)

// A LockedError means that another process drives the run.
type LockedError struct {
	Run     string
	PID     int    // 0 when the holder has not written it yet
	Machine string // random name of its machine, see Store.Machine

	born string // when the process began, see bornAt
	free bool   // the process has let the lock go
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("run '%s' is driven by another process", e.Run)
	}
	return fmt.Sprintf("run '%s' is driven by process %d", e.Run, e.PID)
}

// corrupt says what is wrong with which object.
func corrupt(where any, format string, args ...any) error {
	return fmt.Errorf("'%v' is %w: %s", where, ErrCorrupt, fmt.Sprintf(format, args...))
}
