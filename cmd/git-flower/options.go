package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"git-flower/gitstate"
	"git-flower/worktree/fence"
)

// A setting is a thing a user can set in four ways: option, environment,
// configuration, default. The option is the part of it that the parser and the
// help read.
type setting struct {
	option        // without a long name there is no option
	key    string // "flower.rounds"
	preset string // its default, in the form in which a user writes it
	means  string // for the manual
	set    func(*Config, string) error
}

// variable is the environment's name of a setting: GIT_FLOWER_CLARIFY_ONLY for
// flower.clarifyOnly.
func (s setting) variable() string {
	var b strings.Builder
	for _, r := range strings.TrimPrefix(s.key, "flower.") {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return "GIT_FLOWER_" + strings.ToUpper(b.String())
}

// settings declares everything that can be set, once. A new setting is a row
// here, a field of Config, and its paragraph in the manual.
func settings() []setting {
	return []setting{
		{option{long: "rounds", value: "<n>", text: "judge at most <n> rounds before giving up (default 3)"},
			"flower.rounds", "3", "judged rounds of work before a run gives up, in all",
			whole(func(c *Config) *int { return &c.Rounds }, 1)},
		{option{long: "jobs", value: "<n>", text: "let at most <n> workers work side by side (default 4)"},
			"flower.jobs", "4", "workers of a run that work side by side",
			whole(func(c *Config) *int { return &c.Jobs }, 1)},
		{option{long: "asks", value: "<n>|unlimited", text: "let the agents ask at most <n> questions"},
			"flower.asks", "unlimited", "questions that the agents may ask; 0 means none",
			func(c *Config, v string) error { return parseAsks(&c.Asks, v) }},
		{option{long: "timeout", value: "<duration>", text: "wait so long for answers; 0 asks nobody (default 30m)"},
			"flower.timeout", "30m", "how long a question waits for its answer; 0 is the automatic mode",
			func(c *Config, v string) error { return parseWait(&c.Timeout, v) }},
		{option{long: "budget", value: "<usd>|none", text: "spend at most so much on the whole run (default 25)"},
			"flower.budget", "25", "US dollars that a run may cost in all, over all its wakes and machines",
			func(c *Config, v string) error { return parseBudget(&c.Budget, v) }},
		{option{long: "goal", no: true, text: "set a goal and have every round judged (default)"},
			"flower.goal", "true", "whether a goal is set and judged",
			truth(func(c *Config) *bool { return &c.Goal })},
		{option{long: "clarify-only", no: true, text: "stop when the brief is written"},
			"flower.clarifyOnly", "false", "whether a run stops when its brief is written",
			truth(func(c *Config) *bool { return &c.ClarifyOnly })},
		{option{long: "clarify-again", no: true, text: "have the request of an older run clarified again"},
			"flower.clarifyAgain", "false", "whether resuming with new words has the request clarified again",
			truth(func(c *Config) *bool { return &c.ClarifyAgain })},
		{option{long: "with-changes", no: true, text: "begin with the uncommitted changes of the checkout"},
			"flower.withChanges", "false", "whether a run begins with the uncommitted changes of the checkout",
			truth(func(c *Config) *bool { return &c.WithChanges })},
		{option{long: "isolate", no: true, text: "give workers trees of their own, not the checkout (default)"},
			"flower.isolate", "true", "whether workers have trees of their own; without, they edit the checkout itself, one at a time",
			truth(func(c *Config) *bool { return &c.Isolate })},
		{option{long: "land", no: true, text: "merge the result of a reached goal into the branch"},
			"flower.land", "false", "whether a reached goal is merged into the checked-out branch at once",
			truth(func(c *Config) *bool { return &c.Land })},
		{option{long: "detach", no: true, text: "go on in the background, without a terminal"},
			"flower.detach", "false", "whether a run goes on in the background once its first record is made",
			truth(func(c *Config) *bool { return &c.Detach })},
		{option{long: "window", value: "<tokens>", text: "the model's context window, where it is not known"},
			"flower.window", "", "tokens of the model's context window; needed for models that are not in our table",
			tokens(func(c *Config) *int64 { return &c.Window })},
		{option{long: "instructions", value: "<file>", text: "add the file's text to the rules of every role"},
			"flower.instructions", "", "a file whose text is added to the rules of every role",
			words(func(c *Config) *string { return &c.Instructions })},
		{option{long: "plugin", value: "<folder>", text: "give workers the pack in <folder>, or none"},
			"flower.plugin", "", "the folder of the repository that holds its pack; without it plugin or .flower/plugin, where there is one",
			words(func(c *Config) *string { return &c.Plugin })},
		{option{long: "judge-can-run", no: true, text: "give a round's judge a shell in its throw-away tree"},
			"flower.judgeCanRun", "false", "whether the judge of a round has a shell in its throw-away tree",
			truth(func(c *Config) *bool { return &c.JudgeCanRun })},
		{option{long: "handoff", no: true, text: "a full session hands over to a fresh one (default)"},
			"flower.handoff", "true", "whether a session with a full context hands over to a fresh one; without, the Claude Code CLI compacts it",
			truth(func(c *Config) *bool { return &c.Handoff })},
		{option{}, "flower.headroom", "", "tokens of the window that are kept free for a handoff; empty: a quarter, 50000 at least",
			tokens(func(c *Config) *int64 { return &c.Headroom })},
		{option{long: "harness", value: "auto|claude|messages", text: "what runs the sessions (default auto)"},
			"flower.harness", "auto", "what runs the sessions: claude is the Claude Code CLI, messages our own loop on the Messages API, auto the first of them that is there",
			func(c *Config, v string) (err error) { c.Harness, err = parseHarness(v); return err }},
		{option{}, "flower.claude", "", "the program of the Claude Code CLI; without it, claude on the PATH",
			words(func(c *Config) *string { return &c.Claude })},
		{option{long: "model", value: "<name>", text: "the model, before the one that comes with the key"},
			"flower.model", "", "the model of every role that has none of its own",
			words(func(c *Config) *string { return &c.Model })},
		{option{}, "flower.longCache", "auto", "whether the coordinator's prompt is kept in the API's cache for an hour, not five minutes; auto where the endpoint is Anthropic's own",
			func(c *Config, v string) error { return parseAuto(&c.LongCache, v) }},
		{option{}, "flower.snapshotLimit", "10m", "size over which a new file is listed instead of kept with unfinished work or changes",
			func(c *Config, v string) error { return parseSize(&c.SnapshotLimit, v) }},
		{option{}, "flower.setup", "", "a command that prepares each new tree of a worker once",
			words(func(c *Config) *string { return &c.Setup })},
		{option{long: "fence", value: "auto|require|off", text: "hold workers' commands to their trees (default auto)"},
			"flower.fence", "auto", "whether workers' commands are held to their trees by the system",
			func(c *Config, v string) (err error) { c.Fence, err = fence.ParseLevel(v); return err }},
		{option{}, "flower.fencePorts", "", "the TCP ports that workers' commands may connect to, with commas between them; none means all",
			func(c *Config, v string) error { return parsePorts(&c.FencePorts, v) }},
		{option{}, "flower.fsync", "true", "whether a record is on disk before a run goes on; off is for benchmarks only",
			truth(func(c *Config) *bool { return &c.Fsync })},
	}
}

// settingOptions returns the options of settings, in the order of names. Asking
// for one that does not exist is a mistake in our source.
func settingOptions(names ...string) []option {
	var found []option
	for _, name := range names {
		for _, s := range settings() {
			if s.long == name {
				found = append(found, s.option)
			}
		}
	}
	if len(found) != len(names) {
		panic(fmt.Sprintf("no such settings: %q", names))
	}
	return found
}

// Options that several commands share and that are not settings.

func jsonOption() option {
	return option{long: "json", text: "print JSON, one object per line"}
}

func porcelainOptions() []option {
	return []option{
		{long: "porcelain", text: "print in a stable form for scripts"},
		{long: "null", short: "z", text: "end lines with NUL (implies --porcelain)"},
	}
}

func pagerOption() option {
	return option{long: "pager", no: true, text: "page on a terminal (default)"}
}

func rehearsedOption() option {
	return option{long: "rehearsed", text: "allow a run that a scripted model made"}
}

// runOptions are those of 'start' and, but for new, of 'resume'.
func runOptions() []option {
	return append(settingOptions("rounds", "jobs", "asks", "timeout", "budget", "goal", "clarify-only", "clarify-again", "land", "detach", "window", "instructions", "judge-can-run", "fence", "handoff", "harness", "model"),
		option{long: "rehearse", value: "<script>", maybe: true, text: "play a scripted model, ours or <script>; needs no key"},
		jsonOption())
}

func whole(field func(*Config) *int, least int) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < least {
			return fmt.Errorf("'%s' is not a whole number from %d", v, least)
		}
		*field(c) = n
		return nil
	}
}

func words(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error { *field(c) = v; return nil }
}

func truth(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, v string) error {
		on, err := parseBool(v)
		if err == nil {
			*field(c) = on
		}
		return err
	}
}

// parseAuto takes "auto" too: what suits the endpoint.
func parseAuto(to **bool, v string) error {
	if *to = nil; v == "auto" {
		return nil
	}
	on, err := parseBool(v)
	if err != nil {
		return fmt.Errorf("'%s' is none of auto, true and false", v)
	}
	*to = &on
	return nil
}

// parseBool knows git's words for true and false.
func parseBool(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0", "":
		return false, nil
	}
	return false, fmt.Errorf("'%s' is neither true nor false", v)
}

func parseAsks(to *int, v string) error {
	if v == "unlimited" {
		*to = Unlimited
		return nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return fmt.Errorf("'%s' is neither a whole number nor 'unlimited'", v)
	}
	*to = n
	return nil
}

// parseWait reads Go's durations ("90s", "1h30m") and plain seconds.
func parseWait(to *time.Duration, v string) error {
	d, err := time.ParseDuration(v)
	if n, bad := strconv.ParseInt(v, 10, 32); bad == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < 0 {
		return fmt.Errorf("'%s' is not a duration such as 90s or 30m", v)
	}
	*to = d
	return nil
}

// parseBudget reads dollars, or "none", into millionths of a dollar; zero in
// Config means no limit, so that zero dollars are refused.
func parseBudget(to *gitstate.MicroUSD, v string) error {
	if v == "none" {
		*to = 0
		return nil
	}
	usd, err := strconv.ParseFloat(v, 64)
	if err != nil || !(usd > 0) || usd > 1e9 {
		return fmt.Errorf("'%s' is neither a sum in US dollars nor 'none'", v)
	}
	*to = max(1, gitstate.MicroUSD(math.Round(usd*1e6)))
	return nil
}

// parseSize reads git's sizes: bytes, or a number with k, m or g.
func parseSize(to *int64, v string) error {
	digits := strings.TrimRight(strings.ToLower(v), "kmg")
	n, err := strconv.ParseInt(digits, 10, 32)
	unit, known := map[string]int64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[strings.ToLower(v[len(digits):])]
	if err != nil || !known || n < 1 {
		return fmt.Errorf("'%s' is not a size such as 500k or 10m", v)
	}
	*to = n * unit
	return nil
}

// tokens reads a number of tokens; nothing leaves it to us.
func tokens(field func(*Config) *int64) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if v != "" && (err != nil || n <= 0) {
			return fmt.Errorf("'%s' is not a number of tokens", v)
		}
		*field(c) = n
		return nil
	}
}
