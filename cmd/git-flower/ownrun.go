package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/gitstate"
	"git-flower/worktree/process"
)

// refuseInside refuses what only a person decides to the commands that a run
// gives to its workers, checks and judges, when it is about the repository of
// that run or about the very tree in which such a command was started. In any
// other repository the command may be used: work on this program does.
func (e *Env) refuseInside(ctx context.Context, c *command) error {
	started := process.Inside()
	if len(started) == 0 {
		return nil
	}
	store, err := e.Store(ctx)
	if err != nil {
		return nil // the command itself says what is wrong
	}
	for _, at := range started {
		if belongs(at, store.Layout()) {
			return endf(endPerson, "a worker says in its report what it wants of the person, who uses this command at a terminal",
				"'git flower %s' is for a person, and this is part of a run's own command", c.name)
		}
	}
	return nil
}

// belongs reports whether a folder is part of a repository: in its working tree,
// or among the trees that runs have made for it, which lie in a folder that bears
// its id wherever XDG_STATE_HOME points.
func belongs(folder string, l gitstate.Layout) bool {
	if l.ID != "" && slices.Contains(strings.Split(filepath.ToSlash(folder), "/"), l.ID) {
		return true
	}
	for _, place := range []string{l.TopLevel, l.State, l.CommonDir} {
		if place == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(place); err == nil {
			place = real
		}
		rel, err := filepath.Rel(place, folder)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
