package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A background tells of the wake of a run that goes on without a terminal: its
// driver tells it to whoever began it, and keeps it in the run's folder, where
// 'status' finds how it ended.
type background struct {
	PID   int    `json:"pid"`
	Begun int64  `json:"begun"`           // seconds since 1970
	Ended int64  `json:"ended,omitempty"` // zero: it has not, or was killed
	Code  int    `json:"code"`            // its exit code, once it has ended
	Why   string `json:"why,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

const (
	backgroundFile = "background.json"
	logFile        = "log"

	// backgroundVariable names the file descriptor on which a driver in the
	// background says that it has begun. The driver takes it out of its
	// environment.
	backgroundVariable = "GIT_FLOWER_BACKGROUND"
)

// A telling is the driver's side: where it tells how it stands. begun and
// ended may be called on nil, which is a command with a terminal of its own.
type telling struct {
	to  *os.File // nil once told
	dir string   // the run's folder, empty before the run is ours
	now func() time.Time
	is  background
}

// inBackground finds out whether this process was begun to drive a run in the
// background. Then its output is a log that is kept short.
func (e *Env) inBackground(out *os.File) error {
	value, ok := e.lookup(backgroundVariable)
	if !ok {
		return nil
	}
	if err := os.Unsetenv(backgroundVariable); err != nil {
		return err
	}
	fd, err := strconv.Atoi(value)
	if err != nil || fd < 3 || !isPipe(fd) {
		return fmt.Errorf("environment variable %s names no pipe; it is not meant to be set by hand", backgroundVariable)
	}
	closeOnExec(fd)
	e.telling = &telling{to: os.NewFile(uintptr(fd), "begun"), now: e.Now, is: background{PID: os.Getpid(), Begun: e.Now().Unix()}}
	log := newBoundedLog(out)
	e.Out, e.Err = log, log
	return nil
}

// begun is told when the run's lock is held and the engine goes on. Where the run
// goes on at a terminal, how the last wake in the background ended is history.
func (t *telling) begun(dir string) error {
	if t == nil {
		if err := os.Remove(filepath.Join(dir, backgroundFile)); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	t.dir = dir
	if err := t.keep(); err != nil {
		return err
	}
	t.tell()
	return nil
}

// ended is told last. Its errors have nobody left to hear them: the log has the
// words already.
func (t *telling) ended(code int, err error) {
	if t == nil {
		return
	}
	t.is.Ended, t.is.Code = t.now().Unix(), code
	if err != nil {
		t.is.Why, t.is.Hint = wording(err), asEnding(err).hint
	}
	t.tell()
	if t.dir != "" {
		_ = t.keep()
	}
}

// tell writes to whoever began us, who may be gone.
func (t *telling) tell() {
	if t.to == nil {
		return
	}
	_ = json.NewEncoder(t.to).Encode(t.is)
	t.to.Close()
	t.to = nil
}

// keep replaces the file as a whole.
func (t *telling) keep() error {
	data, err := json.Marshal(t.is)
	file := filepath.Join(t.dir, backgroundFile)
	if err == nil {
		err = os.WriteFile(file+".new", append(data, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return fmt.Errorf("write down how the run goes on: %w", err)
	}
	return nil
}

// lastBackground is what the last wake in the background told; ok is false where
// there was none.
func lastBackground(dir string) (b background, ok bool, err error) {
	data, err := os.ReadFile(filepath.Join(dir, backgroundFile))
	if errors.Is(err, os.ErrNotExist) {
		return b, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		return b, false, fmt.Errorf("read how the run went on in the background: %w", err)
	}
	return b, true, nil
}
