package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"git-flower/gitstate"
)

// optionsFile keeps the options a run was started with, so that resuming it
// does not surprise: a budget of five dollars stays one.
const optionsFile = "options.json"

// notKept are settings without an option, one wish, where a run goes on, which is
// not the run's, and what the run remembers otherwise; see inPlaceFile.
var notKept = []string{"", "clarify-again", "detach", "isolate"}

// keepOptions writes down which settings were given on the command line.
func keepOptions(dir string, c *call) error {
	kept := map[string]string{}
	for _, s := range settings() {
		if slices.Contains(notKept, s.long) {
			continue
		}
		if v, ok := c.setting(s.long); ok {
			kept[s.long] = v
		}
	}
	data, err := json.Marshal(kept)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, optionsFile), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep the run's options: %w", err)
	}
	return nil
}

// keptOptions reads them; a run from another machine has none.
func keptOptions(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, optionsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	kept := map[string]string{}
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's options: %w", err)
	}
	return kept, nil
}

// recorded are the limits that were given on the command line, in the form in
// which the run's request keeps them.
func (c *call) recorded(config Config) []gitstate.Option {
	yes := map[bool]string{true: "yes", false: "no"}
	asks, budget := strconv.Itoa(config.Asks), fmt.Sprintf("%d.%06d", config.Budget/1e6, config.Budget%1e6)
	if config.Asks == Unlimited {
		asks = "unlimited"
	}
	if config.Budget == 0 {
		budget = "none"
	}
	var given []gitstate.Option
	for _, o := range []gitstate.Option{
		{Name: "rounds", Value: strconv.Itoa(config.Rounds)}, {Name: "jobs", Value: strconv.Itoa(config.Jobs)},
		{Name: "asks", Value: asks}, {Name: "budget", Value: budget},
		{Name: "goal", Value: yes[config.Goal]}, {Name: "clarify-only", Value: yes[config.ClarifyOnly]},
	} {
		if _, ok := c.setting(o.Name); ok {
			given = append(given, o)
		}
	}
	if !config.Isolate {
		given = append(given, gitstate.Option{Name: "isolate", Value: "no"})
	}
	return given
}

// begunWith are the limits that a run's request records, "" for none of them.
func begunWith(h gitstate.History) map[string]string {
	request, _ := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindRequest })
	limits := map[string]string{}
	for _, o := range request.Meta.Options {
		limits[o.Name] = o.Value
	}
	return limits
}

// resumedConfig is the configuration with what the run was begun with below the
// options of this command. Where another machine began it that is what its first
// record says, and the budget there never raises the one that holds here.
func (e *Env) resumedConfig(ctx context.Context, c *call, dir string, h gitstate.History) (Config, error) {
	kept, err := keptOptions(dir)
	if err != nil {
		return Config{}, err
	}
	entries, err := e.entries(ctx)
	if err != nil {
		return Config{}, err
	}
	elsewhere := kept == nil
	if elsewhere {
		kept = begunWith(h)
		delete(kept, "isolate")
		delete(kept, "plugin")
	}
	budget := kept["budget"]
	if elsewhere {
		delete(kept, "budget")
	}
	config, err := newConfig(entries, e.lookup, func(long string) (string, bool) {
		if v, ok := c.setting(long); ok {
			return v, true
		}
		v, ok := kept[long]
		return v, ok
	})
	if _, given := c.setting("budget"); err == nil && elsewhere && !given && budget != "" {
		err = e.lowerBudget(&config, budget)
	}
	return config, err
}

// lowerBudget takes over a budget that came with a run, if it is the smaller one.
func (e *Env) lowerBudget(c *Config, recorded string) error {
	var begun gitstate.MicroUSD
	if err := parseBudget(&begun, recorded); err != nil {
		return fmt.Errorf("the budget that the run records: %w", err)
	}
	if begun != 0 && (c.Budget == 0 || begun < c.Budget) {
		c.Budget = begun
		return nil
	}
	if begun != c.Budget {
		say(e.Err, "note", fmt.Sprintf("the run was begun with a budget of %s; here %s counts, unless --budget says otherwise", budgetWords(begun), budgetWords(c.Budget)))
	}
	return nil
}
