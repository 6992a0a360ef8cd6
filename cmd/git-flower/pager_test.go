package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// paging is a desk with a long log on a terminal.
func paging(t *testing.T) *desk {
	d := newDesk(t)
	d.repository()
	s := d.begin("one", "One", false)
	for i := range 50 {
		s.amend(fmt.Sprintf("more %d", i))
	}
	d.env.store = nil // the story closes it
	d.reset()
	d.env.OutTerminal = true
	t.Setenv("TERM", "dumb")
	t.Setenv("NO_COLOR", "1")
	return d
}

// again runs the tool in the desk's present Env.
func (d *desk) again(words ...string) int {
	d.t.Helper()
	d.out.Reset()
	d.err.Reset()
	defer func() { d.env.store = nil }()
	return run(d.t.Context(), words, d.env)
}

func TestPagerIsGits(t *testing.T) {
	d := paging(t)
	const mark = "sed 's/^/paged: /'"
	paged := func() bool { return strings.HasPrefix(d.out.String(), "paged: ") }
	t.Setenv("GIT_PAGER", mark)
	if code := d.again("log"); code != 0 || !paged() || strings.Count(d.out.String(), "\n") != 51 {
		t.Fatalf("exit %d:\n%s%s", code, d.out.String(), d.err.String())
	}
	if d.again("log", "--no-pager"); paged() {
		t.Error("--no-pager pages")
	}
	t.Setenv("GIT_PAGER_IN_USE", "true")
	if d.again("log"); paged() {
		t.Error("a second pager behind git's own")
	}
	os.Unsetenv("GIT_PAGER_IN_USE")
	d.env.OutTerminal = false
	if d.again("log"); paged() {
		t.Error("pages into a pipe")
	}
	d.env.OutTerminal = true
	os.Unsetenv("GIT_PAGER")
	d.git("config", "core.pager", mark)
	if d.again("show"); !paged() {
		t.Errorf("core.pager does not count:\n%s", d.out.String())
	}
	for _, none := range []string{"cat", ""} {
		t.Setenv("GIT_PAGER", none)
		if d.again("log"); paged() || d.out.Len() == 0 {
			t.Errorf("GIT_PAGER=%q: %q", none, d.out.String())
		}
	}
}

func TestPagerThatLeavesEarly(t *testing.T) {
	d := paging(t)
	t.Setenv("GIT_PAGER", "true")
	if code := d.again("log"); code != 0 || d.err.Len() > 0 {
		t.Errorf("exit %d, %s", code, d.err.String())
	}
}

func TestPagerThatDoesNotExist(t *testing.T) {
	d := paging(t)
	t.Setenv("GIT_PAGER", "no-such-pager-here")
	if code := d.again("log"); code != 128 || !strings.Contains(d.err.String(), "hint: use --no-pager") {
		t.Errorf("exit %d, %s", code, d.err.String())
	}
}

func TestPagerKnowsGitsDefaults(t *testing.T) {
	d := paging(t)
	t.Setenv("GIT_PAGER", `echo "$LESS $LV"; cat >/dev/null; :`)
	if d.again("log"); d.out.String() != "FRX -c\n" {
		t.Errorf("%q", d.out.String())
	}
	t.Setenv("LESS", "mine")
	if d.again("log"); d.out.String() != "mine -c\n" {
		t.Errorf("%q", d.out.String())
	}
}

func TestColourIsGits(t *testing.T) {
	d := paging(t)
	coloured := func() bool { d.again("status"); return strings.Contains(d.out.String(), "\x1b[") }
	t.Setenv("TERM", "xterm")
	if coloured() {
		t.Error("colour against NO_COLOR")
	}
	os.Unsetenv("NO_COLOR")
	if !coloured() {
		t.Errorf("no colour on a terminal:\n%s", d.out.String())
	}
	d.git("config", "color.flower", "false")
	if coloured() {
		t.Error("colour against color.flower")
	}
	d.git("config", "--unset", "color.flower")
	d.git("config", "color.ui", "never")
	if coloured() {
		t.Error("colour against color.ui")
	}
	d.git("config", "color.flower", "always")
	d.env.OutTerminal = false
	if coloured() {
		t.Error("colour in a pipe")
	}
	if d.again("log", "--json"); strings.Contains(d.out.String(), "\x1b") {
		t.Error("colour in JSON")
	}
}

func TestReadInput(t *testing.T) {
	d := newDesk(t)
	d.env.In = strings.NewReader("words")
	if got, err := d.env.readInput(t.Context(), 10); got != "words" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	d.env.In = strings.NewReader("words")
	if got, err := d.env.readInput(t.Context(), 3); got != "word" || err != nil {
		t.Errorf("more than the limit: %q, %v", got, err)
	}
	never, w := io.Pipe()
	defer w.Close()
	d.env.In = never
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalError{os.Interrupt})
	var by signalError
	if _, err := d.env.readInput(ctx, 10); !errors.As(err, &by) {
		t.Errorf("%v", err)
	}
}
