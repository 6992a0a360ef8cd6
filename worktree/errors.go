package worktree

import (
	"errors"
	"fmt"
	"strings"
)

// What keeps Land from landing.
var (
	ErrBare     = errors.New("the repository has no checkout")
	ErrUnborn   = errors.New("the checked-out branch has no commit yet")
	ErrDetached = errors.New("no branch is checked out")
)

// A BranchError is another branch in the checkout than the one to land on.
type BranchError struct{ Want, Have string }

func (e *BranchError) Error() string {
	name := func(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
	return fmt.Sprintf("branch '%s' is checked out, not '%s'", name(e.Have), name(e.Want))
}

// An InProgressError is a command of the user's that stopped on its way.
type InProgressError struct{ Operation string }

func (e *InProgressError) Error() string {
	return fmt.Sprintf("a %s is in progress in the checkout", e.Operation)
}

// An AsideError is a tree that was kept instead of given back.
type AsideError struct {
	Path   string // where its files are now
	Reason string
}

func (e *AsideError) Error() string {
	return fmt.Sprintf("%s; it was moved to '%s'", e.Reason, e.Path)
}

// A DirtyError is a checkout with uncommitted changes.
type DirtyError struct {
	Paths   []string
	Besides bool // other changes than those that are expected there, or some of these are missing
}

func (e *DirtyError) Error() string {
	if e.Besides {
		return fmt.Sprintf("the checkout is not as it was recorded: %s", some(e.Paths))
	}
	return fmt.Sprintf("the checkout has uncommitted changes: %s", some(e.Paths))
}

// A StagedError is content that is in the index alone.
type StagedError struct{ Paths []string }

func (e *StagedError) Error() string {
	return fmt.Sprintf("what is staged is in no file and no commit: %s", some(e.Paths))
}

// An OverwriteError is a checkout with files that git does not keep where the
// merge has files too.
type OverwriteError struct{ Paths []string }

func (e *OverwriteError) Error() string {
	return fmt.Sprintf("files in the checkout would be overwritten: %s", some(e.Paths))
}

// A ConflictError is a merge that needs decisions.
type ConflictError struct{ Paths []string }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("conflicts in %s", some(e.Paths))
}

// some names the first few paths.
func some(paths []string) string {
	const shown = 5
	quoted := make([]string, 0, shown)
	for _, name := range paths[:min(shown, len(paths))] {
		quoted = append(quoted, "'"+quoteName(name)+"'")
	}
	text := strings.Join(quoted, ", ")
	if more := len(paths) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
