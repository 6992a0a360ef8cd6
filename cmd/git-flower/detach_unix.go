//go:build unix

package main

import (
	"os"
	"syscall"
)

// detachable reports why a run cannot go on in the background here.
func detachable() error { return nil }

// ownSession lets a process live on when its parent and their terminal end.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

func isPipe(fd int) bool {
	var st syscall.Stat_t
	return syscall.Fstat(fd, &st) == nil && uint32(st.Mode)&syscall.S_IFMT == syscall.S_IFIFO
}

// askToEnd is how a process is asked to stop at a save point.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
