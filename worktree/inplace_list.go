package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stateCheckout is a user's checkout that a run's workers edit.
const stateCheckout = "checkout"

// ListInPlace tells of the checkout in which a run works whose note is in a file,
// as List tells of trees; Worker is empty between two workers. False means that
// the run works in trees of its own, or that the checkout is no longer there.
func ListInPlace(file, commonDir string) (Info, bool, error) {
	n, err := readInPlace(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, false, nil
	}
	if err != nil {
		return Info{}, false, err
	}
	top, err := topOf(filepath.Join(commonDir, n.GitDir))
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, false, nil
	}
	if err != nil {
		return Info{}, false, fmt.Errorf("cannot tell which checkout a run works in: %w", err)
	}
	return Info{Slot: inPlaceSlot, Path: top, Run: n.Run, Worker: n.Worker, State: stateCheckout, Base: n.Base}, true, nil
}

// topOf is the top of the checkout of a git directory: that of a linked worktree
// says where it is, any other is taken to lie in its checkout, else it stands for it.
func topOf(gitDir string) (string, error) {
	if _, err := os.Stat(gitDir); err != nil {
		return "", err
	}
	text, err := readPlain(filepath.Join(gitDir, "gitdir"), maxRefFile)
	if err == nil {
		return filepath.Dir(strings.TrimSpace(string(text))), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if filepath.Base(gitDir) == ".git" {
		return filepath.Dir(gitDir), nil
	}
	return gitDir, nil
}
