//go:build unix && !linux

package process

import "syscall"

// A family is the shell's process group.
type family struct {
	leader int
	asked  *bool
}

func newFamily(leader int, _ string) family { return family{leader: leader, asked: new(bool)} }

// leftIn: without /proc nothing tells where a process works.
func leftIn(string) family { return family{leader: noSuchGroup, asked: new(bool)} }

func startedIn(dir, _ string) family { return leftIn(dir) }

func strayFrom(dir string) family { return leftIn(dir) }

// noSuchGroup is above any number the system gives.
const noSuchGroup = 1<<31 - 2

// signal asks the group to end, or makes it, and returns 1 while there is one.
func (f family) signal(hard bool) (left int, again bool) {
	if syscall.Kill(-f.leader, 0) == syscall.ESRCH {
		return 0, false
	}
	switch {
	case hard:
		syscall.Kill(-f.leader, syscall.SIGKILL)
	case !*f.asked:
		*f.asked = true
		syscall.Kill(-f.leader, syscall.SIGTERM)
		syscall.Kill(-f.leader, syscall.SIGCONT)
	}
	return 1, false
}
