package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"git-flower/gitstate"
)

// limited is a history whose request records options "name=value name=value".
func limited(options string) gitstate.History {
	var all []gitstate.Option
	for word := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(word, "=")
		all = append(all, gitstate.Option{Name: name, Value: value})
	}
	return gitstate.History{Name: "odd", Docs: []gitstate.Doc{{Kind: gitstate.KindRequest, Counter: 1, Meta: gitstate.Meta{Options: all}}}}
}

// callOf is a command as it is called with words.
func callOf(t *testing.T, name string, words ...string) *call {
	t.Helper()
	var got *call
	c := *find(commands(), name)
	c.run = func(_ context.Context, _ *Env, called *call) error {
		got = called
		return nil
	}
	options, args, err := permute(&c, words)
	if err == nil {
		words := append(append([]string{"git-flower", name}, options...), append([]string{"--"}, args...)...)
		err = newApp(&Env{Out: io.Discard, Err: io.Discard}, []*command{&c}).RunContext(t.Context(), words)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// What was given on the command line is recorded in its one form; what was not
// given is not.
func TestRecordedOptions(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"", ""},
		{"--rounds 5 --jobs=2 --asks 0 --budget 2.5 --no-goal --clarify-only", "rounds=5 jobs=2 asks=0 budget=2.500000 goal=no clarify-only=yes"},
		{"--budget none --asks unlimited --goal", "asks=unlimited budget=none goal=yes"},
		{"--model x --timeout 5m --window 1000 --instructions f --land", ""},
	} {
		call := callOf(t, "start", strings.Fields(c.given)...)
		config, err := newConfig(nil, func(string) (string, bool) { return "", false }, call.setting)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, o := range call.recorded(config) {
			words = append(words, o.Name+"="+o.Value)
		}
		if got := strings.Join(words, " "); got != c.want {
			t.Errorf("%q: %q", c.given, got)
		}
	}
}

func TestOptionsOnResume(t *testing.T) {
	for _, c := range []struct {
		name, record, kept, given, env, config string
		rounds                                 int
		budget                                 gitstate.MicroUSD
		said                                   string
	}{
		{name: "nothing", rounds: 3, budget: 25_000_000},
		{name: "recorded", record: "rounds=5 budget=2.000000", rounds: 5, budget: 2_000_000},
		{name: "recorded before configured", record: "rounds=5", config: "7", rounds: 5, budget: 25_000_000},
		{name: "recorded before the environment", record: "rounds=5", env: "6", rounds: 5, budget: 25_000_000},
		{name: "given before recorded", record: "rounds=5 budget=2.000000", given: "--rounds 9 --budget 30", rounds: 9, budget: 30_000_000},
		{name: "a larger budget", record: "budget=500.000000", rounds: 3, budget: 25_000_000, said: "500.00 USD"},
		{name: "no limit", record: "budget=none", rounds: 3, budget: 25_000_000, said: "no limit"},
		{name: "a larger one, given", record: "budget=500.000000", given: "--budget 500", rounds: 3, budget: 500_000_000},
		{name: "begun here", record: "rounds=5 budget=500.000000", kept: `{"rounds":"5","budget":"500"}`, rounds: 5, budget: 500_000_000},
		{name: "begun here, nothing given", record: "rounds=5", kept: `{}`, rounds: 3, budget: 25_000_000},
	} {
		d := newDesk(t)
		d.repository()
		if c.config != "" {
			d.git("config", "flower.rounds", c.config)
		}
		t.Setenv("GIT_FLOWER_ROUNDS", c.env)
		if c.kept != "" {
			d.write("local/"+optionsFile, c.kept)
		}
		call := callOf(t, "resume", strings.Fields(c.given)...)
		got, err := d.env.resumedConfig(t.Context(), call, d.env.path("local"), limited(c.record))
		if err != nil || got.Rounds != c.rounds || got.Budget != c.budget {
			t.Errorf("%s: rounds %d, budget %d, %v", c.name, got.Rounds, got.Budget, err)
		}
		if said := d.err.String(); (said == "") != (c.said == "") || !strings.Contains(said, c.said) {
			t.Errorf("%s: said %q", c.name, said)
		}
	}
}
