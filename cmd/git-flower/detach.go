package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"git-flower/gitstate"
)

func detachOption() option {
	return option{long: "detach", text: "go on in the background; questions wait for \"git flower answer\""}
}

// detachedVariable tells the process in the background that it is one: then
// somebody is there to answer, though not at a terminal of its own.
const detachedVariable = "GIT_FLOWER_DETACHED"

// errHere is what a system says that has no sessions of processes.
var errHere = errors.New("this system cannot run it in the background")

// checkDetach refuses --detach, before anything is recorded, where it cannot be.
func checkDetach(c *call) error {
	if c.is("detach") && !canDetach {
		return end(endFatal, errHere, "leave --detach out, and the terminal open")
	}
	return nil
}

// isDetached reports whether this process was put into the background.
func (e *Env) isDetached() bool {
	v, _ := e.lookup(detachedVariable)
	return v == "1"
}

// logFile is where a driver in the background writes what it would have shown.
func logFile(store *gitstate.Store, run string) string {
	return filepath.Join(store.Layout().RunDir(run), "log")
}

// detach has a process in a session of its own drive the run, and returns when
// that holds the run's lock. It finds the credentials as this one did: in the
// environment, which it inherits, or in the same file; they are never arguments.
func (w *wake) detach(ctx context.Context, options []string) error {
	log, err := os.OpenFile(logFile(w.store, w.run.Name()), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	words := append([]string{"resume"}, options...)
	child := exec.Command(self, append(words, "--", w.run.Name())...)
	child.Dir, child.Stdout, child.Stderr = w.env.Dir, log, log
	child.Env = append(os.Environ(), detachedVariable+"=1")
	inSession(child)
	if err := child.Start(); err != nil {
		return fmt.Errorf("start the process in the background: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	if err := w.awaitDriver(ctx, child.Process.Pid, ended); err != nil {
		return w.notDetached(err, log, from)
	}
	return w.sayDetached(child.Process.Pid)
}

// awaitDriver returns nil when the process has taken the run's lock. The lock
// file names it from then on, also when it has ended since.
func (w *wake) awaitDriver(ctx context.Context, pid int, ended <-chan error) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		took, err := w.store.TakenBy(w.run.Name(), pid)
		if took || err != nil {
			return err
		}
		select {
		case err := <-ended:
			if took, _ := w.store.TakenBy(w.run.Name(), pid); took {
				return nil
			}
			if err == nil {
				err = errors.New("it ended without driving the run")
			}
			return err
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx) // it goes on, and whoever interrupted us finds it with status
		}
	}
}

// notDetached says why there is no driver, in the words of the process itself.
func (w *wake) notDetached(err error, log io.ReaderAt, from int64) error {
	said, _ := io.ReadAll(io.NewSectionReader(log, from, 1<<16))
	if text := strings.TrimSpace(string(said)); text != "" {
		say(w.env.Err, "note", text)
	}
	how := endFatal
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		for _, e := range []ending{endNo, endPerson, endLimit, endLater} {
			if e.code() == exit.ExitCode() {
				how = e
			}
		}
	}
	return endf(how, fmt.Sprintf("\"git flower resume %s\" goes on here", w.run.Name()), "nothing drives run '%s' in the background: %w", w.run.Name(), err)
}

func (w *wake) sayDetached(pid int) error {
	name := w.run.Name()
	file := logFile(w.store, name)
	if w.json {
		return jsonLine(w.env.Out, map[string]any{"name": name, "driver_pid": pid, "log": file})
	}
	return write(w.env.Out, fmt.Sprintf(`process %d drives run %s in the background
  git flower watch %s          follow it
  git flower say --run %s ...  add to what is wanted
  git flower answer --run %s   answer its questions
  git flower stop %s           have it stop at a save point
  its output is in %s
`, pid, name, name, name, name, name, sanitise(file)))
}

// again are the options of this command as the process in the background gets
// them. Those of 'start' it finds kept with the run.
func (c *call) again() []string {
	var words []string
	for _, s := range settings() {
		if v, ok := c.setting(s.long); s.long != "" && ok {
			switch {
			case s.value != "":
				words = append(words, "--"+s.long+"="+v)
			case v == "true":
				words = append(words, "--"+s.long)
			default:
				words = append(words, "--no-"+s.long)
			}
		}
	}
	if c.given("rehearse") {
		words = append(words, "--rehearse="+c.text("rehearse"))
	}
	return words
}
