package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
)

// The states of a run that are not ends. The ends are those of the records:
// reached, done, accepted, not-reached, failed.
const (
	stateOpen       = "open"       // can be resumed
	stateWaiting    = "waiting"    // a question has no answer yet
	stateRunning    = "running"    // a process of this machine drives it
	stateUnreadable = "unreadable" // its newest record is damaged or of a newer format
)

// ended reports whether nothing is left to do in a run.
func ended(s gitstate.Summary) bool {
	kind, _ := engine.Standing(s.Kind, s.Meta)
	return kind == gitstate.KindEnd
}

func stateOf(s gitstate.Summary) string {
	kind, state := engine.Standing(s.Kind, s.Meta)
	switch {
	case s.Err != nil:
		return stateUnreadable
	case kind == gitstate.KindEnd && state != "":
		return state
	case kind == gitstate.KindQuestion:
		return stateWaiting
	}
	return stateOpen
}

func colourOf(state string) string {
	switch state {
	case "reached", "done", "passed":
		return good
	case stateWaiting, "accepted", "unreachable":
		return asks
	case "not-reached", "failed", stateUnreadable:
		return bad
	}
	return ""
}

// errNoRuns means that the repository has no run at all.
var errNoRuns = errors.New("there are no runs in this repository")

// choose opens the run that a command is about: the named one (by name, by a
// prefix that no other has, or by id), else the only one there is, else the
// only one that fits. Where that leaves several, a person has to say which.
func (e *Env) choose(ctx context.Context, name string, fits func(gitstate.Summary) bool) (*gitstate.Store, *gitstate.Run, error) {
	store, err := e.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	if name, err = chooseName(ctx, store, name, fits); err != nil {
		return nil, nil, err
	}
	run, err := store.Run(ctx, name)
	return store, run, err
}

// chooseName is choose without reading the run; a name that was given is
// returned as it is.
func chooseName(ctx context.Context, store *gitstate.Store, name string, fits func(gitstate.Summary) bool) (string, error) {
	if name != "" {
		return name, nil
	}
	all, err := store.Runs(ctx)
	if err != nil {
		return "", err
	}
	s, err := onlyOne(all, fits)
	return s.Name, err
}

// drivenRun opens the named run, else the only one there is, else the only one
// that a process of this machine drives.
func (e *Env) drivenRun(ctx context.Context, name string) (*gitstate.Store, *gitstate.Run, error) {
	store, err := e.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	return e.choose(ctx, name, func(s gitstate.Summary) bool { return driverOf(store, s.Name) > 0 })
}

func onlyOne(all []gitstate.Summary, fits func(gitstate.Summary) bool) (gitstate.Summary, error) {
	candidates := all
	if len(all) > 1 {
		if left := filter(all, fits); len(left) > 0 {
			candidates = left
		}
	}
	switch len(candidates) {
	case 0:
		return gitstate.Summary{}, end(endNo, errNoRuns, `begin one with "git flower start <request>"`)
	case 1:
		return candidates[0], nil
	}
	return gitstate.Summary{}, endf(endPerson, "name one of them; \"git flower status\" tells more about them",
		"there are %d runs: %s", len(candidates), nameSome(candidates))
}

func filter(all []gitstate.Summary, fits func(gitstate.Summary) bool) []gitstate.Summary {
	var left []gitstate.Summary
	for _, s := range all {
		if fits(s) {
			left = append(left, s)
		}
	}
	return left
}

func anyRun(gitstate.Summary) bool    { return true }
func unended(s gitstate.Summary) bool { return !ended(s) }

// nameSome lists runs in a message, the newest ones when there are many.
func nameSome(runs []gitstate.Summary) string {
	const most = 10
	var names []string
	for _, s := range runs[:min(most, len(runs))] {
		names = append(names, s.Name)
	}
	text := strings.Join(names, ", ")
	if len(runs) > most {
		text += fmt.Sprintf(" and %d more", len(runs)-most)
	}
	return text
}
