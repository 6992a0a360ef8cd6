//go:build !unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// detachable reports why a run cannot go on in the background here.
func detachable() error { return errors.New("this system has no sessions for processes to live on in") }

func ownSession() *syscall.SysProcAttr { return nil }

func closeOnExec(int) {}

func isPipe(int) bool { return false }

func askToEnd(p *os.Process) error { return p.Kill() }
