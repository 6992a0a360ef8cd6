package messages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"git-flower/engine/harness"
	"git-flower/engine/harness/wire"
	"git-flower/worktree/process"
)

// A Config says where the API is and what sessions have in common.
type Config struct {
	BaseURL   string // of the API, with a path if a gateway needs one; empty: https://api.anthropic.com
	APIKey    string // sent as x-api-key
	AuthToken string // sent as Authorization: Bearer; exclusive with APIKey
	Model     string // for sessions that name none; empty: harness.DefaultModel

	Transcript harness.Transcript
	Models     []harness.Model // take precedence over the table

	// HourCache says that the API keeps prompts an hour when it is asked to; sessions
	// with harness.Options.LongWaits then ask.
	HourCache bool
	// MaxOutput limits one answer, in tokens; zero means 32,000. A model's own
	// limit is never exceeded, and one we know nothing about gets 8,192.
	MaxOutput int64
	// Stall is how long the API may send nothing but pings; zero means 10 minutes.
	Stall time.Duration

	// GitState describes a directory's repository in a few lines for the system
	// prompt, when a session starts. Nil leaves it out.
	GitState func(ctx context.Context, dir string) string

	UserAgent  string                                                         // empty: "git-flower"
	HTTPClient *http.Client                                                   // nil: one of our own
	Now        func() time.Time                                               // nil: time.Now
	Shell      func(context.Context, process.Command) (process.Result, error) // nil: process.Run

	// Background starts commands that outlive their call. Nil: process.Start, but
	// when Shell is given there are none, so that they cannot get around it.
	Background func(context.Context, process.Command) (*process.Running, error)

	// WebAddress says which addresses WebFetch may connect to; it is asked for
	// the address itself, after a name was resolved. Nil: the public internet.
	WebAddress func(netip.Addr) bool
}

const (
	defaultMaxOutput = 32_000
	unknownMaxOutput = 8_192
	defaultStall     = 10 * time.Minute
)

// A Harness runs sessions on the Messages API.
type Harness struct {
	c      Config
	faults wire.Faults
	client anthropic.Client
}

// New makes a harness. It checks the configuration and connects to nothing.
func New(c Config) (*Harness, error) {
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("configure harness 'messages': %w", err)
	}
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithMaxRetries(0),
		option.WithHTTPClient(wire.Bounded(c.HTTPClient)),
		option.WithHeader("User-Agent", c.UserAgent),
	}
	if c.BaseURL != "" {
		options = append(options, option.WithBaseURL(c.BaseURL))
	}
	// The SDK would send a key as a bearer token, which gateways do not read.
	if c.APIKey != "" {
		options = append(options, option.WithHeader("x-api-key", c.APIKey))
	}
	if c.AuthToken != "" {
		options = append(options, option.WithHeader("Authorization", "Bearer "+c.AuthToken))
	}
	faults := wire.Faults{Secrets: []string{c.APIKey, c.AuthToken}, Now: c.Now}
	return &Harness{c: c, faults: faults, client: anthropic.NewClient(options...)}, nil
}

// complete checks the configuration and fills in what was left to us.
func (c *Config) complete() error {
	switch {
	case c.Transcript == nil:
		return errors.New("no transcript store")
	case c.APIKey != "" && c.AuthToken != "":
		return errors.New("both a key and a token were given")
	}
	if err := wire.CheckBaseURL(c.BaseURL); err != nil {
		return err
	}
	if c.Model == "" {
		c.Model = harness.DefaultModel
	}
	if c.MaxOutput <= 0 {
		c.MaxOutput = defaultMaxOutput
	}
	if c.Stall <= 0 {
		c.Stall = defaultStall
	}
	if c.UserAgent == "" {
		c.UserAgent = "git-flower"
	}
	if c.HTTPClient == nil {
		c.HTTPClient = wire.NewHTTPClient()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.WebAddress == nil {
		c.WebAddress = publicAddress
	}
	if c.Shell == nil && c.Background == nil {
		c.Background = process.Start
	}
	if c.Shell == nil {
		c.Shell = process.Run
	}
	return nil
}

// Name is "messages".
func (h *Harness) Name() string { return "messages" }

// Tools are those of this package; some need a part of the configuration besides.
func (h *Harness) Tools() []string {
	return []string{"Read", "Write", "Edit", "Bash", "BashOutput", "KillShell", "Glob", "Grep", "WebFetch", "TodoWrite", "Skill"}
}
