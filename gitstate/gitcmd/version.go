package gitcmd

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// A Version of git, "2.39.5".
type Version struct{ Major, Minor, Patch int }

// Oldest is the oldest git that works: what is newer and used has a fall-back.
var Oldest = Version{Major: 2, Minor: 34}

// ErrNoGit means that there is no git to run.
var ErrNoGit = errors.New("git is not on PATH")

// A TooOldError is a git older than Oldest.
type TooOldError struct{ Found Version }

func (e *TooOldError) Error() string {
	return fmt.Sprintf("git %v is too old, %d.%d or newer is needed", e.Found, Oldest.Major, Oldest.Minor)
}

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// CheckVersion asks git for its version and refuses one that is too old.
func (g Git) CheckVersion(ctx context.Context) (Version, error) {
	line, err := g.Line(ctx, "version")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Version{}, fmt.Errorf("%w: %w", ErrNoGit, err)
	case err != nil:
		return Version{}, err
	}
	v, err := ParseVersion(line)
	if err != nil {
		return v, err
	}
	if !v.AtLeast(Oldest.Major, Oldest.Minor) {
		return v, &TooOldError{Found: v}
	}
	return v, nil
}

// ParseVersion reads what 'git version' prints. Vendors append words and
// further numbers, which do not count.
func ParseVersion(line string) (Version, error) {
	rest, ok := strings.CutPrefix(line, "git version ")
	if !ok {
		return Version{}, fmt.Errorf("cannot read git's version %q", line)
	}
	parts := strings.SplitN(rest, ".", 4)
	var n [3]int
	for i := range min(len(parts), len(n)) {
		digits := len(parts[i]) - len(strings.TrimLeft(parts[i], "0123456789"))
		value, err := strconv.Atoi(parts[i][:digits])
		if err == nil {
			n[i] = value
		} else if i < 2 {
			return Version{}, fmt.Errorf("cannot read git's version %q", line)
		}
	}
	if len(parts) < 2 {
		return Version{}, fmt.Errorf("cannot read git's version %q", line)
	}
	return Version{n[0], n[1], n[2]}, nil
}
