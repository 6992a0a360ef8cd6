package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"git-flower/gitstate"
	"git-flower/gitstate/gitcmd"
)

// An Env is the process's surroundings: the only door to streams, terminal,
// environment, clock and, once asked for, the repository's store.
type Env struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	InTerminal, OutTerminal, ErrTerminal bool

	Dir string // where the process runs; git discovers the repository from here
	Now func() time.Time

	editing   *atomic.Bool                 // an editor has the terminal, and Ctrl-C is meant for it
	interrupt *atomic.Pointer[func() bool] // a run that takes words; false: it has been interrupted already

	telling *telling // how a driver in the background stands; nil at a terminal

	trace  *tracer
	config []configEntry // nil until read
	read   bool
	store  *gitstate.Store // nil until opened
}

// newEnv describes the process as it was started.
func newEnv(in, out, errs *os.File) *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // git says what is wrong with it, when it is asked
	}
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	return &Env{In: in, Out: out, Err: errs, Dir: dir, Now: now, editing: new(atomic.Bool), interrupt: new(atomic.Pointer[func() bool]),
		InTerminal: isTerminal(in), OutTerminal: isTerminal(out), ErrTerminal: isTerminal(errs)}
}

// columns is how wide the terminal is just then, zero where there is none.
func (e *Env) columns() int {
	out, ok := e.Out.(*os.File)
	if !ok || !e.OutTerminal {
		return 0
	}
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// begin opens the trace and writes its first line.
func (e *Env) begin(words []string) error {
	var err error
	value, _ := e.lookup("GIT_TRACE_FLOWER")
	if e.trace, err = openTrace(value, e.Err, e.Now); err != nil {
		say(e.Err, "warning", err.Error()) // as git does: a wrong value never stops a command
	}
	e.trace.printf("run: git-flower %q", words)
	return nil
}

// close ends what was opened.
func (e *Env) close() error {
	if e.store == nil {
		return nil
	}
	return e.store.Close()
}

// lookup reads the environment.
func (e *Env) lookup(name string) (string, bool) { return os.LookupEnv(name) }

// path resolves a path that the user wrote. An alias of git's that starts with
// "!" runs at the top of the checkout and says in GIT_PREFIX where the user was.
func (e *Env) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	prefix, _ := e.lookup("GIT_PREFIX")
	return filepath.Join(e.Dir, prefix, p)
}

// readInput reads standard input to its end, or a byte more than limit. A read
// cannot be called off: when ctx ends first, its goroutine is left to the end of
// the process, which is near.
func (e *Env) readInput(ctx context.Context, limit int64) (string, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(e.In, limit+1))
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return string(r.data), r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// git runs commands where the user is, with the user's environment.
func (e *Env) git() gitcmd.Git { return gitcmd.New(e.Dir) }

// stateHome is the folder for what is local but does not belong into a git
// directory: XDG_STATE_HOME, else ~/.local/state.
func (e *Env) stateHome() (string, error) {
	if dir, _ := e.lookup("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil // the standard says that a relative one is to be ignored
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", endf(endFatal, "set HOME or XDG_STATE_HOME to a folder of yours", "no place for local state: %w", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}

// windowsFile keeps what was learned of models' windows, "" where there is no place.
func (e *Env) windowsFile() string {
	home, err := e.stateHome()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "git-flower", "windows.json")
}

// Store returns the repository's store, opened at the first call.
func (e *Env) Store(ctx context.Context) (*gitstate.Store, error) {
	return e.openStore(ctx, false)
}

// StoreFor is Store for a command that writes records: it honours flower.fsync.
// It must be the first to open the store.
func (e *Env) StoreFor(ctx context.Context, c Config) (*gitstate.Store, error) {
	return e.openStore(ctx, !c.Fsync)
}

func (e *Env) openStore(ctx context.Context, noSync bool) (*gitstate.Store, error) {
	if e.store != nil {
		return e.store, nil
	}
	home, err := e.stateHome()
	if err != nil {
		return nil, err
	}
	e.store, err = gitstate.Open(ctx, e.Dir, gitstate.Config{Now: e.Now, NoSync: noSync, StateHome: home})
	if err == nil {
		e.trace.printf("store: git directory %s, state %s", e.store.Layout().CommonDir, e.store.Layout().State)
	}
	return e.store, err
}

// Config returns the settings as they hold for a call.
func (e *Env) Config(ctx context.Context, c *call) (Config, error) {
	entries, err := e.entries(ctx)
	if err != nil {
		return Config{}, err
	}
	return newConfig(entries, e.lookup, c.setting)
}

// setting returns the value of an option that stood on the command line.
func (c *call) setting(long string) (string, bool) {
	if o, _, ok := c.command.long(long); !ok || !c.given(long) {
		return "", false
	} else if o.value == "" {
		return map[bool]string{true: "true", false: "false"}[c.is(long)], true
	}
	return c.text(long), true
}

func (e *Env) entries(ctx context.Context) ([]configEntry, error) {
	if e.read {
		return e.config, nil
	}
	var err error
	e.config, err = readConfig(ctx, e.git())
	e.read = err == nil
	return e.config, err
}

// hint prints what to do next, one "hint:" a line, unless GIT_ADVICE or
// advice.flowerHints turns hints off.
func (e *Env) hint(ctx context.Context, text string) {
	if text == "" || !e.wantsHints(ctx) {
		return
	}
	say(e.Err, "hint", text)
}

func (e *Env) wantsHints(ctx context.Context) bool {
	if v, ok := e.lookup("GIT_ADVICE"); ok {
		on, err := parseBool(v)
		return err != nil || on
	}
	entries, err := e.entries(ctx)
	if err != nil {
		return true
	}
	wanted := true
	for _, c := range entries {
		if c.key == "advice.flowerhints" {
			on, err := parseBool(c.value)
			wanted = err != nil || on || c.bare
		}
	}
	return wanted
}

// heedInterrupt reports whether somebody takes care of a Ctrl-C.
func (e *Env) heedInterrupt() bool {
	if e.editing.Load() {
		return true
	}
	f := e.interrupt.Load()
	return f != nil && (*f)()
}

// impatient answers a second signal: what is being saved takes a moment.
func (e *Env) impatient() {
	say(e.Err, "note", "ending; what is there is being saved. The next signal ends at once, without that")
}
