package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// accept lets the commands of the goal that counts run here only if this
// repository recorded the goal itself or a person accepted it on this machine.
// Commands are code, and whoever may push to where we fetch from could have
// written them.
func (w *wake) accept(ctx context.Context) error {
	goal, commands := standingCommands(w.run.History())
	if len(commands) == 0 {
		return nil
	}
	o, err := w.originOf(ctx, goal)
	if o.trusted || err != nil {
		return err
	}
	if err := w.askTrust(ctx, o, commands); err != nil {
		return err
	}
	return remember(w.trusted(), o.blob)
}

// A gate stands before the commands of goals that come while a run is driven. It
// asks nobody: the terminal has other listeners by then.
type gate struct{ w *wake }

// Accept implements engine.Trust.
func (g gate) Accept(ctx context.Context, goal gitstate.Doc) error {
	o, err := g.w.originOf(ctx, goal)
	if o.trusted || err != nil {
		return err
	}
	return fmt.Errorf("the goal of record %s has %w", o.commit.Short(), engine.ErrForeign)
}

// An origin says where a goal comes from.
type origin struct {
	commit  gitstate.ObjectID // its record
	path    string            // in the records' trees
	blob    string
	trusted bool
}

// originOf looks where a goal comes from, or the one that checks were dropped
// from: leaving some out accepts none of the others.
func (w *wake) originOf(ctx context.Context, goal gitstate.Doc) (o origin, err error) {
	goal = engine.Whole(w.run.History(), goal)
	o.path = goal.Name()
	if o.commit, err = w.bringer(ctx, goal.Name()); err != nil {
		return o, err
	}
	o.blob, err = w.store.Git().Line(ctx, "rev-parse", "--verify", "--end-of-options", string(o.commit)+":"+goal.Name())
	if err != nil {
		return o, fmt.Errorf("look for the goal of run '%s': %w", w.run.Name(), err)
	}
	if o.trusted, err = isTrusted(w.trusted(), o.blob); o.trusted || err != nil {
		return o, err
	}
	if o.trusted, err = w.recordedHere(ctx, o.commit); o.trusted {
		// The ref's log says so until it is expired.
		err = remember(w.trusted(), o.blob)
	}
	return o, err
}

// trusted is the file of the goals that were accepted on this machine.
func (w *wake) trusted() string { return filepath.Join(w.store.Layout().State, "trusted") }

// standingCommands are what the checks of the goal that counts would run. One that
// is set anew before anything runs has none.
func standingCommands(h gitstate.History) (gitstate.Doc, []string) {
	goal, ok := engine.StandingGoal(h)
	if !ok || h.Docs[len(h.Docs)-1].Kind == gitstate.KindEnd {
		return goal, nil
	}
	var commands []string
	for _, c := range document.ParseGoal(goal.Body).Checks {
		if c.Command != "" {
			commands = append(commands, c.Command)
		}
	}
	return goal, commands
}

// bringer is the record that brought a document, or a file as it stands.
func (w *wake) bringer(ctx context.Context, path string) (gitstate.ObjectID, error) {
	out, err := w.store.Git().Line(ctx, "--no-literal-pathspecs", "rev-list", "-1", string(w.run.Tip()), "--", ":(top,literal)"+path)
	if err == nil && out == "" {
		err = errors.New("no record has it")
	}
	if err != nil {
		return "", fmt.Errorf("look for the record of '%s': %w", path, err)
	}
	return gitstate.ObjectID(out), nil
}

// recordedHere asks the ref's log, which no remote can write: git flower names
// itself in it, a fetch or a push names itself too. Ids of machines and sessions
// travel with the records and prove nothing.
func (w *wake) recordedHere(ctx context.Context, commit gitstate.ObjectID) (bool, error) {
	out, err := w.store.Git().Read(ctx, "log", "-g", "--no-show-signature", "--no-color", "--format=%H %gs", "refs/flower/run/"+w.run.Name(), "--")
	if err != nil {
		return false, fmt.Errorf("read the log of run '%s': %w", w.run.Name(), err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.TrimSuffix(line, "\n") == string(commit)+" git flower" {
			return true, nil
		}
	}
	return false, nil
}

// askTrust shows the commands in full and finds out whether they are accepted. Where
// nobody can be asked, the programs of the bench are shown as well, so that one
// --trust accepts all that was seen.
func (w *wake) askTrust(ctx context.Context, o origin, commands []string) error {
	name := w.run.Name()
	var b strings.Builder
	fmt.Fprintf(&b, "\nthe checks of run %s came from elsewhere (record %s); they would run with your rights:\n", name, o.commit.Short())
	for i, c := range commands {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, oneLine(c))
	}
	if err := write(w.env.Err, b.String()); err != nil {
		return err
	}
	if w.trust != "" {
		named, err := w.namesRecord(ctx, o)
		if named || err != nil {
			return err
		}
		return w.untrusted(ctx, o, fmt.Sprintf("--trust names '%s', but the commands are those of record %s", w.trust, o.commit.Short()))
	}
	if w.person == here {
		line, err := w.ask(ctx, "run them here? [y/N] ")
		if said := strings.ToLower(strings.TrimSpace(line)); err != nil || said == "y" || said == "yes" {
			return err
		}
	}
	return w.untrusted(ctx, o, fmt.Sprintf("nobody accepted the commands of run '%s' on this machine", name))
}

// named is the commit whose id --trust gives, "" for none: a name that moves would
// accept what nobody has seen.
func (w *wake) named(ctx context.Context) gitstate.ObjectID {
	given, err := w.store.Resolve(ctx, w.trust)
	if err != nil || len(w.trust) < shortest || !strings.HasPrefix(string(given), strings.ToLower(w.trust)) {
		return ""
	}
	return given
}

// namesRecord reports whether --trust names the goal's record or a later one of this
// run in which the same goal counts: whoever has looked at that one has seen the goal.
func (w *wake) namesRecord(ctx context.Context, o origin) (bool, error) {
	given := w.named(ctx)
	if given == "" || given == o.commit {
		return given != "", ctx.Err()
	}
	out, err := w.store.Git().Line(ctx, "rev-list", "--count", string(given), "^"+string(w.run.Tip()), "--")
	if err != nil || out != "0" {
		return false, err // of another run, or not there yet
	}
	for _, path := range []string{o.path, goalFile} {
		then, err := w.store.Show(ctx, string(given), path)
		now, err2 := w.store.Show(ctx, string(w.run.Tip()), path)
		if err != nil || err2 != nil || !bytes.Equal(then, now) {
			return false, ctx.Err()
		}
	}
	return true, nil
}

const (
	shortest = 7         // digits of an id that --trust takes
	goalFile = "goal.md" // of every record: the goal that counts
)

// untrusted ends the run's process: a person has to accept. The hint names the record
// that holds all there is to accept.
func (w *wake) untrusted(ctx context.Context, o origin, why string) error {
	scripts, err := w.foreignScripts(ctx)
	if err != nil {
		return fmt.Errorf("look at the bench: %w", err)
	}
	what, record := "these commands", o.commit
	if len(scripts) > 0 {
		what = "these commands and scripts"
		if err := write(w.env.Err, inFull(scripts)); err != nil {
			return err
		}
	}
	if len(w.held(ctx, record, scripts)) < len(scripts) {
		record = w.run.Tip()
	}
	hint := fmt.Sprintf("\"git flower resume --trust %s %s\" accepts %s on this machine", record.Short(), w.run.Name(), what)
	return endf(endPerson, hint, "%s", why)
}

// ask asks at the terminal; a closed one answers nothing. It takes no byte more
// than the line, since the rest is for those who listen next.
func (w *wake) ask(ctx context.Context, question string) (string, error) {
	if err := write(w.env.Err, question); err != nil {
		return "", err
	}
	said := make(chan string, 1) // a read from a terminal cannot be called off
	go func() { said <- readLine(w.env.In) }()
	select {
	case line := <-said:
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// readLine reads to the next newline, or to the end.
func readLine(in io.Reader) string {
	var line []byte
	for b := make([]byte, 1); len(line) < 1<<10; {
		n, err := in.Read(b)
		if n > 0 && b[0] == '\n' || err != nil {
			break
		}
		line = append(line, b[:n]...)
	}
	return string(line)
}

// isTrusted looks for a blob's id in the file of those that were accepted.
func isTrusted(file, blob string) (bool, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("read what is trusted: %w", err)
	}
	return slices.Contains(strings.Split(string(data), "\n"), blob), nil
}

// remember adds a blob's id, on a line of its own also after a torn one.
func remember(file, blob string) error {
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if err == nil {
		_, err = f.WriteString("\n" + blob + "\n")
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("remember what is trusted: %w", err)
	}
	return nil
}
