package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"git-flower/gitstate"
)

// drivers tells which processes of this machine seem to drive runs, by the
// run's name.
func drivers(store *gitstate.Store, runs []gitstate.Summary) map[string]int {
	driven, err := os.ReadDir(filepath.Join(store.Layout().Flower, "run"))
	if err != nil {
		return nil // nothing was ever driven here
	}
	local := map[string]bool{}
	for _, entry := range driven {
		local[entry.Name()] = true
	}
	pids := map[string]int{}
	for _, r := range runs {
		if !local[r.Name] || ended(r) {
			continue
		}
		if pid := driverOf(store, r.Name); pid > 0 {
			pids[r.Name] = pid
		}
	}
	return pids
}

// driverOf is the process of this machine that drives a run, else 0. It only
// looks; whoever wants to drive a run asks the lock itself, which the kernel keeps.
func driverOf(store *gitstate.Store, run string) int {
	if pid := store.Driver(run); pid > 0 && alive(pid) {
		return pid
	}
	return 0
}

// alive reports whether a process exists; where that cannot be told, it does not.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
