//go:build !linux && !darwin

package worktree

import "errors"

// roomIn cannot tell here; that there is no room is found when it is used up.
func roomIn(string) (Room, error) { return Room{}, errors.ErrUnsupported }
