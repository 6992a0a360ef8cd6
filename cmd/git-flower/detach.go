package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goOnDetached drives a run that has begun in a process of its own, without a
// terminal, and returns when that process holds the run's lock and goes on.
func (w *wake) goOnDetached(ctx context.Context, c *call) error {
	w.person = w.env.presence(w.config, w.json)
	if err := w.accept(ctx); err != nil { // later there is nobody to ask
		return err
	}
	if err := w.banner(ctx); err != nil {
		return err
	}
	if err := w.leaveCheckout(); err != nil { // the driver takes it
		return err
	}
	driver, err := w.launch(c)
	if err != nil {
		return endf(endFatal, w.resumeHint(), "start a process for run '%s': %w", w.run.Name(), err)
	}
	told, err := driver.await(ctx)
	if err != nil {
		return end(endFatal, err, w.resumeHint())
	}
	if told.Ended != 0 {
		return w.notBegun(told)
	}
	return w.sayDetached(ctx, told.PID)
}

func (w *wake) resumeHint() string {
	return fmt.Sprintf("\"git flower resume %s\" goes on", w.run.Name())
}

// checkDetach refuses, before anything is recorded, what cannot be done here.
func (c Config) checkDetach() error {
	if !c.Detach {
		return nil
	}
	if err := detachable(); err != nil {
		return endf(endFatal, "leave --detach out, and keep the terminal open", "go on in the background: %w", err)
	}
	return nil
}

// A driver is the process in the background, seen by the one that began it.
type driver struct {
	cmd  *exec.Cmd
	told *os.File // where it says that it has begun
	log  string
}

// launch starts the driver. It gets this process's environment and directory, so
// it finds the same credentials in the same places; they are in no argument and
// in no file of ours.
func (w *wake) launch(c *call) (*driver, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir := w.store.Layout().RunDir(w.run.Name())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	log, err := openLog(dir)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer tell.Close()
	cmd := exec.Command(self, append(w.driverOptions(c), "--", w.run.Name())...)
	cmd.Dir, cmd.Env = w.env.Dir, driverEnv(os.Environ())
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{tell}
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, told.Close())
	}
	return &driver{cmd: cmd, told: told, log: filepath.Join(dir, logFile)}, nil
}

// driverEnv is the environment of the driver: ours without the pager before us,
// which it does not write to.
func driverEnv(env []string) []string {
	var kept []string
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); name != "GIT_PAGER_IN_USE" && name != backgroundVariable {
			kept = append(kept, kv)
		}
	}
	return append(kept, backgroundVariable+"=3") // the first of ExtraFiles
}

// driverOptions are the words with which the driver resumes the run: what was
// given here. What 'start' was given is kept beside the run.
func (w *wake) driverOptions(c *call) []string {
	words := []string{"resume", "--no-detach", "--no-clarify-again"} // both are done here
	if !w.resumes {
		return words
	}
	resume := resumeCommand()
	for _, s := range settings() {
		if s.long == "" || s.long == "detach" || s.long == "clarify-again" {
			continue
		}
		_, _, known := resume.long(s.long) // what only a new run can have is left out
		switch v, ok := c.setting(s.long); {
		case !ok || !known:
		case s.value != "":
			words = append(words, s.with(v))
		case v == "false":
			words = append(words, "--no-"+s.long)
		default:
			words = append(words, "--"+s.long)
		}
	}
	if c.given("rehearse") {
		words = append(words, "--rehearse="+scriptPath(w.env, c.text("rehearse")))
	}
	return words
}

// await returns what the driver told first: that it goes on, or how it ended. Ended
// without a word, its end is put together here. When ctx ends before, the driver
// is asked to end as well.
func (d *driver) await(ctx context.Context) (background, error) {
	var b background
	heard := make(chan error, 1)
	go func() { heard <- json.NewDecoder(d.told).Decode(&b) }()
	var err error
	select {
	case err = <-heard:
	case <-ctx.Done():
		_ = askToEnd(d.cmd.Process) // gone already is as good
		<-heard
		err = context.Cause(ctx)
	}
	d.told.Close()
	if err == nil && b.Ended == 0 {
		return b, d.cmd.Process.Release()
	}
	wait := d.cmd.Wait()
	if ctx.Err() != nil {
		return b, err
	}
	if err != nil {
		return b, fmt.Errorf("process %d ended before it had begun (%v); its words are in '%s'", d.cmd.Process.Pid, wait, d.log)
	}
	return b, nil
}

// notBegun says how the driver ended instead of going on.
func (w *wake) notBegun(b background) error {
	hint := b.Hint
	if hint == "" {
		hint = w.resumeHint()
	}
	return endf(endingOfCode(b.Code), hint, "run '%s' does not go on in the background: process %d ended with exit %d: %s",
		w.run.Name(), b.PID, b.Code, b.Why)
}

// sayDetached tells how to reach a run in the background.
func (w *wake) sayDetached(ctx context.Context, pid int) error {
	name := w.run.Name()
	log := filepath.Join(w.store.Layout().RunDir(name), logFile)
	if w.json {
		return jsonLine(w.env.Out, map[string]any{"name": name, "driver_pid": pid, "log": log})
	}
	l := w.env.look(ctx)
	var b strings.Builder
	fmt.Fprintf(&b, "\nprocess %d drives run %s in the background\n\n", pid, l.paint(strong, name))
	commands := [][2]string{
		{"git flower watch " + name, "follow it"},
		{"git flower status " + name, "where it stands, and how it ended"},
		{"git flower say --run " + name + " '<words>'", "add to what is wanted"},
	}
	if w.person != nobody {
		commands = append(commands, [2]string{"git flower answer --run " + name, "answer its questions"})
	}
	commands = append(commands, [2]string{"git flower stop " + name, "have it stop at a save point"})
	b.WriteString(commandTable(l, commands))
	fmt.Fprintf(&b, "\nits output is in %s\n", sanitise(log))
	return write(w.env.Out, b.String())
}

// commandTable shows commands with what they are for.
func commandTable(l look, commands [][2]string) string {
	width := 0
	for _, c := range commands {
		width = max(width, len(c[0]))
	}
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "  %s  %s\n", pad(c[0], width), l.paint(faint, l.fold(c[1], width+4)))
	}
	return b.String()
}
