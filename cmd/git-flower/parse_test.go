package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sample is a command with every sort of option.
func sample(run func(context.Context, *Env, *call) error) *command {
	return &command{name: "sample", synopsis: []string{"[<options>] <word>..."}, args: -1, exits: exits(),
		options: []option{
			{long: "rounds", short: "r", value: "<n>"},
			{long: "file", short: "F", value: "<file>"},
			{long: "quiet", short: "q"},
			{long: "land", short: "l", no: true},
			{long: "rehearse", value: "<script>", maybe: true},
		}, run: run}
}

func TestPermute(t *testing.T) {
	for _, c := range []struct{ words, options, args string }{
		{"", "", ""},
		{"a b", "", "a b"},
		{"a --rounds 3 b", "--rounds=3", "a b"},
		{"a b --rounds=3", "--rounds=3", "a b"},
		{"--quiet a --land", "--quiet=true --land=true", "a"},
		{"a --no-land", "--land=false", "a"},
		{"--land --no-land", "--land=true --land=false", ""},
		{"-q a -r 3", "--quiet=true --rounds=3", "a"},
		{"-r3 a", "--rounds=3", "a"},
		{"-qlr3 a", "--quiet=true --land=true --rounds=3", "a"},
		{"-qr 3 a", "--quiet=true --rounds=3", "a"},
		{"-F - a", "--file=-", "a"},
		{"a - b", "", "a - b"},
		{"a -- --rounds -q", "", "a --rounds -q"},
		{"--quiet -- -- a", "--quiet=true", "-- a"},
		{"--rounds -1", "--rounds=-1", ""},
		{"--rounds= a", "--rounds=", "a"},
		{"--rounds --quiet", "--rounds=--quiet", ""},
		{"--rehearse a", "--rehearse=", "a"},
		{"a --rehearse=b c", "--rehearse=b", "a c"},
	} {
		options, args, err := permute(sample(nil), strings.Fields(c.words))
		if err != nil || strings.Join(options, " ") != c.options || strings.Join(args, " ") != c.args {
			t.Errorf("%q: options %q, arguments %q, %v; want %q and %q", c.words, options, args, err, c.options, c.args)
		}
	}
}

func TestPermuteRefuses(t *testing.T) {
	for words, want := range map[string]string{
		"--round 3":      "did you mean '--rounds'",
		"--no-quiet":     "unknown option",
		"--no-rounds":    "unknown option",
		"a -x":           "unknown switch '-x'",
		"-qx":            "unknown switch '-x'",
		"--rounds":       "requires a value",
		"-r":             "requires a value",
		"--quiet=yes":    "takes no value",
		"--no-land=yes":  "takes no value",
		"---quiet":       "unknown option",
		"--completely=1": "unknown option",
	} {
		_, _, err := permute(sample(nil), strings.Fields(words))
		var e *endError
		if !errors.As(err, &e) || e.ending != endUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a usage error with %q", words, err, want)
		}
	}
}

func TestPermuteAsksForHelp(t *testing.T) {
	for words, want := range map[string]error{
		"-h": errHelp, "a -h": errHelp, "-qh": errHelp, "--help": errManual, "a --help": errManual,
		"-- -h": nil, "-F -h": nil, "-- --help": nil,
	} {
		if _, _, err := permute(sample(nil), strings.Fields(words)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", words, err, want)
		}
	}
}

// Whatever stands where, the command gets the same options and, in their
// order, the same arguments.
func TestOptionsMayStandAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.StringMatching(`[a-z?=][a-z =-]{0,6}`), 0, 5).Draw(t, "args")
		options := rapid.SliceOfN(rapid.SampledFrom([]string{"--quiet", "--land", "--no-land", "--rounds=2", "-q", "-r7"}), 0, 4).Draw(t, "options")
		words := slices.Clone(args)
		for _, o := range options {
			words = slices.Insert(words, rapid.IntRange(0, len(words)).Draw(t, "at"), o)
		}
		read, rest, err := permute(sample(nil), words)
		if err != nil || len(read) != len(options) || !slices.Equal(rest, args) {
			t.Fatalf("%q: %q, %q, %v", words, read, rest, err)
		}
	})
}

func FuzzPermute(f *testing.F) {
	f.Add("--rounds\x00-q\x00--")
	f.Add("-qF\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\x00")
		options, args, err := permute(sample(nil), words)
		if err == nil && len(options)+len(args) > len(words)+len(text) {
			t.Errorf("%q grew to %q and %q", words, options, args)
		}
		for _, o := range options {
			if !strings.HasPrefix(o, "--") || !strings.Contains(o, "=") {
				t.Errorf("%q: option %q is not in the library's form", words, o)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"start", "status", "stop", "log", "show", "resume"}
	for word, want := range map[string]string{
		"strat": "start", "statsu": "status", "staus": "status", "shwo": "show", "resum": "resume",
		"lgo": "log", "gol": "", "x": "", "make a flag": "", "": "", "reusme": "resume", strings.Repeat("s", 500): "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
