//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// A family is the shell alone.
type family struct{ shell *os.Process }

func newFamily(leader int, _ string) family {
	p, err := os.FindProcess(leader)
	if err != nil {
		return family{}
	}
	return family{p}
}

func leftIn(string) family { return family{} }

func startedIn(string, string) family { return family{} }

func strayFrom(string) family { return family{} }

func (f family) signal(bool) (left int, again bool) {
	if f.shell != nil {
		f.shell.Kill()
		f.shell.Release()
	}
	return 0, false
}

func ownSession(*exec.Cmd) {}

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	return s.ExitCode()
}
