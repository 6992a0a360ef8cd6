//go:build !linux && !darwin

package fence

import (
	"context"
	"errors"
	"syscall"
)

// Main does nothing: there is no second mode on this system.
func Main() {}

// Probe finds nothing: no fence is known on this system.
func Probe(context.Context) Means {
	return Means{NoNamespaces: "this system has none"}
}

// Wrap is refused: nothing holds a policy on this system.
func (p Policy) Wrap([]string) (*Launch, error) {
	return nil, errors.New("there is no fence on this system")
}

// Attr adds nothing.
func (p Policy) Attr(*syscall.SysProcAttr) {}
