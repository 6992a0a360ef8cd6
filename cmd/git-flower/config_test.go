package main

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"git-flower/gitstate"
)

// configOf builds the settings from the three sources in a form that tables can hold.
func configOf(entries []configEntry, env, options map[string]string) (Config, error) {
	from := func(m map[string]string) func(string) (string, bool) {
		return func(k string) (string, bool) { v, ok := m[k]; return v, ok }
	}
	return newConfig(entries, from(env), from(options))
}

func TestDefaults(t *testing.T) {
	c, err := configOf(nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Rounds != 3 || c.Asks != Unlimited || c.Timeout != 30*time.Minute || c.Budget != 25_000_000 || !c.Goal ||
		c.ClarifyOnly || c.Land || c.Window != 0 || c.Instructions != "" || c.Model != "" || !c.Fsync || len(c.Roles) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestOrderOfSources(t *testing.T) {
	entry := []configEntry{{key: "flower.rounds", value: "4"}, {key: "flower.rounds", value: "5"}}
	env := map[string]string{"GIT_FLOWER_ROUNDS": "6"}
	option := map[string]string{"rounds": "7"}
	for _, c := range []struct {
		entries     []configEntry
		env, option map[string]string
		want        int
	}{
		{nil, nil, nil, 3}, {entry, nil, nil, 5}, {entry, env, nil, 6}, {entry, env, option, 7},
		{nil, nil, option, 7}, {entry, map[string]string{"GIT_FLOWER_ROUNDS": ""}, nil, 5},
	} {
		if got, err := configOf(c.entries, c.env, c.option); got.Rounds != c.want || err != nil {
			t.Errorf("%v %v %v: %d, %v; want %d", c.entries, c.env, c.option, got.Rounds, err, c.want)
		}
	}
}

func TestValuesOfOptions(t *testing.T) {
	for _, c := range []struct {
		option, value string
		right         func(Config) bool
	}{
		{"asks", "0", func(c Config) bool { return c.Asks == 0 }},
		{"asks", "unlimited", func(c Config) bool { return c.Asks == Unlimited }},
		{"timeout", "0", func(c Config) bool { return c.Timeout == 0 }},
		{"timeout", "90", func(c Config) bool { return c.Timeout == 90*time.Second }},
		{"timeout", "1h30m", func(c Config) bool { return c.Timeout == 90*time.Minute }},
		{"budget", "none", func(c Config) bool { return c.Budget == 0 }},
		{"budget", "0.5", func(c Config) bool { return c.Budget == 500_000 }},
		{"budget", "1e-9", func(c Config) bool { return c.Budget == 1 }},
		{"goal", "no", func(c Config) bool { return !c.Goal }},
		{"window", "200000", func(c Config) bool { return c.Window == 200_000 }},
		{"with-changes", "on", func(c Config) bool { return c.WithChanges }},
		{"isolate", "off", func(c Config) bool { return !c.Isolate }},
		{"judge-can-run", "true", func(c Config) bool { return c.JudgeCanRun }},
		{"harness", "messages", func(c Config) bool { return c.Harness == harnessMessages }},
		{"harness", "claude", func(c Config) bool { return c.Harness == harnessClaude }},
		{"handoff", "no", func(c Config) bool { return !c.Handoff }},
		{"model", "a b", func(c Config) bool { return c.Model == "a b" }},
	} {
		got, err := configOf(nil, nil, map[string]string{c.option: c.value})
		if err != nil || !c.right(got) {
			t.Errorf("--%s %s: %+v, %v", c.option, c.value, got, err)
		}
	}
}

func TestSizes(t *testing.T) {
	for value, want := range map[string]int64{"1": 1, "500k": 500 << 10, "10m": 10 << 20, "2G": 2 << 30} {
		got, err := configOf([]configEntry{{key: "flower.snapshotlimit", value: value}}, nil, nil)
		if err != nil || got.SnapshotLimit != want {
			t.Errorf("%s: %d, %v", value, got.SnapshotLimit, err)
		}
	}
}

// A prompt is kept an hour where the endpoint is known to do that, or where the user
// says so.
func TestLongCache(t *testing.T) {
	for _, c := range []struct {
		value, url string
		want       bool
	}{
		{"auto", "", true}, {"auto", "https://api.anthropic.com", true}, {"auto", "https://gateway.example/anthropic", false},
		{"auto", "https://api.anthropic.com.example", false}, {"true", "https://gateway.example", true}, {"false", "", false},
	} {
		config, err := configOf([]configEntry{{key: "flower.longcache", value: c.value}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := (endpoint{credentials: Credentials{BaseURL: c.url}, config: config}).hourCache(); got != c.want {
			t.Errorf("%s with '%s': %v", c.value, c.url, got)
		}
	}
}

// Every setting can be set in all the ways there are, and each beats those below.
func TestEverySettingInEveryWay(t *testing.T) {
	values := map[string][2]string{ // two that differ
		"rounds": {"4", "5"}, "jobs": {"2", "3"}, "asks": {"0", "7"}, "timeout": {"1m", "2m"}, "budget": {"1", "none"}, "goal": {"no", "yes"},
		"clarifyOnly": {"yes", "no"}, "clarifyAgain": {"yes", "no"}, "withChanges": {"yes", "no"}, "isolate": {"no", "yes"}, "land": {"yes", "no"}, "detach": {"yes", "no"}, "window": {"1000", "2000"}, "instructions": {"a", "b"}, "plugin": {"a", "none"},
		"judgeCanRun": {"yes", "no"}, "handoff": {"yes", "no"}, "headroom": {"1000", "60000"}, "harness": {"claude", "messages"}, "claude": {"/a/claude", "claude-2"}, "model": {"a", "b"}, "longCache": {"auto", "yes"},
		"snapshotLimit": {"1k", "2k"}, "fsync": {"no", "yes"}, "setup": {"make deps", "npm ci"}, "fence": {"off", "require"}, "fencePorts": {"80,443", "22"},
	}
	for _, s := range settings() {
		pair, ok := values[strings.TrimPrefix(s.key, "flower.")]
		if !ok {
			t.Errorf("no test of %s", s.key)
			continue
		}
		low := []configEntry{{key: strings.ToLower(s.key), value: pair[1]}}
		high := []configEntry{{key: strings.ToLower(s.key), value: pair[0]}}
		want, err := configOf(high, nil, nil)
		if err != nil {
			t.Error(err)
		}
		var ways []map[string]string // environment, options
		ways = append(ways, map[string]string{s.variable(): pair[0]}, nil)
		if s.long != "" {
			ways = append(ways, map[string]string{s.variable(): pair[1]}, map[string]string{s.long: pair[0]})
		}
		for i := 0; i < len(ways); i += 2 {
			got, err := configOf(low, ways[i], ways[i+1])
			got.Waits, got.IsolateFrom = want.Waits, want.IsolateFrom
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s by %v and %v: %+v, %v", s.key, ways[i], ways[i+1], got, err)
			}
		}
	}
}

func TestWrongValuesNameTheirOrigin(t *testing.T) {
	wrong := map[string][]string{
		"rounds": {"0", "-1", "x", "", "1.5"}, "asks": {"-1", "many", ""}, "timeout": {"-1s", "soon", "-3"},
		"budget": {"0", "-1", "NaN", "inf", "free", ""}, "goal": {"maybe"}, "window": {"0", "-5", "1M"},
		"jobs": {"0", "two"}, "land": {"2"}, "harness": {"Claude", "Messages", ""}, "handoff": {"never"},
	}
	for long, values := range wrong {
		for _, value := range values {
			_, err := configOf(nil, nil, map[string]string{long: value})
			var e *endError
			if !errors.As(err, &e) || e.ending != endFatal || !strings.Contains(err.Error(), "option '--"+long+"'") {
				t.Errorf("--%s %q: %v", long, value, err)
			}
			_, err = configOf([]configEntry{{origin: "file:.git/config", key: "flower." + long, value: value}}, nil, nil)
			if err == nil || !strings.Contains(err.Error(), "flower."+long+" in .git/config") {
				t.Errorf("flower.%s = %q: %v", long, value, err)
			}
		}
	}
	for key, values := range map[string][]string{
		"flower.withChanges": {"perhaps"}, "flower.headroom": {"0", "-1", "20%"}, "flower.judgeCanRun": {"2"}, "flower.snapshotLimit": {"0", "-1", "1t", "m", "", "1.5m", "99999999999g", "10kb"},
	} {
		for _, value := range values {
			_, err := configOf([]configEntry{{origin: "file:.git/config", key: strings.ToLower(key), value: value}}, nil, nil)
			if err == nil || !strings.Contains(err.Error(), strings.ToLower(key)+" in .git/config") {
				t.Errorf("%s = %q: %v", key, value, err)
			}
		}
	}
	_, err := configOf(nil, map[string]string{"GIT_FLOWER_CLARIFY_ONLY": "perhaps"}, nil)
	if err == nil || !strings.Contains(err.Error(), "GIT_FLOWER_CLARIFY_ONLY") {
		t.Errorf("environment: %v", err)
	}
}

func TestConfigurationIsReadThroughGit(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.git("config", "flower.rounds", "5")
	d.git("config", "flower.judge.model", "a\nb")
	d.git("config", "flower.judge.maxTurns", "9")
	d.git("config", "flower.my.worker.effort", "low")
	d.write(".git/included", "[flower]\n\tclarifyOnly\n\tland = off\n")
	d.git("config", "include.path", "included")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "flower.asks")
	t.Setenv("GIT_CONFIG_VALUE_0", "2")
	entries, err := readConfig(t.Context(), d.env.git())
	if err != nil {
		t.Fatal(err)
	}
	c, err := configOf(entries, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Rounds != 5 || !c.ClarifyOnly || c.Land || c.Asks != 2 ||
		c.Roles["judge"] != (RoleConfig{Model: "a\nb", MaxTurns: 9}) || c.Roles["my.worker"].Effort != "low" {
		t.Errorf("%+v", c)
	}
}

func TestNoConfigurationIsNoError(t *testing.T) {
	d := newDesk(t) // not even a repository
	if entries, err := readConfig(t.Context(), d.env.git()); len(entries) > 0 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestBrokenConfigurationIsToldInGitsWords(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.write(".git/config", "[core\n")
	if _, err := readConfig(t.Context(), d.env.git()); err == nil || !strings.Contains(err.Error(), "bad config") {
		t.Errorf("%v", err)
	}
}

func TestSettingsAreWhole(t *testing.T) {
	for _, s := range settings() {
		var c Config
		if err := s.set(&c, s.preset); err != nil {
			t.Errorf("the default of %s is wrong: %v", s.key, err)
		}
		if !strings.HasPrefix(s.key, "flower.") || s.means == "" {
			t.Errorf("%+v", s)
		}
	}
	if got := (setting{key: "flower.clarifyOnly"}).variable(); got != "GIT_FLOWER_CLARIFY_ONLY" {
		t.Errorf("variable %s", got)
	}
}

func TestMoneyIsShown(t *testing.T) {
	for micro, want := range map[gitstate.MicroUSD]string{0: "0.00 USD", 1: "0.0000 USD", 4200: "0.0042 USD", 25_000_000: "25.00 USD"} {
		if got := dollars(micro); got != want {
			t.Errorf("%d: %q, want %q", micro, got, want)
		}
	}
}

// From the command line to the setting, by way of the parser.
func TestOptionsReachTheConfiguration(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.git("config", "flower.rounds", "5")
	d.git("config", "flower.land", "true")
	var got Config
	c := &command{name: "sample", args: -1, options: runOptions(), run: func(ctx context.Context, env *Env, c *call) (err error) {
		got, err = env.Config(ctx, c)
		return err
	}}
	try := func(words ...string) error {
		options, args, err := permute(c, words)
		if err != nil {
			return err
		}
		d.reset()
		line := append(append([]string{"git-flower", c.name}, options...), append([]string{"--"}, args...)...)
		return newApp(d.env, []*command{c}).RunContext(t.Context(), line)
	}
	if err := try("words", "--no-goal", "--budget", "none", "--no-land", "--timeout=0"); err != nil {
		t.Fatal(err)
	}
	if got.Rounds != 5 || got.Goal || got.Land || got.Budget != 0 || got.Timeout != 0 {
		t.Errorf("%+v", got)
	}
	if err := try("--rounds", "7"); err != nil || got.Rounds != 7 || !got.Land || !got.Goal {
		t.Errorf("%+v, %v", got, err)
	}
	if err := try("--rounds", "none"); err == nil || !strings.Contains(err.Error(), "option '--rounds'") {
		t.Errorf("%v", err)
	}
}
