package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"git-flower/engine"
	"git-flower/engine/inbox"
	"git-flower/gitstate"
)

func watchCommand() *command {
	return &command{
		name: "watch", group: everyday, args: 1,
		summary:  "follow a run that another process drives",
		synopsis: []string{"[--all] [--json] [<run>]"},
		prose: `Shows where a run stands and then what it does while another process drives it,
in the form in which 'start' shows it. Ends with the wake that it watches, or at
once where nobody drives the run; the exit code says how the run stands then.
Ctrl-C ends the watching and nothing else.`,
		options: []option{{long: "all", text: "begin with the first event that this machine saw"}, jsonOption()},
		exits:   exits(1, 2, 75),
		run:     runWatch,
	}
}

func runWatch(ctx context.Context, env *Env, c *call) error {
	store, run, err := env.drivenRun(ctx, c.arg(0))
	if err != nil {
		return err
	}
	f := &follower{file: filepath.Join(store.Layout().RunDir(run.Name()), "events")}
	f.show = env.shower(ctx, c.is("json"))
	if !c.is("all") {
		if err := f.toEnd(); err != nil {
			return err
		}
	}
	driven := func() bool { return driverOf(store, run.Name()) > 0 }
	if !c.is("json") {
		if err := env.showStanding(ctx, store, run, driven()); err != nil {
			return err
		}
	}
	if err := f.follow(ctx, driven); err != nil {
		return err
	}
	return watched(ctx, store, run.Name(), f.state)
}

// showStanding is what watch shows first: where the run stands and what waits
// for an answer.
func (e *Env) showStanding(ctx context.Context, store *gitstate.Store, run *gitstate.Run, driven bool) error {
	d, err := newRunDetail(ctx, store, run)
	if err != nil {
		return err
	}
	if err := write(e.Out, d.forPeople(e.look(ctx))); err != nil {
		return err
	}
	if !driven {
		say(e.Err, "note", fmt.Sprintf("no process drives run '%s' now", run.Name()))
	}
	for _, worker := range engine.AtWork(run.History()) {
		if err := write(e.Out, fmt.Sprintf("  %-9s %s\n", worker.Meta.Worker+":", cut(firstLine(worker.Body), 66))); err != nil {
			return err
		}
	}
	if len(engine.OpenQuestions(run.History())) > 0 {
		return e.listQuestions(ctx, run)
	}
	return nil
}

// watched turns how a run stands, now that nobody drives it, into the exit code.
// end is the state with which the wake that was watched ended, if that was seen.
func watched(ctx context.Context, store *gitstate.Store, name, end string) error {
	s, err := summaryOf(ctx, store, name)
	if err != nil {
		return err
	}
	resume := fmt.Sprintf("\"git flower resume %s\" goes on", name)
	state := stateOf(s)
	switch {
	case colourOf(state) == good:
		return nil
	case ended(s):
		return endf(endNo, fmt.Sprintf("\"git flower show verdict %s\" tells what is open", name), "run '%s' ended %s", name, state)
	case state == stateWaiting || end == string(engine.NeedsHuman):
		return endf(endPerson, fmt.Sprintf("\"git flower answer --run %s\" lists its questions; %s", name, resume), "run '%s' waits for a person", name)
	}
	return endf(endLater, resume, "run '%s' has stopped before its end", name)
}

// shower prints one line of an events file: as it is, or as 'start' does.
func (e *Env) shower(ctx context.Context, asJSON bool) func(line []byte) error {
	if asJSON {
		return func(line []byte) error { return write(e.Out, string(line)+"\n") }
	}
	p := &printer{out: e.Out, look: e.look(ctx), person: elsewhere}
	return func(line []byte) error {
		var ev engine.Event
		if json.Unmarshal(line, &ev) == nil {
			p.print(ev)
		}
		return nil
	}
}

// A follower reads a growing file of JSON lines.
type follower struct {
	file string
	show func(line []byte) error
	at   int64 // how much of the file was shown
	end  bool  // what was shown last is the end of a wake

	state string // with which the last wake ended
}

// toEnd leaves out what is there.
func (f *follower) toEnd() error {
	info, err := os.Stat(f.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		f.at = info.Size()
	}
	return err
}

// follow shows what comes until driven is false and everything is shown, or the
// wake that it watches has ended: its process may still have something to do.
func (f *follower) follow(ctx context.Context, driven func() bool) error {
	watch := inbox.NewWatch(filepath.Dir(f.file))
	defer watch.Close()
	f.end = false
	for first := true; ; first = false {
		last := !driven() // before reading: what was written before the end is seen
		if err := f.read(); err != nil {
			return err
		}
		if last || f.end && !first {
			return nil
		}
		select {
		case <-watch.Signals():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// read shows the whole lines that are new. A line that is still being written
// is left for the next time; one that is no JSON, as after a crash, is left out.
func (f *follower) read() error {
	file, err := os.Open(f.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() < f.at {
		f.at = 0 // another file
	}
	if _, err := file.Seek(f.at, io.SeekStart); err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	r := bufio.NewReader(file)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil // the rest has not been written yet
		}
		f.at += int64(len(line))
		if line = bytes.TrimSpace(line); !json.Valid(line) {
			continue
		}
		var ev engine.Event
		if f.end = json.Unmarshal(line, &ev) == nil && ev.Kind == engine.EventEnd; f.end {
			f.state = ev.State
		}
		if err := f.show(line); err != nil {
			return err
		}
	}
}
