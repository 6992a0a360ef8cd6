//go:build !unix

package gitcmd

import "os/exec"

// detach: without process groups the child is ended the only way there is.
func detach(*exec.Cmd) {}
