package claude

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-flower/engine/harness"
)

// server is what our MCP server is called; its tools are mcp__flower__<name>.
const server = "flower"

const toolPrefix = "mcp__" + server + "__"

// carryOn is said to the CLI when a turn that was broken off is carried on: it
// has no other way to go on without words.
const carryOn = "[git flower] Carry on: the connection broke off, and nothing was said meanwhile."

// builtin are the tools of the CLI that roles may have, by the names that we
// know them by. What is not here is not offered.
var builtin = [...]string{"Bash", "Read", "Edit", "Write", "Glob", "Grep", "WebFetch", "WebSearch", "Agent", "NotebookEdit", "Skill"}

// settings are what the CLI is set to besides its options: no trailers in
// commits, no git state in the prompt, no question to a server about addresses
// that are about to be fetched.
type settings struct {
	Attribution struct {
		Commit string `json:"commit"`
		PR     string `json:"pr"`
	} `json:"attribution"`
	GitInstructions bool        `json:"includeGitInstructions"`
	SkipPreflight   bool        `json:"skipWebFetchPreflight"`
	AutoCompact     bool        `json:"autoCompactEnabled"`
	Permissions     permissions `json:"permissions"`
	// Env is what commands see otherwise than the CLI itself.
	Env map[string]string `json:"env"`
}

type permissions struct {
	Deny []string `json:"deny"`
}

// withheld are the files that the CLI's searches leave out: it reads, searches
// and lists by itself, and asks us about the folder only.
func withheld(o harness.Options) permissions {
	p := permissions{Deny: []string{}}
	if o.Withheld != nil {
		for _, pattern := range o.Withheld() {
			p.Deny = append(p.Deny, "Read("+pattern+")")
		}
	}
	return p
}

// arguments are the CLI's, for a session that begins or is resumed.
func arguments(o harness.Options, model string, resumed bool) ([]string, error) {
	set, err := json.Marshal(settings{SkipPreflight: true, AutoCompact: o.Compact, Permissions: withheld(o), Env: map[string]string{cacheHome: valueOf(o.Env, cacheHome)}})
	if err != nil {
		return nil, err
	}
	args := []string{
		"--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
		"--setting-sources=", "--strict-mcp-config", "--settings", string(set),
		"--permission-mode", "bypassPermissions", "--permission-prompt-tool", "stdio",
		"--system-prompt-snapshot", "off", "--session-mirror",
		"--tools", strings.Join(offered(o.Tools), ","), "--model", model,
	}
	if slices.Contains(o.Tools, "Skill") {
		for _, dir := range o.Plugins {
			args = append(args, "--plugin-dir", dir)
		}
	}
	if o.Effort != "" {
		args = append(args, "--effort", o.Effort)
	}
	if o.Compact && o.Window >= leastCompacting {
		args = append(args, "--autocompact", strconv.FormatInt(o.Window, 10))
	}
	if o.MaxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(o.MaxTurns))
	}
	if resumed {
		return append(args, "--resume="+o.Session), nil
	}
	return append(args, "--session-id="+o.Session), nil
}

// leastCompacting is the least window that the CLI takes for its compaction
// (2.1.332; a smaller number is refused, or taken for thousands). In a smaller one it
// compacts when the endpoint refuses a prompt.
const leastCompacting = 100_000

// offered are the tools that the CLI has of those that are wanted.
func offered(tools []string) []string {
	var have []string
	for _, t := range tools {
		if slices.Contains(builtin[:], t) {
			have = append(have, t)
		}
	}
	return have
}

// cacheHome is where the CLI logs the calls of our tools: in the folder of its
// process. Commands keep the user's; empty means the same as not set.
const cacheHome = "XDG_CACHE_HOME"

// valueOf is a variable's value; the last one counts.
func valueOf(env []string, name string) (value string) {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			value = v
		}
	}
	return value
}

// folders are those of one process: its configuration and its temporary files.
type folders struct{ root, config, temp string }

func foldersIn(root string) folders {
	return folders{root: root, config: filepath.Join(root, "config"), temp: filepath.Join(root, "tmp")}
}

// environment is what the process gets: the caller's, without what would lead
// it elsewhere, and ours.
func environment(o harness.Options, f folders, c Config, key string) []string {
	var env []string
	for _, kv := range o.Env {
		if name, _, _ := strings.Cut(kv, "="); !leads(name) {
			env = append(env, kv)
		}
	}
	env = append(env,
		"CLAUDE_CONFIG_DIR="+f.config, "TMPDIR="+f.temp, cacheHome+"="+f.temp,
		"CLAUDE_CODE_ENTRYPOINT=sdk-go",
		"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1",
		"CLAUDE_CODE_DISABLE_CRON=1", "CLAUDE_CODE_DISABLE_WORKFLOWS=1", "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS=1",
		"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1", "ENABLE_TOOL_SEARCH=false",
	)
	if !o.Compact {
		env = append(env, "DISABLE_AUTO_COMPACT=1")
	}
	if o.LongWaits && c.HourCache {
		env = append(env, "ENABLE_PROMPT_CACHING_1H=1")
	}
	if os.Geteuid() == 0 {
		env = append(env, "IS_SANDBOX=1") // it refuses to work for root otherwise
	}
	env = append(env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.FormatInt(maxOutput(o, c), 10))
	if c.Proxy == nil {
		return append(append(env, "CLAUDE_CODE_MAX_RETRIES=1"), c.Login...)
	}
	// The proxy holds an answer back until it is whole, and the gate may hold a
	// request for as long as it likes.
	return append(env, "ANTHROPIC_BASE_URL="+c.Proxy.URL(), "ANTHROPIC_API_KEY="+key,
		"CLAUDE_CODE_MAX_RETRIES=0", "API_TIMEOUT_MS=86400000", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
}

// leads says of a variable that it would tie the process to another endpoint,
// another configuration, or a session that surrounds us.
func leads(name string) bool {
	for _, p := range []string{"ANTHROPIC_", "CLAUDE", "AWS_BEARER_TOKEN_BEDROCK", "MCP_", "DISABLE_AUTO_COMPACT", "DISABLE_COMPACT", "ENABLE_PROMPT_CACHING_1H", "API_TIMEOUT_MS"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// defaultMaxOutput limits an answer where nobody else does, in tokens, as our
// other harness does: the purse reserves what the longest answer costs, and the
// CLI's own limit is four times as much.
const defaultMaxOutput = 32_000

func maxOutput(o harness.Options, c Config) int64 {
	limit := int64(defaultMaxOutput)
	if m, ok := harness.Find(cmp.Or(o.Model, c.Model), c.Models); ok && m.MaxOutput > 0 {
		limit = min(limit, m.MaxOutput)
	}
	if o.MaxOutput > 0 {
		limit = min(limit, o.MaxOutput)
	}
	return limit
}
