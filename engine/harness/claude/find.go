package claude

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"git-flower/worktree/process"
)

// A Version is that of the CLI: 2.1.332.
type Version struct{ Major, Minor, Patch int }

// Oldest is the oldest version that is used: the one that all facts in this
// package were measured with.
var Oldest = Version{2, 1, 332}

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Before says whether v is older than w.
func (v Version) Before(w Version) bool {
	if v.Major != w.Major {
		return v.Major < w.Major
	}
	if v.Minor != w.Minor {
		return v.Minor < w.Minor
	}
	return v.Patch < w.Patch
}

// A CLI is a Claude Code CLI of this machine.
type CLI struct {
	Path    string // absolute
	Version Version
}

var (
	// ErrNoCLI says that there is no program to ask.
	ErrNoCLI = errors.New("the Claude Code CLI is not there")
	// ErrOldCLI says that the CLI is older than Oldest.
	ErrOldCLI = errors.New("the Claude Code CLI is too old")
)

// versionTime is how long the CLI may take to tell its version; it takes a
// fiftieth of a second where nothing else runs.
const versionTime = 20 * time.Second

// Find looks for the CLI and asks its version: of the named program, which is
// absolute, else of "claude" on the PATH. Errors wrap ErrNoCLI or ErrOldCLI where
// these are the reason; the CLI that is too old comes along.
func Find(ctx context.Context, program string) (CLI, error) {
	path, err := locate(program)
	if err != nil {
		return CLI{}, err
	}
	c := CLI{Path: path}
	said, err := versionSaid(ctx, path)
	if err == nil {
		c.Version, err = parseVersion(said)
	}
	if err != nil {
		return CLI{}, fmt.Errorf("ask '%s' for its version: %w", path, err)
	}
	if c.Version.Before(Oldest) {
		return c, fmt.Errorf("%w: '%s' is %v, and %v or newer is needed", ErrOldCLI, path, c.Version, Oldest)
	}
	return c, nil
}

// locate is the program's absolute path.
func locate(program string) (string, error) {
	name := program
	if name == "" {
		name = "claude"
	} else if !filepath.IsAbs(name) {
		return "", fmt.Errorf("%w: '%s' is no absolute path", ErrNoCLI, program)
	}
	path, err := process.Lookup(name)
	switch {
	case err != nil && program == "":
		return "", fmt.Errorf("%w: no 'claude' on the PATH", ErrNoCLI)
	case err != nil:
		return "", fmt.Errorf("%w: '%s' is no program", ErrNoCLI, program)
	}
	return path, nil
}

// versionSaid is what the program prints about its version, away from any project.
func versionSaid(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	p, err := process.Open(ctx, process.Program{Path: path, Args: []string{"--version"}, Dir: os.TempDir(), Env: process.Env("DISABLE_AUTOUPDATER=1")})
	if err != nil {
		return "", err
	}
	defer p.Close()
	defer context.AfterFunc(ctx, func() { _ = p.End() })()
	said, err := io.ReadAll(io.LimitReader(p, 1000))
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("no answer: %w", ctx.Err())
	case err != nil:
		return "", err
	}
	return string(said), nil
}

// parseVersion reads "2.1.332 (Claude Code)".
func parseVersion(said string) (Version, error) {
	line, _, _ := strings.Cut(said, "\n")
	number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	parts := strings.Split(number, ".")
	var v [3]int
	ok := len(parts) == len(v) && rest == "(Claude Code)"
	for i := 0; ok && i < len(v); i++ {
		n, err := strconv.ParseUint(parts[i], 10, 31)
		ok, v[i] = err == nil, int(n)
	}
	if !ok {
		return Version{}, fmt.Errorf("%.60q is not what the Claude Code CLI says", line)
	}
	return Version{v[0], v[1], v[2]}, nil
}
