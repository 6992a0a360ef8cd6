//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

const canDetach = true

// inSession gives a process a session of its own: no terminal whose end or
// Ctrl-C would reach it.
func inSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
