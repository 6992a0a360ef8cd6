package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew")

// golden compares text with a file that a person has read.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s differs; got:\n%s", file, text)
	}
}

func TestShortHelp(t *testing.T) {
	d := newDesk(t)
	d.expect(0, "-h")
	golden(t, "help", d.out.String())
	for _, c := range commands() {
		d.expect(0, c.name, "-h")
		golden(t, "help-"+c.name, d.out.String())
	}
}

func TestHelpIsInGitsShape(t *testing.T) {
	for _, c := range commands() {
		var b bytes.Buffer
		if err := c.printUsage(&b); err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
			switch {
			case len(line) > helpWidth && strings.HasPrefix(line, "    "):
				t.Errorf("%s: line %d does not fit: %q", c.name, i+1, line)
			case len(line) > 100:
				t.Errorf("%s: line %d has %d columns", c.name, i+1, len(line))
			case i == 0 && !strings.HasPrefix(line, "usage: git flower "+c.name):
				t.Errorf("%s: begins with %q", c.name, line)
			case line != "" && i > 0 && !strings.HasPrefix(line, "   or: ") && !strings.HasPrefix(line, "    "):
				t.Errorf("%s: line %q is not indented", c.name, line)
			}
		}
	}
}

func TestLongHelpTellsExitStatus(t *testing.T) {
	for _, c := range commands() {
		var b bytes.Buffer
		if err := c.printHelp(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\nEXIT STATUS\n    0 ") || len(strings.Fields(c.prose)) < 10 {
			t.Errorf("help of %s is thin:\n%s", c.name, b.String())
		}
	}
}

// A long list of options would push the error out of sight.
func TestAUsageErrorFitsAScreen(t *testing.T) {
	d := newDesk(t)
	for _, c := range commands() {
		d.expect(129, c.name, "--nosuch")
		lines := strings.Split(strings.TrimSuffix(d.err.String(), "\n"), "\n")
		if len(lines) > 12 || !strings.HasPrefix(lines[0], "error: ") || !strings.HasPrefix(lines[1], "usage: git flower "+c.name) ||
			!strings.Contains(lines[len(lines)-1], "git flower help "+c.name) {
			t.Errorf("%s:\n%s", c.name, d.err.String())
		}
	}
}
