package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"git-flower/gitstate"
	"git-flower/gitstate/gitcmd"
	"git-flower/worktree/fence"
)

// Unlimited stands in Config.Asks for no limit.
const Unlimited = -1

// A Config holds every setting, checked. Its values come from the option, else
// from the environment, else from git's configuration, else from the default.
type Config struct {
	Rounds       int
	Jobs         int
	Asks         int               // Unlimited, or how many questions may be asked
	Timeout      time.Duration     // zero: nobody is asked
	Waits        bool              // Timeout was given as an option: somebody means to answer
	Budget       gitstate.MicroUSD // zero: no limit
	Goal         bool
	ClarifyOnly  bool
	ClarifyAgain bool
	WithChanges  bool
	Isolate      bool
	IsolateFrom  string // where Isolate was set, in words
	JudgeCanRun  bool
	Land         bool
	Detach       bool
	Window       int64  // tokens; zero: as the model's table says
	Instructions string // a file, as the user wrote it; see Env.path
	Plugin       string // a folder of the repository, or noPack; empty: where one is found
	Model        string // empty: the credentials' or the harness's own
	Harness      harnessName
	LongCache    *bool  // whether prompts may be kept an hour; nil: where the endpoint is known to do that
	Claude       string // the CLI's program, as the user wrote it; empty: on the PATH
	Fsync        bool

	SnapshotLimit int64                 // bytes
	Handoff       bool                  // else the harness compacts
	Headroom      int64                 // tokens; zero: ours
	Setup         string                // command that prepares a worker's new tree
	Fence         fence.Level           // how much what holds commands matters
	FencePorts    []uint16              // TCP ports they may connect to; none: all
	Roles         map[string]RoleConfig // by role's name
}

// A RoleConfig is what flower.<role>.* sets. Empty and zero mean the harness's own.
type RoleConfig struct {
	Model    string
	Effort   string
	MaxTurns int
}

// A configEntry is one value of git's configuration.
type configEntry struct {
	origin string // "file:/home/u/.gitconfig", "command line:"
	key    string // section and last word in lower case, as git prints it
	value  string
	bare   bool // the key stood without "=": true for booleans
}

// configPattern covers our keys and the families of git's that concern us.
const configPattern = `^(flower|advice\.flower)`

// readConfig asks git once, so that files, includes, worktree configuration
// and "git -c" all count.
func readConfig(ctx context.Context, git gitcmd.Git) ([]configEntry, error) {
	out, err := git.Read(ctx, "config", "-z", "--show-origin", "--get-regexp", configPattern)
	if gitcmd.ExitCode(err) == 1 {
		return nil, nil // none is set
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return parseConfig(string(out))
}

func parseConfig(out string) ([]configEntry, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(fields)%2 != 0 {
		return nil, fmt.Errorf("read configuration: git printed %d fields", len(fields))
	}
	var entries []configEntry
	for i := 0; i < len(fields); i += 2 {
		key, value, found := strings.Cut(fields[i+1], "\n")
		entries = append(entries, configEntry{origin: fields[i], key: key, value: value, bare: !found})
	}
	return entries, nil
}

// where names an entry for a message.
func (e configEntry) where() string {
	return fmt.Sprintf("%s in %s", e.key, strings.TrimPrefix(strings.TrimSuffix(e.origin, ":"), "file:"))
}

// newConfig merges all sources. lookup reads the environment; given returns the
// value of an option that stood on the command line.
func newConfig(entries []configEntry, lookup func(string) (string, bool), given func(string) (string, bool)) (Config, error) {
	var c Config
	for _, s := range settings() {
		value, origin := s.preset, "the default of "+s.key
		for _, e := range entries {
			if e.key != strings.ToLower(s.key) {
				continue
			}
			if value, origin = e.value, e.where(); e.bare {
				value = "true"
			}
		}
		if v, ok := lookup(s.variable()); ok && v != "" {
			value, origin = v, "environment variable "+s.variable()
		}
		if v, ok := given(s.long); ok {
			value, origin = v, "option '--"+s.long+"'"
		}
		if s.long == "isolate" {
			c.IsolateFrom = strings.Replace(origin, "--isolate", "--no-isolate", 1)
		}
		if err := s.set(&c, value); err != nil {
			return c, endf(endFatal, `correct it there, or see "git flower help start" for what it takes`, "%s: %w", origin, err)
		}
	}
	_, c.Waits = given("timeout")
	return c, c.readRoles(entries)
}

// readRoles reads flower.<role>.model, .effort and .maxTurns.
func (c *Config) readRoles(entries []configEntry) error {
	c.Roles = map[string]RoleConfig{}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.key, "flower.")
		dot := strings.LastIndex(rest, ".")
		if !ok || dot < 0 {
			continue
		}
		name := rest[:dot]
		role := c.Roles[name]
		switch rest[dot+1:] {
		case "model":
			role.Model = e.value
		case "effort":
			role.Effort = e.value
		case "maxturns":
			n, err := strconv.Atoi(e.value)
			if err != nil || n < 1 {
				return endf(endFatal, "correct it there, or remove it with \"git config --unset\"", "%s: '%s' is not a whole number from 1", e.where(), e.value)
			}
			role.MaxTurns = n
		}
		c.Roles[name] = role
	}
	return nil
}
