package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"git-flower/gitstate"
)

// drivers tells which processes of this machine seem to drive runs, by the
// run's name. It only looks: the process that a run's lock file names is alive.
// Whoever wants to drive a run asks the lock itself, which the kernel keeps.
func drivers(store *gitstate.Store, runs []gitstate.Summary) map[string]int {
	layout := store.Layout()
	driven, err := os.ReadDir(filepath.Join(layout.Flower, "run"))
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
		if pid := lockHolder(filepath.Join(layout.RunDir(r.Name), "lock")); pid > 0 && alive(pid) {
			pids[r.Name] = pid
		}
	}
	return pids
}

// lockHolder is the process that last took a lock, 0 when none can be read.
func lockHolder(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || pid < 1 {
		return 0
	}
	return pid
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
