package claude

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/proxy"
	"git-flower/worktree/process"
)

// A Config says which CLI is used and what its sessions have in common.
type Config struct {
	// Path is the CLI's program, absolute; see Find.
	Path string
	// Proxy is what the CLI takes for the API. Nil: the CLI talks to the API with
	// a login of its own.
	Proxy *proxy.Proxy
	// Login is added to the environment when there is no Proxy: "KEY=value".
	Login []string
	// Prepare puts into a session's new configuration folder what a login needs;
	// nil when there is a Proxy.
	Prepare func(config string) error

	Transcript harness.Transcript
	Model      string          // for sessions that name none; empty: harness.DefaultModel
	Models     []harness.Model // take precedence over the table

	// HourCache says that the API keeps prompts an hour when it is asked to; sessions
	// with harness.Options.LongWaits then ask.
	HourCache bool

	// Folder is where a session's process has its configuration and temporary
	// files: a folder of its own, which is emptied and removed.
	Folder func(session string) string

	// Silence is how long the CLI may do nothing at all in a turn: neither say
	// anything nor have a request or a call of ours under way. Zero: 15 minutes,
	// which is more than its own Bash allows a command.
	Silence time.Duration

	Now func() time.Time // nil: time.Now
}

const defaultSilence = 15 * time.Minute

// A Harness runs sessions in the Claude Code CLI.
type Harness struct {
	c    Config
	open func(context.Context, process.Program) (peer, error)
}

// New makes a harness. It checks the configuration and starts nothing.
func New(c Config) (*Harness, error) {
	switch {
	case !filepath.IsAbs(c.Path):
		return nil, fmt.Errorf("configure harness 'claude': the program '%s' is not an absolute path", c.Path)
	case c.Transcript == nil:
		return nil, errors.New("configure harness 'claude': no transcript store")
	case c.Folder == nil:
		return nil, errors.New("configure harness 'claude': no folder for sessions")
	}
	if c.Model == "" {
		c.Model = harness.DefaultModel
	}
	if c.Silence <= 0 {
		c.Silence = defaultSilence
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Harness{c: c, open: openPeer}, nil
}

func openPeer(ctx context.Context, p process.Program) (peer, error) {
	opened, err := process.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// Name is "claude".
func (h *Harness) Name() string { return "claude" }

// Tools are those of the CLI's that roles may have.
func (h *Harness) Tools() []string { return slices.Clone(builtin[:]) }
