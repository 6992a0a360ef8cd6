package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"git-flower/gitstate"
	"git-flower/gitstate/gitcmd"
)

// An ending says in words why a command did not simply succeed. Only the
// functions of this file turn it into a number. The zero ending is fatal.
type ending int

const (
	endFatal  ending = iota // it could not be done
	endNo                   // done, and the answer is no
	endPerson               // a person is needed
	endLimit                // stopped at a limit of money or time; resumable
	endLater                // network or usage limit; the same command later
	endUsage                // called wrongly
)

// An exitRow explains an exit code in a command's help.
type exitRow struct {
	code    int
	meaning string
}

// code is the exit code of an ending.
func (e ending) code() int {
	return [...]int{endFatal: 128, endNo: 1, endPerson: 2, endLimit: 3, endLater: 75, endUsage: 129}[e]
}

// endingOfCode is the ending behind another process's exit code.
func endingOfCode(code int) ending {
	for e := endFatal; e <= endUsage; e++ {
		if e.code() == code {
			return e
		}
	}
	return endFatal
}

// exitCodes explains all codes; commands name the ones that are theirs.
func exitCodes() []exitRow {
	return []exitRow{
		{0, "done; for a run: the goal was reached"},
		{1, "no: the goal was not reached, or nothing was found"},
		{2, "a person is needed"},
		{3, "stopped at a limit (budget, time); the run can be resumed"},
		{75, "try again later (network, usage limit); the run can be resumed"},
		{128, "it could not be done"},
		{129, "called wrongly"},
		{130, "interrupted; a run can be resumed (143 after SIGTERM, 129 after SIGHUP)"},
	}
}

// exits returns the rows of the codes that a command can end with; 0, 128, 129
// and 130 belong to all.
func exits(codes ...int) []exitRow {
	codes = append(codes, 0, 128, 129, 130)
	var rows []exitRow
	for _, row := range exitCodes() {
		for _, c := range codes {
			if row.code == c {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// An endError is an error that knows how the process should end and what the
// person can do next.
type endError struct {
	ending  ending
	err     error
	hint    string   // the next command; may have several lines
	command *command // whose usage is printed, for endUsage
}

func (e *endError) Error() string { return e.err.Error() }
func (e *endError) Unwrap() error { return e.err }

// end wraps err with an ending and a hint. A nil error stays nil.
func end(how ending, err error, hint string) error {
	if err == nil {
		return nil
	}
	return &endError{ending: how, err: err, hint: hint}
}

// endf is end with a formatted error.
func endf(how ending, hint, format string, args ...any) error {
	return end(how, fmt.Errorf(format, args...), hint)
}

// A signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return "ended by signal: " + e.signal.String() }

func (e signalError) code() int {
	if s, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return 128 + int(syscall.SIGINT)
}

// conclude prints what is to be said about err and returns the exit code. It is
// the only place that prints errors.
func conclude(ctx context.Context, env *Env, err error) int {
	if err == nil {
		return 0
	}
	if code, ok := interrupted(ctx, env, err); ok {
		return code
	}
	e := asEnding(err)
	if env.isFull(err) {
		e.ending, e.hint = endFatal, env.madeSpace(e.hint)
	}
	prefix := "error"
	if e.ending == endFatal {
		prefix = "fatal"
	}
	say(env.Err, prefix, wording(e.err))
	if e.command != nil { // without its options, which would push the error off the screen
		_ = write(env.Err, e.command.usage())
	}
	env.hint(ctx, e.hint)
	return e.ending.code()
}

// interrupted handles the end by a signal. A command that concluded something
// in spite of it (an endError of its own) is believed.
func interrupted(ctx context.Context, env *Env, err error) (int, bool) {
	var by signalError
	var own *endError
	if !errors.As(context.Cause(ctx), &by) && !errors.As(err, &by) || errors.As(err, &own) && own.ending != endFatal {
		return 0, false
	}
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = by.Error()
	}
	say(env.Err, "error", text)
	next := `nothing that was recorded is lost; "git flower status" shows where the runs stand`
	if own != nil && own.hint != "" {
		next = own.hint
	}
	env.hint(context.WithoutCancel(ctx), next)
	return by.code(), true
}

// asEnding finds the ending in an error; one without is fatal, with the hint
// that suits its sort.
func asEnding(err error) *endError {
	var e *endError
	if !errors.As(err, &e) {
		how := endFatal
		if errors.Is(err, gitstate.ErrAmbiguous) {
			how = endPerson
		}
		return &endError{ending: how, err: err, hint: hintFor(err)}
	}
	whole := *e
	whole.err = err // words added on the way count as well
	if whole.hint == "" {
		whole.hint = hintFor(err)
	}
	return &whole
}

// wording is an error's text. Where git itself does not find a repository, or
// refuses it, its own words are the whole message.
func wording(err error) string {
	var git *gitcmd.Error
	if errors.Is(err, gitstate.ErrNotRepository) && errors.As(err, &git) && strings.TrimSpace(git.Stderr) != "" {
		return strings.TrimSpace(git.Stderr)
	}
	return err.Error()
}

// say prints a message with its prefix on every line of it, cleaned.
func say(w io.Writer, prefix, text string) {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(sanitise(text), "\n"), "\n")
	for i, line := range lines {
		if i == 0 || prefix != "fatal" && prefix != "error" {
			line = prefix + ": " + withoutPrefix(line, prefix)
		}
		b.WriteString(line + "\n")
	}
	io.WriteString(w, b.String()) // nobody is left to tell when stderr is gone
}

// withoutPrefix: git's own messages come with git's own prefix.
func withoutPrefix(line, prefix string) string { return strings.TrimPrefix(line, prefix+": ") }

// hintFor is the next step after an error that does not bring its own.
func hintFor(err error) string {
	var driven *gitstate.LockedError
	switch {
	case errors.As(err, &driven):
		return `"git flower watch" follows it, "git flower stop" has it stop at a save point`
	case errors.Is(err, gitstate.ErrAmbiguous):
		return `name it in full; "git flower status" lists the runs`
	case errors.Is(err, gitstate.ErrCorrupt):
		return `"git flower fsck" tells what is damaged`
	case errors.Is(err, gitcmd.ErrNoGit):
		return "install git 2.34 or newer and see that it is on PATH"
	case errors.Is(err, gitstate.ErrNotRepository):
		return `go to a repository, or make one with "git init"`
	case errors.Is(err, gitstate.ErrNotFound), errors.Is(err, gitstate.ErrName):
		return `"git flower status" lists the runs`
	case errors.Is(err, gitstate.ErrFormat):
		return `a newer git-flower wrote this; "git flower version" shows yours`
	case errors.Is(err, gitstate.ErrConflict):
		return "something else wrote at the same time; run the command again"
	}
	return strings.Join([]string{`"git flower status" shows where the runs stand;`,
		"GIT_TRACE_FLOWER=1 shows what was done"}, "\n")
}
