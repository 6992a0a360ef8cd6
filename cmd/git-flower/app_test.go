package main

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// runSample runs the sample command through the library and returns what it was
// called with.
func runSample(t *testing.T, words ...string) (got *call, err error) {
	t.Helper()
	c := sample(func(_ context.Context, _ *Env, c *call) error { got = c; return nil })
	options, args, err := permute(c, words)
	if err != nil {
		return nil, err
	}
	d := newDesk(t)
	line := append(append([]string{"git-flower", c.name}, options...), append([]string{"--"}, args...)...)
	err = newApp(d.env, []*command{c}).RunContext(t.Context(), line)
	if d.out.Len()+d.err.Len() > 0 {
		t.Errorf("the library printed by itself:\n%s%s", d.out.String(), d.err.String())
	}
	return got, err
}

// The library's traps (style.md 4.2), one test each.

func TestTrapOptionsAfterArguments(t *testing.T) {
	got, err := runSample(t, "x", "--rounds", "3", "y")
	if err != nil || got.text("rounds") != "3" || !slices.Equal(got.args, []string{"x", "y"}) {
		t.Errorf("rounds %q, arguments %q, %v", got.text("rounds"), got.args, err)
	}
}

func TestTrapUnknownCommandExitsZero(t *testing.T) {
	d := newDesk(t)
	for _, words := range [][]string{{"strat"}, {"make X"}, {"--", "status"}, {""}, {"status2", "-h"}} {
		d.expect(129, words...)
		if d.out.Len() > 0 || !strings.Contains(d.err.String(), "is not a git flower command") {
			t.Errorf("%q: stdout %q, stderr %q", words, d.out.String(), d.err.String())
		}
	}
	d.expect(129, "statsu")
	if !strings.Contains(d.err.String(), `"git flower status"`) {
		t.Errorf("no suggestion: %s", d.err.String())
	}
}

func TestTrapUsageErrorsOnStandardOutput(t *testing.T) {
	d := newDesk(t)
	for _, words := range [][]string{{"status", "--frobnicate"}, {"log", "-n"}, {"version", "x"}, {"--frobnicate"}, {"-x", "status"}} {
		d.expect(129, words...)
		if d.out.Len() > 0 || !strings.HasPrefix(d.err.String(), "error: ") || !strings.Contains(d.err.String(), "\nhint: ") {
			t.Errorf("%q: stdout %q, stderr %q", words, d.out.String(), d.err.String())
		}
	}
}

func TestTrapUnknownOptionWithOneDash(t *testing.T) {
	d := newDesk(t)
	for word, want := range map[string]string{"--frobnicate": "'--frobnicate'", "-x": "'-x'"} {
		for _, words := range [][]string{{word}, {"status", word}} {
			d.expect(129, words...)
			if !strings.Contains(d.err.String(), want) {
				t.Errorf("%q: %s", words, d.err.String())
			}
		}
	}
}

func TestTrapHelpAsAnArgument(t *testing.T) {
	for _, word := range []string{"help", "h", "--", "sample"} {
		got, err := runSample(t, "--", word)
		if err != nil || !slices.Equal(got.args, []string{word}) {
			t.Errorf("argument %q: %v, %v", word, got, err)
		}
	}
}

func TestTrapValuesSplitAtCommas(t *testing.T) {
	got, err := runSample(t, "--file", "a,b=c,d")
	if err != nil || got.text("file") != "a,b=c,d" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTrapSwitchesThatWereNotGiven(t *testing.T) {
	got, err := runSample(t, "--land", "--no-land", "--rounds=")
	if err != nil || !got.given("land") || got.is("land") || got.given("quiet") || !got.given("rounds") || got.text("rounds") != "" {
		t.Errorf("land %v %v, quiet %v, rounds %v, %v", got.given("land"), got.is("land"), got.given("quiet"), got.given("rounds"), err)
	}
}

func TestTrapExitInsideTheLibrary(t *testing.T) {
	c := sample(func(context.Context, *Env, *call) error { return exitCoder(7) })
	err := newApp(newDesk(t).env, []*command{c}).RunContext(t.Context(), []string{"git-flower", "sample"})
	if err != exitCoder(7) { // reaching this line shows that nothing exited
		t.Errorf("the error became %v", err)
	}
}

type exitCoder int

func (exitCoder) Error() string   { return "an error the library would exit for" }
func (e exitCoder) ExitCode() int { return int(e) }

func TestHelpThatWasAskedForGoesToStandardOutput(t *testing.T) {
	d := newDesk(t)
	asks := [][]string{{"-h"}, {"--help"}, {"help"}, {"--version"}, {"-v"}, {"help", "--man"}}
	for _, c := range commands() {
		asks = append(asks, []string{c.name, "-h"}, []string{c.name, "--help"}, []string{"help", c.name}, []string{c.name, "word", "-h"})
	}
	for _, words := range asks {
		d.expect(0, words...)
		if d.out.Len() == 0 || d.err.Len() > 0 {
			t.Errorf("%q: stdout %d bytes, stderr %q", words, d.out.Len(), d.err.String())
		}
	}
}

func TestTooManyArguments(t *testing.T) {
	d := newDesk(t)
	for _, c := range commands() {
		if c.args < 0 {
			continue
		}
		words := []string{c.name}
		for range c.args + 1 {
			words = append(words, "status")
		}
		d.expect(129, words...)
	}
}

func TestOptionsAreNamedOnce(t *testing.T) {
	for _, c := range commands() {
		seen := map[string]bool{"help": true, "h": true}
		for _, o := range c.options {
			for _, name := range []string{o.long, o.short, "no-" + o.long} {
				if name == "" || strings.HasPrefix(name, "no-") && !o.no {
					continue
				}
				if seen[name] {
					t.Errorf("%s: '%s' twice", c.name, name)
				}
				seen[name] = true
			}
			if o.long == "" || o.text == "" || strings.HasSuffix(o.text, ".") || o.value != "" && o.no || o.maybe && (o.value == "" || o.short != "") {
				t.Errorf("%s: option %+v breaks the shape of help", c.name, o)
			}
		}
	}
}
